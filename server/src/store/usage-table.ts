/** The tables of usage: the ledger, and the sums by day. */
import { LIMITED_STATUS, type UsageAmounts } from './quantities.ts';
import { type Queries, type RowFields, rowsIn, storable } from './queries.ts';
import { Records } from './records.ts';
import { columnsBut, givenRows, tableNamed } from './schema.ts';
import {
  type AccountMoment,
  addedSql,
  amountsOf,
  DAY_COLUMNS,
  type DayRange,
  type DayUsage,
  dayRow,
  EXAMINED_ROWS_MAX,
  type FirstUses,
  isKeptSymbol,
  type LatestRequests,
  type LedgerFilter,
  type LedgerRow,
  type LedgerSpan,
  MONTH_SYMBOLS_MAX,
  type MonthRange,
  type MonthUsage,
  type RefusedUsage,
  SESSION_KEY_ID,
  sumsByDay,
  sumsSql,
  symbolsByMonth,
  type UsageRecord,
} from './usage.ts';

/** As the table has it: a number tells which requests count in a minute. */
type KeptRow = Omit<LedgerRow, 'countsInMinute'> & { readonly countsInMinute: number };

const LEDGER = new Records<LedgerRow, KeptRow>({
  table: 'usage_ledger',
  json: { symbols: JSON.parse },
  made: (row) => ({ ...row, countsInMinute: row.countsInMinute === 1 }),
});
const LEDGER_TABLE = tableNamed('usage_ledger');
/** The store gives a row its number. */
const LEDGER_COLUMNS = columnsBut(LEDGER_TABLE, 'ledger_id');

const DAYS = tableNamed('usage_day');
const DAY_FIELDS = Object.keys(DAYS.columns);

/** The first status of requests that were refused or failed. */
const REFUSED_FROM = 400;

const SQL = {
  addToLedger: `INSERT INTO usage_ledger (${LEDGER_COLUMNS.join(', ')})
    SELECT ${LEDGER_COLUMNS.join(', ')} FROM ${givenRows(LEDGER_TABLE, LEDGER_COLUMNS)}`,
  addToDays: `INSERT INTO usage_day AS sums (${DAY_FIELDS.join(', ')})
    SELECT ${DAY_FIELDS.join(', ')} FROM ${givenRows(DAYS, DAY_FIELDS)} WHERE true
    ON CONFLICT (${DAYS.key.join(', ')}) DO UPDATE SET
      row_count = sums.row_count + excluded.row_count, ${addedSql('sums', 'excluded')}`,
  symbolCounts: `SELECT identity_id AS "accountId", month, count(*) AS count FROM usage_symbol
    WHERE identity_id = ANY ($1) AND month = ANY ($2) GROUP BY identity_id, month`,
  addSymbols: `INSERT INTO usage_symbol (identity_id, month, symbol)
    SELECT identity_id, month, symbol
    FROM ${rowsIn('given', { identity_id: 'bigint', month: 'text', symbol: 'text' })} WHERE true
    ON CONFLICT DO NOTHING`,
  setKeysUsed: `UPDATE api_key SET last_used_at = greatest(coalesce(last_used_at, 0), used.at)
    FROM ${rowsIn('used', { key_id: 'bigint', at: 'bigint' })} WHERE api_key.key_id = used.key_id`,
  days: `SELECT day, key_id, dataset_id, ${DAY_COLUMNS.join(', ')} FROM usage_day
    WHERE identity_id = $1 AND day BETWEEN $2 AND $3 ORDER BY day, key_id, dataset_id`,
  firstUses: `SELECT count(*) AS "askedCount",
      count(*) FILTER (WHERE key_id <> ${SESSION_KEY_ID}) AS "byKeyCount"
    FROM usage_day WHERE identity_id = $1 AND scanned_bytes > 0`,
  total: `SELECT ${sumsSql(({ dayColumn }) => dayColumn)}
    FROM usage_day WHERE identity_id = $1 AND day BETWEEN $2 AND $3`,
  moments: `SELECT identity_id, max(answered_at) AS at, ${sumsSql(({ ledgerColumn }) => ledgerColumn)}
    FROM usage_ledger WHERE answered_at > $1 AND answered_at <= $2
    GROUP BY identity_id, answered_at / 1000 ORDER BY identity_id, at`,
  latest: `${LEDGER.select} WHERE identity_id = $1 AND ledger_id > $2 AND ledger_id < $3
      AND status >= $4 AND ($5::bigint IS NULL OR key_id = $5)
      AND ($6::text IS NULL OR dataset_id = $6)
    ORDER BY ledger_id DESC LIMIT $7`,
  // Found in the index alone.
  unexamined: `SELECT ledger_id AS "ledgerId" FROM usage_ledger
    WHERE identity_id = $1 AND ledger_id < $2
    ORDER BY ledger_id DESC LIMIT 1 OFFSET ${EXAMINED_ROWS_MAX}`,
  refused: `SELECT identity_id AS "accountId", count(*) AS "requestCount", max(answered_at) AS "lastAtMs"
    FROM usage_ledger WHERE status = ${LIMITED_STATUS} AND answered_at >= $1
    GROUP BY identity_id ORDER BY count(*) DESC, identity_id LIMIT $2`,
  answeredAt: 'SELECT answered_at AS at FROM usage_ledger WHERE ledger_id = $1',
  ledger: `${LEDGER.select}
    WHERE (answered_at, ledger_id) > ($1, $2) AND answered_at < $3
      AND ($4::bigint IS NULL OR identity_id = $4)
    ORDER BY answered_at, ledger_id LIMIT $5`,
  months: `SELECT used.*, (SELECT count(*) FROM usage_symbol AS named
      WHERE named.identity_id = used.identity_id AND named.month = used.month) AS symbol_count
    FROM (
      SELECT identity_id, substr(day, 1, 7) AS month, sum(row_count) AS row_count,
        ${sumsSql(({ dayColumn }) => dayColumn)}
      FROM usage_day WHERE day >= $1 AND day <= $2 AND ($3::bigint IS NULL OR identity_id = $3)
      GROUP BY 1, 2
    ) AS used ORDER BY month, identity_id`,
  deleteLedger: `DELETE FROM usage_ledger WHERE ledger_id IN
    (SELECT ledger_id FROM usage_ledger WHERE answered_at < $1
      ORDER BY answered_at, ledger_id LIMIT $2)`,
};

