/**
 * Which rows of the market are loaded into its home. The others are left to `derive`, as in the home of an owner who has
 * ticks of some days and a history of bars.
 */
import type { Catalog, Dataset } from 'ticklake/catalog/dataset.ts';
import { type ColumnBatch, daysOfDate, takeRows } from 'ticklake/engine/columns.ts';

/** Their rows tell more than what they could be derived from. */
const TELLING_MORE: readonly string[] = [
  // Of the market of the underlying at each trade.
  'opt_trades',
  // Names, identifiers, and a second SecId of one security.
  ...['eq_lookup_files', 'eq_sec_master'],
];

/** From which date on rows are derived, in days since 1970; null: none are. */
function derivedFrom(
  { derivation, textId }: Dataset,
  catalog: Pick<Catalog, 'byTextId'>,
  firstTickDate: string,
) {
  const [input] = derivation?.inputs ?? [];
  if (input === undefined || TELLING_MORE.includes(textId)) return null;
  // Bars and daily values, whether loaded or derived, reach as far back as the market does.
  const isOfTicks = catalog.byTextId(input)?.pathShape === 'tick';
  return isOfTicks ? daysOfDate(firstTickDate) : Number.NEGATIVE_INFINITY;
}

/** The rows of a batch, in natural order, that are loaded; null: none. */
export type LoadedRows = (batch: ColumnBatch) => ColumnBatch | null;

/** `firstTickDate` is the first one with ticks, `YYYY-MM-DD`. */
export function loadedRowsOf(
  dataset: Dataset,
  catalog: Pick<Catalog, 'byTextId'>,
  firstTickDate: string,
): LoadedRows {
  const from = derivedFrom(dataset, catalog, firstTickDate);
  if (from === null) return (batch) => batch;
  if (from === Number.NEGATIVE_INFINITY) return () => null;
  const at = dataset.columns.findIndex(({ name }) => name === dataset.dateColumn);
  return (batch) => {
    const days = batch.columns[at]?.values as Int32Array;
    if ((days[0] ?? from) >= from) return null;
    if ((days[batch.rowCount - 1] as number) < from) return batch;
    const rows = Array.from({ length: batch.rowCount }, (_, row) => row);
    return takeRows(
      batch,
      rows.filter((row) => (days[row] as number) < from),
    );
  };
}
