/** The tables of usage: the ledger, and the sums by day. */
import { LIMITED_STATUS, QUANTITY_NAMES, type UsageAmounts } from '../quantities.ts';
import {
  type DayRange,
  type DayUsage,
  EXAMINED_ROWS_MAX,
  type FirstUses,
  type IdentityMoment,
  type LatestRequests,
  type LedgerFilter,
  type LedgerRow,
  type LedgerSpan,
  type MonthRange,
  type MonthUsage,
  type RefusedUsage,
  SESSION_KEY_ID,
  type UsageRecord,
  type UsageTable,
} from '../usage.ts';
import {
  addedSql,
  amountsOf,
  DAY_COLUMNS,
  MONTH_SYMBOLS_MAX,
  sumsByDay,
  sumsSql,
  symbolsByMonth,
  symbolsText,
} from '../usage-sums.ts';
import { addCounted, beginMonths } from './counted-usage.ts';
import { columnsOf, type Queries, type Row, selected, unnested } from './queries.ts';

type LedgerField = Exclude<keyof UsageRecord, 'isReserved'>;

/** The columns of the ledger and their types, by the fields of records. */
const LEDGER: Readonly<Record<LedgerField, readonly [column: string, type: string]>> = {
  answeredAtMs: ['answered_at', 'bigint'],
  requestId: ['request_id', 'text'],
  identityId: ['identity_id', 'bigint'],
  keyId: ['key_id', 'bigint'],
  datasetId: ['dataset_id', 'text'],
  datasetVersion: ['dataset_version', 'bigint'],
  countsInMinute: ['counts_in_minute', 'integer'],
  rowCount: ['row_count', 'bigint'],
  scannedBytes: ['scanned_bytes', 'bigint'],
  returnedBytes: ['returned_bytes', 'bigint'],
  durationMs: ['duration_ms', 'double precision'],
  status: ['status', 'integer'],
  symbols: ['symbols', 'text'],
};

const FIELDS = Object.keys(LEDGER) as LedgerField[];
const LEDGER_COLUMNS = FIELDS.map((field) => LEDGER[field][0]);

const LEDGER_FIELDS = selected(
  Object.fromEntries(FIELDS.map((field) => [field, LEDGER[field][0]])),
);

export const LEDGER_OF_IDENTITY_SCHEMA =
  'CREATE INDEX usage_ledger_of_identity ON ticklake.usage_ledger (identity_id, ledger_id)';

/** Refusals are few, and asked for often. */
export const REFUSED_USAGE_SCHEMA = `CREATE INDEX usage_ledger_refused
  ON ticklake.usage_ledger (answered_at, identity_id) WHERE status = ${LIMITED_STATUS}`;

/** The first status of requests that were refused or failed. */
const REFUSED_FROM = 400;