function ledgerRow(record: UsageRecord): RowFields {
  const countsInMinute = Number(record.countsInMinute);
  const symbols = (record.symbols ?? []).filter(isKeptSymbol);
  const [path, reason] = [storable(record.path ?? ''), storable(record.reason ?? '')];
  return LEDGER.rowOf({ ...record, countsInMinute, symbols, path, reason });
}

/** Sums that servers of a store have in common, in the transaction that writes usage. */
export interface CountedUsage {
  /** Before anything else of the records is written. */
  begin(queries: Queries, records: readonly UsageRecord[]): Promise<void>;
  /** The last thing of a transaction. */
  add(queries: Queries, records: readonly UsageRecord[]): Promise<void>;
}

export class UsageReader {
  protected readonly queries: Queries;

  constructor(queries: Queries) {
    this.queries = queries;
  }

  async firstUses(accountId: number): Promise<FirstUses> {
    type Counts = { readonly askedCount: number; readonly byKeyCount: number };
    const counts = await this.queries.get<Counts>(SQL.firstUses, accountId);
    const { askedCount = 0, byKeyCount = 0 } = counts ?? {};
    return { hasAsked: askedCount > 0, hasAskedByKey: byKeyCount > 0 };
  }

  /** Usage of an account over a range of days. */
  async total(accountId: number, { firstDay, lastDay }: DayRange): Promise<UsageAmounts> {
    return amountsOf(await this.queries.get(SQL.total, accountId, firstDay, lastDay));
  }

  /** Day by day, key by key and dataset by dataset. */
  async listDays(accountId: number, { firstDay, lastDay }: DayRange): Promise<DayUsage[]> {
    const rows = await this.queries.all(SQL.days, accountId, firstDay, lastDay);
    return rows.map((row) => ({
      day: String(row.day),
      keyId: Number(row.key_id),
      datasetId: String(row.dataset_id),
      ...amountsOf(row),
    }));
  }

  /**
   * Usage of each account after one moment and up to another: by account, oldest first, the
   * requests of a second taken together at the last one's time. `requests` are those that count in
   * the minute.
   */
  async listMoments(afterMs: number, untilMs: number): Promise<AccountMoment[]> {
    const rows = await this.queries.all(SQL.moments, afterMs, untilMs);
    return rows.map((row) => ({
      accountId: Number(row.identity_id),
      atMs: Number(row.at),
      ...amountsOf(row),
    }));
  }

