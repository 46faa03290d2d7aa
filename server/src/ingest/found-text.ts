/** Tells from a line that a text is not the one that was expected, for messages. Pure. */

const SEPARATORS = { ',': 'commas', '|': '|', ';': 'semicolons', '\t': 'tabs' } as const;
/** Texts that no recipe reads. */
const UNREADABLE: readonly (readonly [line: RegExp, what: string])[] = [
  [/^\s*\{/, 'JSON lines, which have to be written as CSV first (mlr --ijsonl --ocsv cat FILE)'],
  [/^\s*\[/, 'a JSON text, which has to be written as CSV first (mlr --ijson --ocsv cat FILE)'],
  [/^\s*<(?!\w+>[,;\t|])/, 'XML or HTML, which has to be saved as CSV first'],
];
const DBN = /^(ts_recv,)?ts_event,rtype,/;
const SHOWN_CHARACTERS = 200;
const WAY =
  'ticklake recipe explain FILE shows the recipe that reads such a file, and ticklake recipe init FILE begins one';

/** Undefined: a recipe may read the text. */
export function unreadableText(line: string): string | undefined {
  return UNREADABLE.find(([pattern]) => pattern.test(line))?.[1];
}

/** Undefined: the line has fields between this separator. */
function otherTextIn(line: string, separator: string): string | undefined {
  const known = unreadableText(line) ?? (DBN.test(line) ? 'a DBN file, or CSV of one' : undefined);
  if (known !== undefined || line.includes(separator)) return known;
  const found = Object.entries(SEPARATORS).find(([other]) => line.includes(other));
  return found && `fields separated by ${found[1]}`;
}

/** Why a line is no header of columns: that it is one of another text, or else the reason. */
export function headerFault(line: string, reason: string): string {
  const other = otherTextIn(line, ',');
  const found = `found ${other}${wayOf(line)}`;
  if (other === undefined) return reason;
  return DBN.test(line) ? `${reason}; ${found}` : found;
}

/** The command that may read the text of this line; empty: there is none. */
export function wayOf(line: string): string {
  return unreadableText(line) === undefined ? `; ${WAY}` : '';
}

/** The content of a line, in words. `separator`: of the text that was expected. */
export function foundIn(line: string, separator = ','): string {
  const shown = line.slice(0, SHOWN_CHARACTERS);
  const other = otherTextIn(line, separator);
  if (line === '') return 'an empty line';
  return other === undefined ? `the first line ${shown}` : `${other}: ${shown}`;
}