const SQL = {
  addToLedger: `INSERT INTO ticklake.usage_ledger (${LEDGER_COLUMNS.join(', ')})
    SELECT * FROM ${unnested(FIELDS.map((field) => LEDGER[field][1]))}`,
  addToDays: `INSERT INTO ticklake.usage_day AS sum
      (identity_id, day, key_id, dataset_id, row_count, ${DAY_COLUMNS.join(', ')})
    SELECT * FROM ${unnested(['bigint', 'text', 'bigint', 'text', 'bigint', ...DAY_COLUMNS.map(() => 'bigint')])}
    ON CONFLICT (identity_id, day, key_id, dataset_id) DO UPDATE SET
      row_count = sum.row_count + excluded.row_count, ${addedSql('sum', 'excluded')}`,
  addSymbols: `INSERT INTO ticklake.usage_symbol (identity_id, month, symbol)
    SELECT * FROM ${unnested(['bigint', 'text', 'text'])} AS given (identity_id, month, symbol)
      WHERE (identity_id, month) NOT IN (
        SELECT identity_id, month FROM ticklake.usage_symbol
        WHERE identity_id = ANY ($1) AND month = ANY ($2)
        GROUP BY 1, 2 HAVING count(*) >= ${MONTH_SYMBOLS_MAX}
      )
    ON CONFLICT DO NOTHING`,
  setKeysUsed: `UPDATE ticklake.api_key AS key SET last_used_at = greatest(last_used_at, used.at)
    FROM ${unnested(['bigint', 'bigint'])} AS used (key_id, at) WHERE key.key_id = used.key_id`,
  days: `SELECT day, key_id, dataset_id, ${DAY_COLUMNS.join(', ')} FROM ticklake.usage_day
    WHERE identity_id = $1 AND day BETWEEN $2 AND $3 ORDER BY day, key_id, dataset_id`,
  firstUses: `SELECT count(*) > 0 AS "hasAsked",
      coalesce(bool_or(key_id <> ${SESSION_KEY_ID}), false) AS "hasAskedByKey"
    FROM ticklake.usage_day WHERE identity_id = $1 AND scanned_bytes > 0`,
  total: `SELECT ${sumsSql(({ dayColumn }) => dayColumn)}
    FROM ticklake.usage_day WHERE identity_id = $1 AND day BETWEEN $2 AND $3`,
  moments: `SELECT identity_id, max(answered_at) AS at, ${sumsSql(({ ledgerColumn }) => ledgerColumn)}
    FROM ticklake.usage_ledger WHERE answered_at > $1 AND answered_at <= $2
    GROUP BY identity_id, answered_at / 1000 ORDER BY identity_id, at`,
  latest: `SELECT ledger_id AS "ledgerId", ${LEDGER_FIELDS}
    FROM ticklake.usage_ledger WHERE identity_id = $1 AND ledger_id > $2 AND ledger_id < $3
      AND status >= $4 AND ($5::bigint IS NULL OR key_id = $5)
      AND ($6::text IS NULL OR dataset_id = $6)
    ORDER BY ledger_id DESC LIMIT $7`,
  // Found in the index alone.
  unexamined: `SELECT ledger_id AS "ledgerId" FROM ticklake.usage_ledger
    WHERE identity_id = $1 AND ledger_id < $2
    ORDER BY ledger_id DESC LIMIT 1 OFFSET ${EXAMINED_ROWS_MAX}`,
  refused: `SELECT identity_id AS "identityId", count(*) AS "requestCount", max(answered_at) AS "lastAtMs"
    FROM ticklake.usage_ledger WHERE status = ${LIMITED_STATUS} AND answered_at >= $1
    GROUP BY identity_id ORDER BY count(*) DESC, identity_id LIMIT $2`,
  answeredAt: 'SELECT answered_at AS at FROM ticklake.usage_ledger WHERE ledger_id = $1',
  ledger: `SELECT ledger_id AS "ledgerId", ${LEDGER_FIELDS}
    FROM ticklake.usage_ledger
    WHERE (answered_at, ledger_id) > ($1, $2) AND answered_at < $3
      AND ($4::bigint IS NULL OR identity_id = $4)
    ORDER BY answered_at, ledger_id LIMIT $5`,
  months: `SELECT used.*, (SELECT count(*) FROM ticklake.usage_symbol AS named
      WHERE named.identity_id = used.identity_id AND named.month = used.month) AS symbol_count
    FROM (
      SELECT identity_id, left(day, 7) AS month, sum(row_count) AS row_count,
        ${sumsSql(({ dayColumn }) => dayColumn)}
      FROM ticklake.usage_day WHERE day >= $1 AND day <= $2 AND ($3::bigint IS NULL OR identity_id = $3)
      GROUP BY 1, 2
    ) AS used ORDER BY month, identity_id`,
  deleteLedger: `DELETE FROM ticklake.usage_ledger WHERE ledger_id IN
    (SELECT ledger_id FROM ticklake.usage_ledger WHERE answered_at < $1
      ORDER BY answered_at, ledger_id LIMIT $2)`,
};

function ledgerRow(record: UsageRecord) {
  const row = {
    ...record,
    countsInMinute: Number(record.countsInMinute),
    symbols: symbolsText(record),
  };
  return FIELDS.map((field) => row[field]);
}

function recordOf(row: Row): LedgerRow {
  const symbols = JSON.parse(String(row.symbols));
  return { ...row, countsInMinute: row.countsInMinute === 1, symbols } as unknown as LedgerRow;
}

export class PostgresUsage implements UsageTable {
  readonly #queries: Queries;
  readonly #serverId: string;

  constructor(queries: Queries, serverId: string) {
    this.#queries = queries;
    this.#serverId = serverId;
  }

