/**
 * How often a test tries random things: `inEveryRun`, or what the environment says, as in
 * `vitest.long.config.ts`. Throws for what is no number, so that nothing passes that was never tried.
 */
export function repetitions(name: string, inEveryRun: number): number {
  const text = process.env[name];
  if (text === undefined) return inEveryRun;
  if (!/^[1-9]\d*$/.test(text)) throw new Error(`${name} has to be a positive integer: ${text}`);
  return Number(text);
}
