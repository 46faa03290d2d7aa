/** What `ticklake coverage` prints: a line for each dataset with a mark for each day. */
import type { COVERAGE_MAP } from '../admin/coverage-operation.ts';
import type { IndexedDayState } from '../plan/indexed-days.ts';
import type { Answer } from '../schema/answer.ts';
import { alignedTable } from './table-text.ts';

const MARKS: Readonly<Record<IndexedDayState, readonly [mark: string, meaning: string]>> = {
  complete: ['#', 'complete'],
  spanned: ['~', 'probably has rows'],
  expected: ['.', 'expected'],
  late: ['!', 'late'],
  missing: ['x', 'missing'],
  withdrawn: ['-', 'withdrawn'],
  no_trading_day: ['_', 'no trading day'],
};
/** Before the data begins, or nothing to be late by. */
const NOTHING = ' ';

export function coverageText({ start, end, datasets }: Answer<typeof COVERAGE_MAP>): string {
  if (datasets.length === 0) return 'No dataset is a series of days.\n';
  const rows = datasets.map(({ dataset_id, last_trade_date, states }) => [
    dataset_id,
    last_trade_date ?? 'nothing',
    // Bars, so that days without a mark are seen as well.
    `|${states.map((state) => (state === null ? NOTHING : MARKS[state][0])).join('')}|`,
  ]);
  const titles = ['DATASET', 'LAST DAY', `${start} TO ${end}`];
  const table = alignedTable(
    titles.map((title) => ({ title, align: 'left' as const })),
    rows,
  );
  const legend = Object.values(MARKS).map(([mark, meaning]) => `${mark} ${meaning}`);
  return `${table}\n${legend.join(', ')}\n`;
}
