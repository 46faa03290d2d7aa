/** The id in `identity:3` and `identity:3/key:5`; null in other names. */
export function identityIdOf(name: string): string | null {
  return /^identity:(\d+)(?:\/|$)/.exec(name)?.[1] ?? null;
}
