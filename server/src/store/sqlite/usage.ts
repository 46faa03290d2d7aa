/** The tables of usage: the ledger, and the sums by day. */

import type { UsageAmounts } from '../quantities.ts';
import { LIMITED_STATUS, QUANTITY_NAMES } from '../quantities.ts';
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
import type { Row, StatementSource } from './statements.ts';

export const LEDGER_OF_IDENTITY_SCHEMA =
  'CREATE INDEX usage_ledger_of_identity ON usage_ledger (identity_id, ledger_id)';

/** Refusals are few, and asked for often. */
export const REFUSED_USAGE_SCHEMA = `CREATE INDEX usage_ledger_refused
  ON usage_ledger (answered_at, identity_id) WHERE status = ${LIMITED_STATUS}`;

/** The first status of requests that were refused or failed. */
const REFUSED_FROM = 400;

function recordOf(row: Row): LedgerRow {
  return {
    ledgerId: Number(row.ledger_id),
    answeredAtMs: Number(row.answered_at),
    requestId: String(row.request_id),
    identityId: Number(row.identity_id),
    keyId: Number(row.key_id),
    datasetId: String(row.dataset_id),
    datasetVersion: row.dataset_version === null ? null : Number(row.dataset_version),
    countsInMinute: row.counts_in_minute === 1,
    rowCount: Number(row.row_count),
    scannedBytes: Number(row.scanned_bytes),
    returnedBytes: Number(row.returned_bytes),
    durationMs: Number(row.duration_ms),
    status: Number(row.status),
    symbols: JSON.parse(String(row.symbols)),
  };
}

export class SqliteUsage implements UsageTable {
  readonly #statements: StatementSource;

  constructor(statements: StatementSource) {
    this.#statements = statements;
  }

  async add(records: readonly UsageRecord[]): Promise<void> {
    this.#addToLedger(records);
    this.#addToDays(records);
    this.#addSymbols(records);
    this.#setKeysUsed(records);
  }

