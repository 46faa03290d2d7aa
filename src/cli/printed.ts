/** How results are printed: text that cannot steer a terminal, and JSON with the interface's names. */

// Control characters other than the line end, and those that turn the direction of text.
const STEERING =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** Values and names come from files of unknown origin. */
export function printableText(text: string): string {
  return text.replaceAll(STEERING, escaped);
}

/** The same on one line: names of files may hold line ends. */
export function printableLine(text: string): string {
  return printableText(text).replaceAll('\n', escaped);
}

function snakeCase(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

function withSnakeCaseKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withSnakeCaseKeys);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [snakeCase(name), withSnakeCaseKeys(inner)]),
  );
}

/** One line of JSON; keys as the HTTP interface writes them, `row_count` for `rowCount`. */
export function printableJson(value: unknown): string {
  return `${JSON.stringify(withSnakeCaseKeys(value))}\n`;
}
