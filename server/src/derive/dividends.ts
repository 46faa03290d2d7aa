/** The cash dividends that the yields of some dates are made of, from adjustment factors. */
import type { DividendEvent } from '@ticklake/market/option-close.ts';
import { type ColumnVector, dateOfDays } from '../engine/columns.ts';
import { doubleReader, textReader } from '../engine/gathered-columns.ts';
import { addDays } from '../request/calendar-date.ts';
import type { ComputationInput } from './computation.ts';

const COLUMNS = ['Ticker', 'EffectiveDate', 'AdjustmentFactor', 'AdjustmentReason'];
const CASH_DIVIDEND = 'CashDiv';
const YEAR_DAYS = 366;

/** By the roots of options: symbols without punctuation, such as BRKB of BRK.B. */
export type Dividends = ReadonlyMap<string, readonly DividendEvent[]>;

/** Those that take effect in the year up to the last of the dates. */
export async function readDividends({
  inputs: [, factors],
  dates,
  read,
}: ComputationInput): Promise<Dividends> {
  const dividends = new Map<string, DividendEvent[]>();
  if (!factors) return dividends;
  const first = addDays(dates.start, -YEAR_DAYS);
  for await (const { columns, rowCount } of read(factors, COLUMNS, null)) {
    const [tickers, days, factorsOf, reasons] = columns as [
      ...[ColumnVector, ColumnVector, ColumnVector, ColumnVector],
    ];
    const [tickerAt, reasonAt] = [textReader(tickers), textReader(reasons)];
    const [dayAt, factorAt] = [doubleReader(days), doubleReader(factorsOf)];
    for (let row = 0; row < rowCount; row++) {
      const [ticker, day, factor] = [tickerAt(row), dayAt(row), factorAt(row)];
      if (ticker === null || Number.isNaN(day + factor) || reasonAt(row) !== CASH_DIVIDEND)
        continue;
      const effectiveDate = dateOfDays(day);
      if (effectiveDate < first || effectiveDate > dates.end) continue;
      const root = ticker.replaceAll(/[^A-Z0-9]/g, '');
      const known = dividends.get(root);
      if (known) known.push({ effectiveDate, factor });
      else dividends.set(root, [{ effectiveDate, factor }]);
    }
  }
  return dividends;
}
