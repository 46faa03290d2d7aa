/** Whether a person sits at the other end of a stream, so that a secret may be shown there. */
export function isTerminal(stream: NodeJS.ReadableStream | NodeJS.WritableStream): boolean {
  return 'isTTY' in stream && stream.isTTY === true;
}
