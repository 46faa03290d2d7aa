/** Sums of usage in the tables of a store: their columns, and how they are made of requests. */
import {
  addUsage,
  noUsage,
  ofEachQuantity,
  QUANTITIES,
  QUANTITY_NAMES,
  type Quantity,
  type UsageAmounts,
  type UsageSums,
  usageOf,
} from './quantities.ts';
import { isKeptSymbol, type UsageRecord, utcDay } from './usage.ts';

/** The columns that the sums by day have for the quantities of quotas. */
export const DAY_COLUMNS = QUANTITY_NAMES.map((quantity) => QUANTITIES[quantity].dayColumn);

const DAY_MS = 86_400_000;

/** Of a row with the columns of sums by day; nothing of none. */
export function amountsOf(row: Readonly<Record<string, unknown>> | undefined): UsageAmounts {
  return ofEachQuantity((quantity) => Number(row?.[QUANTITIES[quantity].dayColumn] ?? 0));
}

/** The sums of columns, under the names that `amountsOf` knows. */
export function sumsSql(columnOf: (rule: (typeof QUANTITIES)[Quantity]) => string): string {
  return QUANTITY_NAMES.map((quantity) => QUANTITIES[quantity])
    .map((rule) => `sum(${columnOf(rule)}) AS ${rule.dayColumn}`)
    .join(', ');
}

/** The columns of sums, each with what another row has of it added. */
export function addedSql(sums: string, more: string): string {
  return DAY_COLUMNS.map((column) => `${column} = ${sums}.${column} + ${more}.${column}`).join(
    ', ',
  );
}

/** The amounts of a key, a dataset and a day. */
interface DaySum {
  readonly place: readonly [identityId: number, day: string, keyId: number, datasetId: string];
  readonly amounts: UsageSums;
  rowCount: number;
}

/** What requests add to the sums, each place once. */
export function sumsByDay(records: readonly UsageRecord[]) {
  const sums = new Map<string, DaySum>();
  for (const record of records) {
    const { identityId, keyId, datasetId, answeredAtMs } = record;
    const place = `${identityId} ${Math.floor(answeredAtMs / DAY_MS)} ${keyId} ${datasetId}`;
    let sum = sums.get(place);
    if (!sum) {
      const day = utcDay(answeredAtMs);
      sum = { place: [identityId, day, keyId, datasetId], amounts: noUsage(), rowCount: 0 };
      sums.set(place, sum);
    }
    addUsage(sum.amounts, usageOf(record, 'month'));
    sum.rowCount += record.rowCount;
  }
  return sums.values();
}

/** From so many different identifiers of an account in a month on, no more are kept, whatever its programs ask for. */
export const MONTH_SYMBOLS_MAX = 100_000;

/** The identifiers that a request named, as the ledger keeps them: a JSON array. */
export function symbolsText({ symbols = [] }: UsageRecord): string {
  return JSON.stringify(symbols.filter(isKeptSymbol));
}

/**
 * The identifiers that requests named, once for each account and month; in one order everywhere, so that servers which
 * write at once never wait for each other.
 */
export function symbolsByMonth(
  records: readonly UsageRecord[],
): (readonly [identityId: number, month: string, symbol: string])[] {
  const places = new Map<string, readonly [number, string, string]>();
  for (const { identityId, answeredAtMs, symbols = [] } of records) {
    const month = utcDay(answeredAtMs).slice(0, 7);
    for (const symbol of symbols.filter(isKeptSymbol)) {
      places.set(`${identityId} ${month} ${symbol}`, [identityId, month, symbol]);
    }
  }
  return [...places.entries()].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, place]) => place);
}
