/** The closing prices that dividends are held against: the last ones before their effective dates. */
import { type ColumnVector, daysOfDate } from '../engine/columns.ts';
import { doubleReader, textReader } from '../engine/gathered-columns.ts';
import { addDays, earlierOf, laterOf } from '../request/calendar-date.ts';
import type { ComputationInput } from './computation.ts';

const COLUMNS = ['TradeDate', 'Ticker', 'ASID', 'ClosePrice'];
/** Calendar days: a security that has not traded for longer has no price to hold a dividend against. */
const CLOSE_AGE_DAYS_MAX = 14;

/** What a price is asked for: a security before a date. */
export interface PriceQuestion {
  readonly ASID: number | null;
  readonly Ticker: string | null;
  readonly EffectiveDate: string;
}

export type PriorCloses = (question: PriceQuestion) => number | null;

type SecurityKey = number | string;

/** The effective dates of a security, ascending, and the close that is known before each. */
interface Wanted {
  readonly days: number[];
  readonly closes: (number | null)[];
  /** Rows come by date: the first day that none has reached yet. */
  next: number;
}

function keyOf({ ASID, Ticker }: PriceQuestion): SecurityKey {
  return ASID ?? Ticker ?? '';
}

function wantedOf(questions: readonly PriceQuestion[]): Map<SecurityKey, Wanted> {
  const grouped = Map.groupBy(questions, keyOf);
  return new Map(
    [...grouped].map(([key, asked]) => {
      const dates = [...new Set(asked.map(({ EffectiveDate }) => EffectiveDate))].sort();
      return [key, { days: dates.map(daysOfDate), closes: dates.map(() => null), next: 0 }];
    }),
  );
}

function noteClose(wanted: Wanted, day: number, close: number): void {
  const { days, closes } = wanted;
  while (wanted.next < days.length && (days[wanted.next] as number) <= day) wanted.next += 1;
  const effective = days[wanted.next];
  if (effective !== undefined && effective - day <= CLOSE_AGE_DAYS_MAX) closes[wanted.next] = close;
}

/** Reads the daily prices once, whatever is asked of them. */
export async function readPriorCloses(
  { inputs: [, daily], read }: ComputationInput,
  questions: readonly PriceQuestion[],
): Promise<PriorCloses> {
  const wanted = wantedOf(questions);
  const [one, ...others] = questions.map(({ EffectiveDate }) => EffectiveDate);
  if (!daily || one === undefined) return () => null;
  const start = addDays(others.reduce(earlierOf, one), -CLOSE_AGE_DAYS_MAX);
  const end = addDays(others.reduce(laterOf, one), -1);
  for await (const { columns, rowCount } of read(daily, COLUMNS, { start, end })) {
    const [day, ticker, asid, close] = columns as ColumnVector[] as [
      ...[ColumnVector, ColumnVector, ColumnVector, ColumnVector],
    ];
    const [dayAt, idAt, closeAt] = [doubleReader(day), doubleReader(asid), doubleReader(close)];
    const tickerAt = textReader(ticker);
    for (let row = 0; row < rowCount; row++) {
      const id = idAt(row);
      const asked = wanted.get(Number.isNaN(id) ? (tickerAt(row) ?? '') : id);
      const price = asked ? closeAt(row) : Number.NaN;
      if (asked && !Number.isNaN(price)) noteClose(asked, dayAt(row), price);
    }
  }
  return (question) => {
    const asked = wanted.get(keyOf(question));
    const at = asked?.days.indexOf(daysOfDate(question.EffectiveDate)) ?? -1;
    return asked?.closes[at] ?? null;
  };
}