  async add(records: readonly UsageRecord[]): Promise<void> {
    await beginMonths(this.#queries, records);
    const ledger = columnsOf(records.map(ledgerRow), FIELDS.length);
    await this.#queries.run(SQL.addToLedger, ...ledger);
    const sums = [...sumsByDay(records)].map(({ place, amounts, rowCount }) => [
      ...place,
      rowCount,
      ...QUANTITY_NAMES.map((quantity) => amounts[quantity]),
    ]);
    await this.#queries.run(SQL.addToDays, ...columnsOf(sums, 5 + DAY_COLUMNS.length));
    const named = symbolsByMonth(records);
    if (named.length > 0) await this.#queries.run(SQL.addSymbols, ...columnsOf(named, 3));
    const usedAtMs = new Map(records.map(({ keyId, answeredAtMs }) => [keyId, answeredAtMs]));
    await this.#queries.run(SQL.setKeysUsed, ...columnsOf([...usedAtMs], 2));
    await addCounted(this.#queries, this.#serverId, records);
  }

  async firstUses(identityId: number): Promise<FirstUses> {
    const row = await this.#queries.get<FirstUses>(SQL.firstUses, identityId);
    return row ?? { hasAsked: false, hasAskedByKey: false };
  }

  async total(identityId: number, { firstDay, lastDay }: DayRange): Promise<UsageAmounts> {
    return amountsOf(await this.#queries.get(SQL.total, identityId, firstDay, lastDay));
  }

  async listDays(identityId: number, { firstDay, lastDay }: DayRange): Promise<DayUsage[]> {
    const rows = await this.#queries.all<Row>(SQL.days, identityId, firstDay, lastDay);
    return rows.map((row) => ({
      day: String(row.day),
      keyId: Number(row.key_id),
      datasetId: String(row.dataset_id),
      ...amountsOf(row),
    }));
  }

  async listMoments(afterMs: number, untilMs: number): Promise<IdentityMoment[]> {
    const rows = await this.#queries.all<Row>(SQL.moments, afterMs, untilMs);
    return rows.map((row) => ({
      identityId: Number(row.identity_id),
      atMs: Number(row.at),
      ...amountsOf(row),
    }));
  }

  async listLatest(filter: LedgerFilter, beforeId: number, limit: number): Promise<LatestRequests> {
    const { identityId, isRefused = false, keyId = null, datasetId = null } = filter;
    const before = beforeId || Number.MAX_SAFE_INTEGER;
    const unexamined = await this.#queries.get<Row>(SQL.unexamined, identityId, before);
    const unexaminedId = unexamined ? Number(unexamined.ledgerId) : null;
    const rows = await this.#queries.all<Row>(
      SQL.latest,
      identityId,
      unexaminedId ?? 0,
      before,
      isRefused ? REFUSED_FROM : 0,
      keyId,
      datasetId,
      limit,
    );
    return { rows: rows.map(recordOf), unexaminedId };
  }

  listRefused(fromMs: number, limit: number): Promise<RefusedUsage[]> {
    return this.#queries.all(SQL.refused, fromMs, limit);
  }

  /** Where the rows after one begin: behind a time, and the id of a row of that time. */
  async #ledgerPlace(
    fromMs: number,
    afterId: number,
  ): Promise<readonly [atMs: number, ledgerId: number]> {
    const row = await this.#queries.get<Row>(SQL.answeredAt, afterId);
    const atMs = Number(row?.at ?? 0);
    return atMs < fromMs ? [fromMs, 0] : [atMs, afterId];
  }

  async listLedger(
    { identityId, fromMs, toMs }: LedgerSpan,
    afterId: number,
    limit: number,
  ): Promise<LedgerRow[]> {
    const place = await this.#ledgerPlace(fromMs, afterId);
    const values = [...place, toMs, identityId, limit];
    return (await this.#queries.all<Row>(SQL.ledger, ...values)).map(recordOf);
  }

  async listMonths(
    identityId: number | null,
    { firstMonth, lastMonth }: MonthRange,
  ): Promise<MonthUsage[]> {
    const days = [`${firstMonth}-01`, `${lastMonth}-31`];
    const rows = await this.#queries.all<Row>(SQL.months, ...days, identityId);
    return rows.map((row) => ({
      identityId: Number(row.identity_id),
      month: String(row.month),
      rowCount: Number(row.row_count),
      symbolCount: Number(row.symbol_count),
      ...amountsOf(row),
    }));
  }

  deleteLedger(beforeMs: number, limit: number): Promise<number> {
    return this.#queries.run(SQL.deleteLedger, beforeMs, limit);
  }
}
