/** Rows of a load that break a rule of their dataset's definition. */
import type { CellValue } from './columns.ts';

/** Maximum number of rows that are shown of those that break a rule. */
export const SHOWN_BROKEN_ROWS = 10;

export interface BrokenRow {
  /** Its number among the rows of the writer, from 0 in the order in which they came. */
  readonly row: number;
  /** Values of the columns that the rule names. */
  readonly cells: readonly CellValue[];
  /** With keys: the number of the first row with the same key; null: a part that stays has it. */
  readonly twin?: number | null;
}

export interface BrokenRows {
  readonly rowCount: number;
  /** The first `SHOWN_BROKEN_ROWS`, in the order in which they came. */
  readonly rows: readonly BrokenRow[];
}

/** Characters that `String.trim` removes. */
export const BLANKS =
  '\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a' +
  '\u2028\u2029\u202f\u205f\u3000\ufeff';
