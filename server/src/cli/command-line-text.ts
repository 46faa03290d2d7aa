/** Commands in messages, in the form in which the reader can type them. */
type Environment = Readonly<Record<string, string | undefined>>;

/** A word, quoted for a POSIX shell where needed. */
export function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}

/** How the program was called: npm tells its scripts, and programs run by npx, what they were called as. */
function programOf({ npm_lifecycle_event: script }: Environment): string {
  if (script === undefined) return 'ticklake';
  return script === 'npx' ? 'npx ticklake' : 'npm run ticklake --';
}

/** Writes a command for the home of this one, or for another. */
export type CommandLine = (words: string, otherHome?: string) => string;

/** `givenHome` is what `--home` named, or null. */
export function commandLineOf(env: Environment, givenHome: string | null): CommandLine {
  return (words, otherHome) => {
    const home = otherHome ?? givenHome;
    return `${programOf(env)} ${words}${home === null ? '' : ` --home ${shellWord(home)}`}`;
  };
}
