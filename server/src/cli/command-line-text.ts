/** Commands in texts, in the form in which the reader can type them. */
type Environment = Readonly<Record<string, string | undefined>>;

/** A word as a POSIX shell takes it. */
export function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}

/** How the program was called: npm tells its scripts, and what npx runs, which one they are. */
function programOf({ npm_lifecycle_event: script }: Environment): string {
  if (script === undefined) return 'ticklake';
  return script === 'npx' ? 'npx ticklake' : 'npm run ticklake --';
}

/** `givenHome` is what `--home` named, or null. */
export function commandLineOf(
  env: Environment,
  givenHome: string | null,
): (words: string) => string {
  const home = givenHome === null ? '' : ` --home ${shellWord(givenHome)}`;
  return (words) => `${programOf(env)} ${words}${home}`;
}
