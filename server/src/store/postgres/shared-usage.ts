/** Usage that servers count together in PostgreSQL. */
import { randomUUID } from 'node:crypto';
import { WINDOW_MS } from '../../base/rate-window.ts';
import {
  ofEachQuantity,
  QUANTITIES,
  QUANTITY_NAMES,
  type QuotaSpan,
  type QuotaUsage,
  type UsageAmounts,
} from '../quantities.ts';
import type { Queries, Row } from '../queries.ts';
import type { AccountReservation, DecidedUsage, DecisionTime, SharedUsage } from '../shared.ts';
import type { MomentUsage } from '../usage.ts';
import { SERVER_SILENCE_SECONDS } from './usage-schema.ts';

const SPANS: readonly QuotaSpan[] = ['month', 'minute'];
const AMOUNTS = SPANS.flatMap((span) =>
  QUANTITY_NAMES.map((quantity) => `${span}_${QUANTITIES[quantity].dayColumn}`),
).join(', ');

const SQL = {
  reserve: `SELECT ${AMOUNTS}, is_put_off FROM usage_reserve(
    $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)`,
  read: `SELECT ${AMOUNTS}, ahead FROM usage_now($1, $2, $3, $4)`,
  minute: `SELECT last_at, requests, scanned_bytes, returned_bytes FROM usage_second
    WHERE identity_id = $1 AND last_at > $2 ORDER BY last_at`,
  hear: `INSERT INTO usage_server (server_id, heard_at) VALUES ($1, now())
    ON CONFLICT (server_id) DO UPDATE SET heard_at = now()`,
  forgetServers: `DELETE FROM usage_server
    WHERE heard_at < now() - make_interval(secs => ${SERVER_SILENCE_SECONDS})`,
  // In one step: what has ended is never left without what was let in.
  dropReserved: `WITH living AS (SELECT server_id FROM usage_server),
    dropped AS (DELETE FROM usage_reserved WHERE server_id NOT IN (SELECT * FROM living))
    DELETE FROM usage_ended WHERE server_id NOT IN (SELECT * FROM living)`,
};

function amountsOf(row: Row | undefined, span: QuotaSpan): UsageAmounts {
  return ofEachQuantity((quantity) =>
    Number(row?.[`${span}_${QUANTITIES[quantity].dayColumn}`] ?? 0),
  );
}

function usageOf(row: Row | undefined): QuotaUsage {
  return { month: amountsOf(row, 'month'), minute: amountsOf(row, 'minute') };
}

/** Requests of both spans less. */
function lessened({ month, minute }: QuotaUsage, count: number): QuotaUsage {
  return {
    month: { ...month, requests: month.requests - count },
    minute: { ...minute, requests: minute.requests - count },
  };
}

export class PostgresSharedUsage implements SharedUsage {
  /** One for each time that a store is opened: what an earlier one reserved is not this one's. */
  readonly serverId = randomUUID();
  readonly #queries: Queries;
  readonly #reserving: Queries;

  /** `reserving`: a connection for what requests wait for, which nothing else keeps busy. */
  constructor(queries: Queries, reserving: Queries) {
    this.#queries = queries;
    this.#reserving = reserving;
  }

  async reserve(
    accounts: readonly AccountReservation[],
    { nowMs, month }: DecisionTime,
  ): Promise<readonly DecidedUsage[]> {
    const rows = await this.#reserving.all(
      SQL.reserve,
      this.serverId,
      accounts.map(({ accountId }) => accountId),
      ...SPANS.map((span) => accounts.map(({ requestCounts }) => requestCounts[span])),
      ...SPANS.map((span) => accounts.map(({ droppedCounts }) => droppedCounts[span])),
      accounts.map(({ sendingBytes }) => sendingBytes),
      accounts.map(({ held }) => held.number),
      accounts.map(({ held }) => held.takenCount),
      accounts.map(({ nextNumber }) => nextNumber),
      accounts.map(({ aheadCount }) => aheadCount),
      ...SPANS.map((span) => accounts.map(({ limits }) => limits[span])),
      ...[month.firstDay, month.lastDay, nowMs],
    );
    return rows.map((row) => ({ used: usageOf(row), isPutOff: row.is_put_off === true }));
  }

  async read(accountId: number, { nowMs, month }: DecisionTime): Promise<QuotaUsage> {
    const { firstDay, lastDay } = month;
    const row = await this.#queries.get(SQL.read, accountId, firstDay, lastDay, nowMs);
    return lessened(usageOf(row), Number(row?.ahead ?? 0));
  }

  async minute(accountId: number, nowMs: number): Promise<readonly MomentUsage[]> {
    const rows = await this.#queries.all(SQL.minute, accountId, nowMs - WINDOW_MS);
    return rows.map((row) => ({
      ...ofEachQuantity((quantity) => Number(row[QUANTITIES[quantity].dayColumn])),
      atMs: Number(row.last_at),
    }));
  }

  /** Tells others that this server lives, and drops what dead ones have reserved. */
  async maintain(): Promise<void> {
    await this.#queries.run(SQL.hear, this.serverId);
    await this.#queries.run(SQL.forgetServers);
    await this.#queries.run(SQL.dropReserved);
  }
}