  /**
   * Up to `limit` requests of an account, the latest first, before an id; 0: from the latest on. Of
   * those before it `EXAMINED_ROWS_MAX` are looked at.
   */
  async listLatest(filter: LedgerFilter, beforeId: number, limit: number): Promise<LatestRequests> {
    const { accountId, isRefused = false, keyId = null, datasetId = null } = filter;
    const before = beforeId || Number.MAX_SAFE_INTEGER;
    const unexamined = await this.queries.get(SQL.unexamined, accountId, before);
    const unexaminedId = unexamined ? Number(unexamined.ledgerId) : null;
    const rows = await this.queries.all(
      SQL.latest,
      accountId,
      unexaminedId ?? 0,
      before,
      isRefused ? REFUSED_FROM : 0,
      keyId,
      datasetId,
      limit,
    );
    return { rows: rows.map((row) => LEDGER.of(row)), unexaminedId };
  }

  /** Up to `limit` accounts with refused requests since a moment, those with most first. */
  listRefused(fromMs: number, limit: number): Promise<RefusedUsage[]> {
    return this.queries.all(SQL.refused, fromMs, limit);
  }

  /**
   * Up to `limit` ledger rows after the one with an id, by time; of all where it is 0. Where that
   * one has been deleted, so has all that was before it.
   */
  async listLedger(
    { accountId, fromMs, toMs }: LedgerSpan,
    afterId: number,
    limit: number,
  ): Promise<LedgerRow[]> {
    const after = await this.queries.get(SQL.answeredAt, afterId);
    const atMs = Number(after?.at ?? 0);
    const place = atMs < fromMs ? [fromMs, 0] : [atMs, afterId];
    const rows = await this.queries.all(SQL.ledger, ...place, toMs, accountId, limit);
    return rows.map((row) => LEDGER.of(row));
  }

  /** By month, then by account; of one account, or of all where it is null. */
  async listMonths(
    accountId: number | null,
    { firstMonth, lastMonth }: MonthRange,
  ): Promise<MonthUsage[]> {
    const days = [`${firstMonth}-01`, `${lastMonth}-31`];
    const rows = await this.queries.all(SQL.months, ...days, accountId);
    return rows.map((row) => ({
      accountId: Number(row.identity_id),
      month: String(row.month),
      rowCount: Number(row.row_count),
      symbolCount: Number(row.symbol_count),
      ...amountsOf(row),
    }));
  }
}

export class UsageTable extends UsageReader {
  readonly #counted: CountedUsage | null;

  constructor(queries: Queries, counted: CountedUsage | null) {
    super(queries);
    this.#counted = counted;
  }

  /** Writes requests to ledger, day sums and keys. */
  async add(records: readonly UsageRecord[]): Promise<void> {
    const { queries } = this;
    await this.#counted?.begin(queries, records);
    await queries.runEach(SQL.addToLedger, records.map(ledgerRow));
    await queries.runEach(SQL.addToDays, [...sumsByDay(records)].map(dayRow));
    await this.#addSymbols(records);
    const usedAtMs = new Map(records.map(({ keyId, answeredAtMs }) => [keyId, answeredAtMs]));
    const used = [...usedAtMs].map(([key_id, at]) => ({ key_id, at }));
    await queries.runEach(SQL.setKeysUsed, used);
    await this.#counted?.add(queries, records);
  }

  /**
   * Drops up to `limit` ledger rows that were answered before a moment, oldest first; says how
   * many.
   */
  deleteLedger(beforeMs: number, limit: number): Promise<number> {
    return this.queries.run(SQL.deleteLedger, beforeMs, limit);
  }

  /** Adds symbols up to the limit per account and month. */
  async #addSymbols(records: readonly UsageRecord[]): Promise<void> {
    const named = symbolsByMonth(records);
    if (named.length === 0) return;
    const accounts = [...new Set(named.map(([accountId]) => accountId))];
    const months = [...new Set(named.map(([, month]) => month))];
    type Counted = { readonly accountId: number; readonly month: string; readonly count: number };
    const counts = await this.queries.all<Counted>(SQL.symbolCounts, accounts, months);
    const known = new Map(counts.map((each) => [`${each.accountId} ${each.month}`, each.count]));
    const rows = named.flatMap(([identity_id, month, symbol]) => {
      const place = `${identity_id} ${month}`;
      const count = known.get(place) ?? 0;
      known.set(place, count + 1);
      return count < MONTH_SYMBOLS_MAX ? [{ identity_id, month, symbol }] : [];
    });
    await this.queries.runEach(SQL.addSymbols, rows);
  }
}
