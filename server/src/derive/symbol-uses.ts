/** Which security a symbol stood for on which days, from the lookups of SecIds and ASIDs. */
import { clashesOf, type SymbolUse } from '@ticklake/market/symbol-chains.ts';
import type { Dataset } from '../catalog/dataset.ts';
import type { ComputationInput } from './computation.ts';
import { namesOf, referenceRows } from './reference-rows.ts';

type NumberColumn = 'SecId' | 'ASID';

function noteClashes(
  { textId }: Dataset,
  column: NumberColumn,
  uses: SymbolUse[],
  warn: (text: string) => void,
) {
  for (const { ticker, date, ids } of clashesOf(uses)) {
    warn(`${textId} ${date} ${ticker}: the symbol of ${column} ${ids[0]} and ${ids[1]} on one day`);
  }
}

/** In natural order, without test symbols, which have no number. Warns of symbols of two securities at once. */
export async function readSymbolUses(
  { dates, read, warn }: Pick<ComputationInput, 'dates' | 'read' | 'warn'>,
  lookup: Dataset | undefined,
  column: NumberColumn,
): Promise<SymbolUse[]> {
  const uses: SymbolUse[] = [];
  if (!lookup) return uses;
  const columns = {
    texts: ['Ticker'],
    numbers: [column],
    dates: ['StartDate', 'EndDate'],
  } as const;
  for await (const row of referenceRows(columns, read(lookup, namesOf(columns), dates))) {
    const { Ticker: ticker, StartDate: startDate, EndDate: endDate } = row;
    const id = row[column];
    if (id !== null && ticker !== null) uses.push({ id, ticker, startDate, endDate });
  }
  noteClashes(lookup, column, uses, warn);
  return uses;
}
