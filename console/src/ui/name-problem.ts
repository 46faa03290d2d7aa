const CHARACTERS_MAX = 200;
/** Control and invisible characters, line separators, halves of surrogate pairs. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u;

/** The reason why the service would refuse a name; '' if it would not. */
export function nameProblem(name: string): string {
  if (name.trim() === '') return 'Enter a name';
  if (name.trim() !== name) return 'Leave out the spaces at the beginning and the end';
  if (UNPRINTABLE.test(name)) return 'Leave out control and invisible characters';
  return [...name].length > CHARACTERS_MAX ? `Use at most ${CHARACTERS_MAX} characters` : '';
}
