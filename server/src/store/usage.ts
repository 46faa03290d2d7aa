/**
 * Usage: a ledger row for each counted request, and for each step of a long answer; sums by day,
 * key and dataset.
 */
import {
  addUsage,
  type CountedRequest,
  noUsage,
  ofEachQuantity,
  QUANTITIES,
  QUANTITY_NAMES,
  type Quantity,
  type UsageAmounts,
  type UsageSums,
  usageOf,
} from './quantities.ts';

/** The key id for the usage of people who are signed in. */
export const SESSION_KEY_ID = 0;

/** One counted request, or a step of one, which has the status `STEP_STATUS`. */
export interface UsageRecord extends CountedRequest {
  readonly answeredAtMs: number;
  readonly requestId: string;
  readonly accountId: number;
  /** Or `SESSION_KEY_ID`. */
  readonly keyId: number;
  /** Empty for what belongs to no dataset. */
  readonly datasetId: string;
  readonly datasetVersion: number | null;
  readonly rowCount: number;
  /**
   * The identifiers that it named, each once; absent: none. Stores keep those of `isKeptSymbol`.
   */
  readonly symbols?: readonly string[];
  /** The path with its query, without secrets; absent: of a step. */
  readonly path?: string;
  /** Why it was refused or failed, and what helps; absent: it was not. */
  readonly reason?: string;
  readonly durationMs: number;
  /** The store holds a reservation of it, which ends with it; not told by what is read. */
  readonly isReserved?: boolean;
}

/** Which requests of an account to list. */
export interface LedgerFilter {
  readonly accountId: number;
  /** Only those that were refused or failed: of a status from 400 on. */
  readonly isRefused?: boolean | undefined;
  readonly keyId?: number | undefined;
  readonly datasetId?: string | undefined;
}

/** Usage of a dataset by a key on a UTC day. */
export interface DayUsage extends UsageAmounts {
  /** `YYYY-MM-DD`. */
  readonly day: string;
  /** Or `SESSION_KEY_ID`. */
  readonly keyId: number;
  /** Empty for what belongs to no dataset. */
  readonly datasetId: string;
}

/** A row of the ledger. */
export interface LedgerRow extends UsageRecord {
  readonly ledgerId: number;
  readonly symbols: readonly string[];
  /** Empty where it is not known. */
  readonly path: string;
  readonly reason: string;
}

/** Which rows of the ledger: of an account or of all, from a moment on and before another. */
export interface LedgerSpan {
  readonly accountId: number | null;
  readonly fromMs: number;
  readonly toMs: number;
}

/** Requests of an account that were refused because a limit was used up. */
export interface RefusedUsage {
  readonly accountId: number;
  readonly requestCount: number;
  readonly lastAtMs: number;
}

/** Usage of an account in a UTC month. */
export interface MonthUsage extends UsageAmounts {
  readonly accountId: number;
  /** `YYYY-MM`. */
  readonly month: string;
  readonly rowCount: number;
  /** Different identifiers that were named. */
  readonly symbolCount: number;
}

/** Months, both inclusive, as `YYYY-MM`. */
export interface MonthRange {
  readonly firstMonth: string;
  readonly lastMonth: string;
}

/** Usage at about one moment. */
export interface MomentUsage extends UsageAmounts {
  readonly atMs: number;
}

export interface AccountMoment extends MomentUsage {
  readonly accountId: number;
}

/** Days, both inclusive, as `YYYY-MM-DD`. */
export interface DayRange {
  readonly firstDay: string;
  readonly lastDay: string;
}

/**
 * No page of an account's requests looks at more rows of the ledger, however few of them its filter
 * lets through.
 */
export const EXAMINED_ROWS_MAX = 20_000;

/** Requests of an account, the latest first. */
export interface LatestRequests {
  readonly rows: readonly LedgerRow[];
  /** The account's latest row that was not looked at; null: there is none. */
  readonly unexaminedId: number | null;
}

/** Milestones of an account's use of data. */
export interface FirstUses {
  /** True if rows were read for it at all, and for one of its keys. */
  readonly hasAsked: boolean;
  readonly hasAskedByKey: boolean;
}

/** The columns that the sums by day have for the quantities of quotas. */
export const DAY_COLUMNS = QUANTITY_NAMES.map((quantity) => QUANTITIES[quantity].dayColumn);

/**
 * No identifier is longer, in UTF-16 code units: a longer one is not of a security, and indexes
 * could not hold it.
 */
export const SYMBOL_CHARACTERS_MAX = 64;

/** True if what a request named can be kept. Not every store has zero characters in texts. */
export function isKeptSymbol(text: string): boolean {
  return text.length <= SYMBOL_CHARACTERS_MAX && !text.includes('\0');
}

const DAY_MS = 86_400_000;
/**
 * The day that was asked for last: most requests are of the same one, and its text takes a while to
 * make.
 */
let lastDay = { number: Number.NaN, text: '' };

/** The UTC day of a moment, `YYYY-MM-DD`. */
export function utcDay(epochMs: number): string {
  const number = Math.floor(epochMs / DAY_MS);
  if (number !== lastDay.number) {
    lastDay = { number, text: new Date(epochMs).toISOString().slice(0, 10) };
  }
  return lastDay.text;
}

/** Amounts of a row with the columns of sums by day; zero without a row. */
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
  readonly place: readonly [accountId: number, day: string, keyId: number, datasetId: string];
  readonly amounts: UsageSums;
  rowCount: number;
}

export function dayRow({
  place,
  amounts,
  rowCount,
}: DaySum): Readonly<Record<string, string | number>> {
  const [identity_id, day, key_id, dataset_id] = place;
  return {
    ...{ identity_id, day, key_id, dataset_id, row_count: rowCount },
    ...Object.fromEntries(
      QUANTITY_NAMES.map((quantity) => [QUANTITIES[quantity].dayColumn, amounts[quantity]]),
    ),
  };
}

/** Sums that requests add, each place once. */
export function sumsByDay(records: readonly UsageRecord[]) {
  const sums = new Map<string, DaySum>();
  for (const record of records) {
    const { accountId, keyId, datasetId, answeredAtMs } = record;
    const place = `${accountId} ${Math.floor(answeredAtMs / DAY_MS)} ${keyId} ${datasetId}`;
    const sum = sums.getOrInsertComputed(place, () => ({
      ...{ place: [accountId, utcDay(answeredAtMs), keyId, datasetId] as const },
      ...{ amounts: noUsage(), rowCount: 0 },
    }));
    addUsage(sum.amounts, usageOf(record, 'month'));
    sum.rowCount += record.rowCount;
  }
  return sums.values();
}

/**
 * From so many different identifiers of an account in a month on, no more are kept, whatever its
 * programs ask for.
 */
export const MONTH_SYMBOLS_MAX = 100_000;

/**
 * The identifiers that requests named, once for each account and month; in one order everywhere, so
 * that servers which write at once never wait for each other.
 */
export function symbolsByMonth(
  records: readonly UsageRecord[],
): (readonly [accountId: number, month: string, symbol: string])[] {
  const places = new Map<string, readonly [number, string, string]>();
  for (const { accountId, answeredAtMs, symbols = [] } of records) {
    const month = utcDay(answeredAtMs).slice(0, 7);
    for (const symbol of symbols.filter(isKeptSymbol)) {
      places.set(`${accountId} ${month} ${symbol}`, [accountId, month, symbol]);
    }
  }
  return [...places.entries()].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, place]) => place);
}
