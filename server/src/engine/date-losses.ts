/** Dates that lose rows to a load. Pure. */
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
