/** Brings usage records into the sums that servers share, in the transaction that writes them. */
import { WINDOW_MS } from '../../base/rate-window.ts';
import {
  addUsage,
  noUsage,
  QUANTITY_NAMES,
  type QuotaSpan,
  type UsageSums,
  usageOf,
} from '../quantities.ts';
import type { Queries } from '../queries.ts';
import { addedSql, DAY_COLUMNS, type UsageRecord, utcDay } from '../usage.ts';
import type { CountedUsage } from '../usage-table.ts';

const SECOND_MS = 1000;
/** Keep expired seconds a little longer, for servers with slow clocks. */
const CLOCKS_APART_MS = 15_000;
const COLUMNS = DAY_COLUMNS.join(', ');
const AMOUNT_LISTS = '$3::bigint[], $4::bigint[], $5::bigint[]';

const SQL = {
  beginMonths: 'SELECT usage_begin_months($1, $2, $3)',
  addToMonths: `UPDATE usage_month AS sum SET ${addedSql('sum', 'given')}
    FROM unnest($1::bigint[], $2::text[], ${AMOUNT_LISTS})
      AS given (identity_id, first_day, ${COLUMNS})
    WHERE sum.identity_id = given.identity_id AND sum.first_day = given.first_day`,
  addToSeconds: `INSERT INTO usage_second AS sum
      (identity_id, last_at, second, ${COLUMNS})
    SELECT identity_id, last_at, last_at / ${SECOND_MS}, ${COLUMNS}
      FROM unnest($1::bigint[], $2::bigint[], ${AMOUNT_LISTS})
        AS given (identity_id, last_at, ${COLUMNS})
    ON CONFLICT (identity_id, second) DO UPDATE SET
      last_at = greatest(sum.last_at, excluded.last_at),
      ${addedSql('sum', 'excluded')}`,
  dropSeconds: `DELETE FROM usage_second
    WHERE identity_id = ANY ($1::bigint[]) AND last_at <= $2`,
  sumSeconds: `INSERT INTO usage_recent (identity_id, ${COLUMNS})
    SELECT account, ${DAY_COLUMNS.map((column) => `coalesce(sum(${column}), 0)`).join(', ')}
      FROM unnest($1::bigint[]) AS account
      LEFT JOIN usage_second ON identity_id = account GROUP BY account
    ON CONFLICT (identity_id) DO UPDATE SET
      ${DAY_COLUMNS.map((column) => `${column} = excluded.${column}`).join(', ')}`,
  release: 'SELECT usage_release($1, $2, $3, $4)',
};

interface Sum {
  readonly accountId: number;
  /** The first of its days, or the last of its moments. */
  at: string | number;
  readonly amounts: UsageSums;
}

/** Sums of an account and a while. */
function sumsOf(
  records: readonly UsageRecord[],
  span: QuotaSpan,
  whileOf: (record: UsageRecord) => string | number,
  atOf: (record: UsageRecord) => string | number,
): Sum[] {
  const sums = new Map<string, Sum>();
  for (const record of records) {
    const place = `${record.accountId} ${whileOf(record)}`;
    const at = atOf(record);
    const { accountId } = record;
    const sum = sums.getOrInsertComputed(place, () => ({ accountId, at, amounts: noUsage() }));
    if (at > sum.at) sum.at = at;
    addUsage(sum.amounts, usageOf(record, span));
  }
  return [...sums.values()];
}

function firstDayOf({ answeredAtMs }: UsageRecord): string {
  return `${utcDay(answeredAtMs).slice(0, 7)}-01`;
}

const LAST_DAY = '31';

function monthSums(records: readonly UsageRecord[]): Sum[] {
  return sumsOf(records, 'month', firstDayOf, firstDayOf);
}

function secondSums(records: readonly UsageRecord[]): Sum[] {
  const atOf = ({ answeredAtMs }: UsageRecord) => Math.floor(answeredAtMs);
  return sumsOf(records, 'minute', (record) => Math.floor(atOf(record) / SECOND_MS), atOf);
}

function listsOf(sums: readonly Sum[]) {
  return [
    sums.map(({ accountId }) => accountId),
    sums.map(({ at }) => at),
    ...QUANTITY_NAMES.map((quantity) => sums.map(({ amounts }) => amounts[quantity])),
  ] as const;
}

export class PostgresCountedUsage implements CountedUsage {
  readonly #serverId: string;

  /** `serverId`: who has reserved what is counted, see `shared-usage.ts`. */
  constructor(serverId: string) {
    this.#serverId = serverId;
  }

  /** Makes the sums of their months before the days have them, so that they are added once. */
  async begin(queries: Queries, records: readonly UsageRecord[]): Promise<void> {
    const accounts = Map.groupBy(monthSums(records), ({ at }) => String(at));
    for (const [firstDay, sums] of accounts) {
      const lastDay = firstDay.replace(/\d\d$/, LAST_DAY);
      const ids = sums.map(({ accountId }) => accountId);
      await queries.run(SQL.beginMonths, ids, firstDay, lastDay);
    }
  }

  /** Adds them to months and seconds, and ends what the server has reserved for them. */
  async add(queries: Queries, records: readonly UsageRecord[]): Promise<void> {
    await queries.run(SQL.addToMonths, ...listsOf(monthSums(records)));
    await queries.run(SQL.addToSeconds, ...listsOf(secondSums(records)));
    const accounts = [...new Set(records.map(({ accountId }) => accountId))];
    const lastAtMs = Math.max(...records.map(({ answeredAtMs }) => Math.floor(answeredAtMs)));
    await queries.run(SQL.dropSeconds, accounts, lastAtMs - WINDOW_MS - CLOCKS_APART_MS);
    await queries.run(SQL.sumSeconds, accounts);
    const reserved = records.filter(({ isReserved }) => isReserved);
    const held = accounts.map((account) => reserved.filter((each) => each.accountId === account));
    await queries.run(
      SQL.release,
      this.#serverId,
      accounts,
      held.map(({ length }) => length),
      held.map((each) => each.filter(({ countsInMinute }) => countsInMinute).length),
    );
  }
}
