/** Usage: a ledger row for each counted request, and for each step of a long answer; sums by day, key and dataset. */
import type { CountedRequest, UsageAmounts } from './quantities.ts';

/** The key id for the usage of people who are signed in. */
export const SESSION_KEY_ID = 0;

/** No identifier is longer, in UTF-16 code units: a longer one is not of a security, and indexes could not hold it. */
export const SYMBOL_CHARACTERS_MAX = 64;

/** Whether what a request named can be kept. Not every store has zero characters in texts. */
export function isKeptSymbol(text: string): boolean {
  return text.length <= SYMBOL_CHARACTERS_MAX && !text.includes('\0');
}

/** One counted request, or a step of one, which has the status `STEP_STATUS`. */
export interface UsageRecord extends CountedRequest {
  readonly answeredAtMs: number;
  readonly requestId: string;
  readonly identityId: number;
  /** Or `SESSION_KEY_ID`. */
  readonly keyId: number;
  /** Empty for what belongs to no dataset. */
  readonly datasetId: string;
  readonly datasetVersion: number | null;
  readonly rowCount: number;
  /** The identifiers that it named, each once; absent: none. Stores keep those of `isKeptSymbol`. */
  readonly symbols?: readonly string[];
  readonly durationMs: number;
  /** The store holds a reservation of it, which ends with it; not told by what is read. */
  readonly isReserved?: boolean;
}

/** Which requests of an account to list. */
export interface LedgerFilter {
  readonly identityId: number;
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
}

/** Which rows of the ledger: of an identity or of all, from a moment on and before another. */
export interface LedgerSpan {
  readonly identityId: number | null;
  readonly fromMs: number;
  readonly toMs: number;
}

/** Requests of an identity that were refused because a limit was used up. */
export interface RefusedUsage {
  readonly identityId: number;
  readonly requestCount: number;
  readonly lastAtMs: number;
}

/** Usage of an identity in a UTC month. */
export interface MonthUsage extends UsageAmounts {
  readonly identityId: number;
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

export interface IdentityMoment extends MomentUsage {
  readonly identityId: number;
}

/** Days, both inclusive, as `YYYY-MM-DD`. */
export interface DayRange {
  readonly firstDay: string;
  readonly lastDay: string;
}

const DAY_MS = 86_400_000;
/** The day that was asked for last: most requests are of the same one, and its text takes a while to make. */
let lastDay = { number: Number.NaN, text: '' };

/** The UTC day of a moment, `YYYY-MM-DD`. */
export function utcDay(epochMs: number): string {
  const number = Math.floor(epochMs / DAY_MS);
  if (number !== lastDay.number) {
    lastDay = { number, text: new Date(epochMs).toISOString().slice(0, 10) };
  }
  return lastDay.text;
}

/** No page of an account's requests looks at more rows of the ledger, however few of them its filter lets through. */
export const EXAMINED_ROWS_MAX = 20_000;

/** Requests of an account, the latest first. */
export interface LatestRequests {
  readonly rows: readonly LedgerRow[];
  /** The account's latest row that was not looked at; null: there is none. */
  readonly unexaminedId: number | null;
}

export interface LedgerReader {
  /**
   * Up to `limit` requests of an account, the latest first, before an id; 0: from the latest on. Of those before it
   * `EXAMINED_ROWS_MAX` are looked at.
   */
  listLatest(filter: LedgerFilter, beforeId: number, limit: number): Promise<LatestRequests>;
}

/** What an account has done with data so far. */
export interface FirstUses {
  /** Whether rows were read for it at all, and for one of its keys. */
  readonly hasAsked: boolean;
  readonly hasAskedByKey: boolean;
}

export interface UsageReader extends LedgerReader {
  firstUses(identityId: number): Promise<FirstUses>;
  /** Usage of an identity over a range of days. */
  total(identityId: number, range: DayRange): Promise<UsageAmounts>;
  /** Day by day, key by key and dataset by dataset. */
  listDays(identityId: number, range: DayRange): Promise<DayUsage[]>;
  /**
   * Usage of each identity after one moment and up to another: by identity, oldest first, the
   * requests of a second taken together at the last one's time. `requests` are those that count in
   * the minute.
   */
  listMoments(afterMs: number, untilMs: number): Promise<IdentityMoment[]>;
  /**
   * Up to `limit` ledger rows after the one with an id, by time; of all where it is 0. Where that one has been deleted,
   * so has all that was before it.
   */
  listLedger(span: LedgerSpan, afterId: number, limit: number): Promise<LedgerRow[]>;
  /** Of up to `limit` identities from a moment on, those with most such requests first. */
  listRefused(fromMs: number, limit: number): Promise<RefusedUsage[]>;
  /** By month, then by identity; of one identity, or of all where it is null. */
  listMonths(identityId: number | null, range: MonthRange): Promise<MonthUsage[]>;
}

export interface UsageTable extends UsageReader {
  /** Writes requests to ledger, day sums and keys. */
  add(records: readonly UsageRecord[]): Promise<void>;
  /** Drops up to `limit` ledger rows that were answered before a moment, oldest first; says how many. */
  deleteLedger(beforeMs: number, limit: number): Promise<number>;
}
