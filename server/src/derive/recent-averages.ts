/** What quotes are held to: the average closing price of the ten trading days before. */
import { createHash } from 'node:crypto';
import { previousTradingDay, tradingDaysEndingAt } from '@ticklake/market/calendar.ts';
import { type ColumnVector, dateOfDays } from '../engine/columns.ts';
import { doubleReader, textReader } from '../engine/gathered-columns.ts';
import type { ComputationInput } from './computation.ts';
import type { AveragePrices } from './equity-days.ts';

const DAYS = 10;
const COLUMNS = ['TradeDate', 'Ticker', 'ASID', 'ClosePrice'];

interface Close {
  readonly date: string;
  readonly price: number;
}

/** A security by its permanent id, or by its ticker where it has none. */
function nameOf(asid: number | null, ticker: string): string {
  return asid === null ? ticker : `#${asid}`;
}

/** Closing prices of each security, oldest first. */
async function readCloses({ inputs: [, daily], dates, read }: ComputationInput) {
  const closes = new Map<string, Close[]>();
  if (!daily) return closes;
  const last = previousTradingDay(dates.end);
  const [first = last] = tradingDaysEndingAt(previousTradingDay(dates.start), DAYS);
  for await (const { columns, rowCount } of read(daily, COLUMNS, { start: first, end: last })) {
    const [day, ticker, asid, price] = columns as ColumnVector[] as [
      ColumnVector,
      ColumnVector,
      ColumnVector,
      ColumnVector,
    ];
    const readers = { day: doubleReader(day), ticker: textReader(ticker) };
    const numbers = { asid: doubleReader(asid), price: doubleReader(price) };
    for (let row = 0; row < rowCount; row++) {
      const id = numbers.asid(row);
      const name = nameOf(Number.isNaN(id) ? null : id, readers.ticker(row) ?? '');
      const close = { date: dateOfDays(readers.day(row)), price: numbers.price(row) };
      if (Number.isNaN(close.price)) continue;
      const known = closes.get(name);
      if (known) known.push(close);
      else closes.set(name, [close]);
    }
  }
  return closes;
}

/** The averages, and a text that changes with each price which they come from. */
export async function recentAverages(
  input: ComputationInput,
): Promise<{ readonly mark: string; readonly averagePrices: AveragePrices }> {
  const closes = await readCloses(input);
  const mark = createHash('sha256')
    .update(JSON.stringify([...closes]))
    .digest('hex');
  const averagePrices: AveragePrices = ({ date, asid, ticker }) => {
    const [first = date] = tradingDaysEndingAt(previousTradingDay(date), DAYS);
    const recent = closes
      .get(nameOf(asid, ticker))
      ?.filter((close) => close.date >= first && close.date < date);
    if (!recent?.length) return null;
    return recent.reduce((sum, { price }) => sum + price, 0) / recent.length;
  };
  return { mark, averagePrices };
}
