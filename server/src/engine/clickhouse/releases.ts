/** Whether a release, such as `18.16.1`, is at least another one. Pure. */
export function isAtLeast(version: string, [major, minor]: readonly [number, number]): boolean {
  const [ownMajor = 0, ownMinor = 0] = version.split('.').map(Number);
  return ownMajor > major || (ownMajor === major && ownMinor >= minor);
}
