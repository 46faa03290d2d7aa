/** Dates of the rows of a load, and those that lose rows to it. Pure. */
import { daysOfDate } from './columns.ts';
import { type DateRows, type PartComparison, SHOWN_LOSSES } from './engine.ts';

type DateLosses = Pick<
  PartComparison,
  'rowCount' | 'removedRowCount' | 'lostDateCount' | 'lostDates' | 'mostLost'
>;

const shareLeft = ({ rowCountBefore, rowCountAfter }: DateRows) => rowCountAfter / rowCountBefore;

/** `rows`: of each date, in their order, those that do not stay, and the writer's. */
export function dateLosses(rows: readonly DateRows[]): DateLosses {
  const lost = rows.flatMap(({ date, rowCountAfter }) =>
    rowCountAfter === 0 && date !== null ? [date] : [],
  );
  // Rows without a date leave no date behind that could be named: they have shrunk, also to none.
  const isThere = ({ date, rowCountAfter }: DateRows) => rowCountAfter > 0 || date === null;
  const shrunk = rows.filter((each) => isThere(each) && shareLeft(each) < 1);
  const [mostLost = null] = shrunk.toSorted((a, b) => shareLeft(a) - shareLeft(b));
  const sum = (name: 'rowCountBefore' | 'rowCountAfter') =>
    rows.reduce((total, each) => total + each[name], 0);
  return {
    rowCount: sum('rowCountAfter'),
    removedRowCount: sum('rowCountBefore'),
    lostDateCount: lost.length,
    lostDates: lost.slice(0, SHOWN_LOSSES),
    mostLost,
  };
}

/** More days without rows than a market has been closed. */
const GAP_DAYS_MAX = 31;

/** The first of ascending dates that lead up to `start` day by day, or else `start`. */
export function firstDate(dates: readonly string[], start: string): string {
  const daysTo = (first: string, date: string) => daysOfDate(first) - daysOfDate(date);
  return dates.reduceRight(
    (first, date) => (date < first && daysTo(first, date) <= GAP_DAYS_MAX ? date : first),
    start,
  );
}
