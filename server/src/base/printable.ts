/** Text of unknown origin, such as values and names of files, made fit for a terminal or a list. */

/** `1 row`, `2,000 rows`: of nouns that take an s. */
export function counted(count: number, noun: string): string {
  // `toLocaleString` takes 10 µs, and derivations count much of each security.
  const digits = count < 1000 ? count : count.toLocaleString('en-US');
  return `${digits} ${noun}${count === 1 ? '' : 's'}`;
}

/** `a, b, c and 1,200 more`. */
export function firstNames(names: readonly string[], countMax: number): string {
  const more = names.length - countMax;
  const others = more > 0 ? ` and ${more.toLocaleString('en-US')} more` : '';
  return `${names.slice(0, countMax).join(', ')}${others}`;
}

/** `a, b and c`, or with another word before the last. */
export function listed(texts: readonly string[], word = 'and'): string {
  const last = texts.at(-1) ?? '';
  return texts.length < 2 ? last : `${texts.slice(0, -1).join(', ')} ${word} ${last}`;
}

/** With a capital letter at its beginning, as a sentence has it. */
export function capitalized(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}

// Control characters other than the line end, and those that turn the direction of text.
const STEERING =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

const SHORT: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

function escaped(character: string): string {
  const code = character.charCodeAt(0).toString(16).padStart(4, '0');
  return SHORT[character] ?? `\\u${code}`;
}

/** Cannot steer a terminal: what could is written as in JSON, `\u001b`. Lines stay lines. */
export function printableText(text: string): string {
  return text.replaceAll(STEERING, escaped);
}

/** As `printableText`, on one line: file names may hold line ends. */
export function printableLine(text: string): string {
  return printableText(text).replaceAll('\n', escaped);
}