  #addToLedger(records: readonly UsageRecord[]): void {
    const insert = this.#statements.prepare(
      `INSERT INTO usage_ledger
         (answered_at, request_id, identity_id, key_id, dataset_id, dataset_version,
          counts_in_minute, row_count, scanned_bytes, returned_bytes, duration_ms, status,
          symbols)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    );
    for (const record of records) {
      insert.run(
        record.answeredAtMs,
        record.requestId,
        record.identityId,
        record.keyId,
        record.datasetId,
        record.datasetVersion,
        Number(record.countsInMinute),
        record.rowCount,
        record.scannedBytes,
        record.returnedBytes,
        record.durationMs,
        record.status,
        symbolsText(record),
      );
    }
  }

  #addToDays(records: readonly UsageRecord[]): void {
    const upsert = this.#statements.prepare(
      `INSERT INTO usage_day (identity_id, day, key_id, dataset_id, row_count, ${DAY_COLUMNS.join(', ')})
       VALUES (?, ?, ?, ?, ?${', ?'.repeat(DAY_COLUMNS.length)})
       ON CONFLICT DO UPDATE SET
         row_count = usage_day.row_count + excluded.row_count,
         ${addedSql('usage_day', 'excluded')}`,
    );
    for (const { place, amounts, rowCount } of sumsByDay(records)) {
      upsert.run(...place, rowCount, ...QUANTITY_NAMES.map((quantity) => amounts[quantity]));
    }
  }

  #addSymbols(records: readonly UsageRecord[]): void {
    const insert = this.#statements.prepare(
      'INSERT INTO usage_symbol (identity_id, month, symbol) VALUES (?, ?, ?) ON CONFLICT DO NOTHING',
    );
    const counting = this.#statements.prepare(
      'SELECT count(*) AS known FROM usage_symbol WHERE identity_id = ? AND month = ?',
    );
    const known = new Map<string, number>();
    for (const place of symbolsByMonth(records)) {
      const [identityId, month] = place;
      const key = `${identityId} ${month}`;
      if (!known.has(key)) known.set(key, Number(counting.get(identityId, month)?.known));
      const count = Number(known.get(key));
      if (count >= MONTH_SYMBOLS_MAX) continue;
      known.set(key, count + Number(insert.run(...place).changes));
    }
  }

  #setKeysUsed(records: readonly UsageRecord[]): void {
    const usedAtMs = new Map(records.map(({ keyId, answeredAtMs }) => [keyId, answeredAtMs]));
    const update = this.#statements.prepare('UPDATE api_key SET last_used_at = ? WHERE key_id = ?');
    for (const [keyId, atMs] of usedAtMs) update.run(atMs, keyId);
  }

  async total(identityId: number, { firstDay, lastDay }: DayRange): Promise<UsageAmounts> {
    const row = this.#statements
      .prepare(
        `SELECT ${sumsSql(({ dayColumn }) => dayColumn)}
         FROM usage_day WHERE identity_id = ? AND day BETWEEN ? AND ?`,
      )
      .get(identityId, firstDay, lastDay);
    return amountsOf(row);
  }

  async firstUses(identityId: number): Promise<FirstUses> {
    const exists = (condition: string) =>
      this.#statements
        .prepare(
          `SELECT 1 FROM usage_day WHERE identity_id = ? AND scanned_bytes > 0 ${condition} LIMIT 1`,
        )
        .get(identityId) !== undefined;
    return { hasAsked: exists(''), hasAskedByKey: exists(`AND key_id <> ${SESSION_KEY_ID}`) };
  }

  async listDays(identityId: number, { firstDay, lastDay }: DayRange): Promise<DayUsage[]> {
    return this.#statements
      .prepare(
        `SELECT * FROM usage_day WHERE identity_id = ? AND day BETWEEN ? AND ?
         ORDER BY day, key_id, dataset_id`,
      )
      .all(identityId, firstDay, lastDay)
      .map((row) => ({
        day: String(row.day),
        keyId: Number(row.key_id),
        datasetId: String(row.dataset_id),
        ...amountsOf(row),
      }));
  }

  async listMoments(afterMs: number, untilMs: number): Promise<IdentityMoment[]> {
    return this.#statements
      .prepare(
        `SELECT identity_id, max(answered_at) AS at, ${sumsSql(({ ledgerColumn }) => ledgerColumn)}
         FROM usage_ledger WHERE answered_at > ? AND answered_at <= ?
         GROUP BY identity_id, answered_at / 1000 ORDER BY identity_id, at`,
      )
      .all(afterMs, untilMs)
      .map((row) => ({
        identityId: Number(row.identity_id),
        atMs: Number(row.at),
        ...amountsOf(row),
      }));
  }

  /** Found in the index alone. */
  #unexaminedId(identityId: number, before: number): number | null {
    const row = this.#statements
      .prepare(
        `SELECT ledger_id FROM usage_ledger WHERE identity_id = ? AND ledger_id < ?
         ORDER BY ledger_id DESC LIMIT 1 OFFSET ${EXAMINED_ROWS_MAX}`,
      )
      .get(identityId, before);
    return row ? Number(row.ledger_id) : null;
  }

  async listLatest(filter: LedgerFilter, beforeId: number, limit: number): Promise<LatestRequests> {
    const { identityId, isRefused = false, keyId = null, datasetId = null } = filter;
    const before = beforeId || Number.MAX_SAFE_INTEGER;
    const unexaminedId = this.#unexaminedId(identityId, before);
    const rows = this.#statements
      .prepare(
        `SELECT * FROM usage_ledger WHERE identity_id = :identity
           AND ledger_id > :unexamined AND ledger_id < :before AND status >= :status
           AND (:key IS NULL OR key_id = :key) AND (:dataset IS NULL OR dataset_id = :dataset)
         ORDER BY ledger_id DESC LIMIT :limit`,
      )
      .all({
        identity: identityId,
        unexamined: unexaminedId ?? 0,
        before,
        status: isRefused ? REFUSED_FROM : 0,
        key: keyId,
        dataset: datasetId,
        limit,
      })
      .map(recordOf);
    return { rows, unexaminedId };
  }

  async listRefused(fromMs: number, limit: number): Promise<RefusedUsage[]> {
    return this.#statements
      .prepare(
        `SELECT identity_id, count(*) AS request_count, max(answered_at) AS last_at
         FROM usage_ledger WHERE status = ${LIMITED_STATUS} AND answered_at >= ?
         GROUP BY identity_id ORDER BY request_count DESC, identity_id LIMIT ?`,
      )
      .all(fromMs, limit)
      .map((row) => ({
        identityId: Number(row.identity_id),
        requestCount: Number(row.request_count),
        lastAtMs: Number(row.last_at),
      }));
  }

  /** Where the rows after one begin: behind a time, and the id of a row of that time. */
  #ledgerPlace(fromMs: number, afterId: number): readonly [atMs: number, ledgerId: number] {
    const row = this.#statements
      .prepare('SELECT answered_at FROM usage_ledger WHERE ledger_id = ?')
      .get(afterId);
    const atMs = Number(row?.answered_at ?? 0);
    return atMs < fromMs ? [fromMs, 0] : [atMs, afterId];
  }

  async listLedger(
    { identityId, fromMs, toMs }: LedgerSpan,
    afterId: number,
    limit: number,
  ): Promise<LedgerRow[]> {
    return this.#statements
      .prepare(
        `SELECT * FROM usage_ledger
         WHERE (answered_at, ledger_id) > (?, ?) AND answered_at < ?
           AND (? IS NULL OR identity_id = ?)
         ORDER BY answered_at, ledger_id LIMIT ?`,
      )
      .all(...this.#ledgerPlace(fromMs, afterId), toMs, identityId, identityId, limit)
      .map(recordOf);
  }

  async listMonths(
    identityId: number | null,
    { firstMonth, lastMonth }: MonthRange,
  ): Promise<MonthUsage[]> {
    return this.#statements
      .prepare(
        `SELECT used.*, (SELECT count(*) FROM usage_symbol AS named
             WHERE named.identity_id = used.identity_id AND named.month = used.month) AS symbol_count
         FROM (
           SELECT identity_id, substr(day, 1, 7) AS month, sum(row_count) AS row_count,
             ${sumsSql(({ dayColumn }) => dayColumn)}
           FROM usage_day WHERE day >= ? AND day <= ? AND (? IS NULL OR identity_id = ?)
           GROUP BY 1, 2
         ) AS used ORDER BY month, identity_id`,
      )
      .all(`${firstMonth}-01`, `${lastMonth}-31`, identityId, identityId)
      .map((row) => ({
        identityId: Number(row.identity_id),
        month: String(row.month),
        rowCount: Number(row.row_count),
        symbolCount: Number(row.symbol_count),
        ...amountsOf(row),
      }));
  }

  async deleteLedger(beforeMs: number, limit: number): Promise<number> {
    const { changes } = this.#statements
      .prepare(
        `DELETE FROM usage_ledger WHERE ledger_id IN
           (SELECT ledger_id FROM usage_ledger WHERE answered_at < ?
            ORDER BY answered_at, ledger_id LIMIT ?)`,
      )
      .run(beforeMs, limit);
    return Number(changes);
  }
}
