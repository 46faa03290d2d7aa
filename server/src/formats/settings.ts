/** How many rows one page of a columnar format has; those of text are short by nature. */
import { integer, setting, type ValuesOf } from '../schema/setting.ts';

/** Rows of a page: without `limit`, and at most. */
export interface RowLimits {
  readonly default: number;
  readonly max: number;
}

const ROWS_MAX = 100_000_000;

export const FORMAT_SETTINGS = {
  columnarRowsMax: setting(
    'TICKLAKE_COLUMNAR_ROWS_MAX',
    integer(1, ROWS_MAX),
    1_000_000,
    'Maximum `limit` of a page in a columnar format, and its rows without one.',
  ),
};

export type FormatSettings = ValuesOf<typeof FORMAT_SETTINGS>;

export function columnarRowLimits({ columnarRowsMax: max }: FormatSettings): RowLimits {
  return { default: max, max };
}
