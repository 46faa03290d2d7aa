/** Text that a request or an access rule can name: of identifiers such as tickers. */

const UNPRINTABLE = '\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}';
const EDGE = `[^${UNPRINTABLE}\\p{Zs}]`;
/** Paths of URLs lose `.` and `..`, whoever writes them. */
const NO_DOT = `[^${UNPRINTABLE}\\p{Zs}.]`;

/** Matches the whole text; RE2 and JavaScript read it alike. */
export const IDENTIFIER_PATTERN = `(${NO_DOT}${EDGE}?|${EDGE}${NO_DOT}|${EDGE}[^${UNPRINTABLE}]+${EDGE})`;

/** This rule in words. */
export const IDENTIFIER_TEXT =
  "an identifier other than '.' and '..', without spaces around it and without control or invisible characters";

const IDENTIFIER = new RegExp(`^${IDENTIFIER_PATTERN}$`, 'u');

export function isIdentifierText(text: string): boolean {
  return IDENTIFIER.test(text);
}
