/** Tells from a first line that a text is no CSV file, for messages. Pure. */

const OTHERS = { '|': '|', ';': 'semicolons', '\t': 'tabs' } as const;
const SHOWN_CHARACTERS = 200;

/** Undefined: the line is one of a CSV file. */
function otherTextIn(line: string): string | undefined {
  if (/^\s*\{/.test(line)) return 'JSON lines, which have to be written as CSV first';
  if (/^\s*\[/.test(line)) return 'a JSON text, which has to be written as CSV first';
  if (line.includes(',')) return undefined;
  const found = Object.entries(OTHERS).find(([separator]) => line.includes(separator));
  return found && `fields separated by ${found[1]}`;
}

/** Why a line is no header of columns, where it is one of another text. */
export function otherHeader(line: string): string | undefined {
  const other = otherTextIn(line);
  if (!other?.startsWith('fields')) return other && `found ${other}`;
  return `found ${other}; ticklake recipe explain FILE finds the recipe that reads such a file`;
}

/** The content of a line, in words. */
export function foundIn(line: string): string {
  const shown = line.slice(0, SHOWN_CHARACTERS);
  const other = otherTextIn(line);
  if (line === '') return 'an empty line';
  return other === undefined ? `the first line ${shown}` : `${other}: ${shown}`;
}
