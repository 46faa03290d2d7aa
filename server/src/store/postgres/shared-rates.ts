/**
 * Rates per minute, counted by all servers. Lost in a crash of the database, which does no harm.
 */
import { hash } from 'node:crypto';
import type { Queries } from '../queries.ts';
import type { SharedRates } from '../shared.ts';

const RATE_LOCK_SPACE = 0x71c41a50;
const MINUTE_MICROSECONDS = 60_000_000;
/** More than any limit; a subject that is counted more often forgets the oldest. */
const MOMENTS_MAX = 240;

export const SHARED_RATES_SCHEMA = `
  CREATE UNLOGGED TABLE ticklake.rate_moments (
    -- SHA-256: in place of an e-mail address, people type passwords.
    subject bytea PRIMARY KEY,
    -- Microseconds since 1970.
    moments bigint[] NOT NULL,
    last_at timestamptz NOT NULL
  );
  CREATE INDEX rate_moments_by_time ON ticklake.rate_moments (last_at);

  -- Each statement sees what was committed before it began, so the locks come first, always in the same order.
  CREATE FUNCTION ticklake.rate_count(judged bytea[], counted bytea[], times_max integer)
  RETURNS bigint LANGUAGE plpgsql AS $$
  DECLARE
    now_at timestamptz;
    now_us bigint;
  BEGIN
    PERFORM pg_advisory_xact_lock(${RATE_LOCK_SPACE}, ordered.key) FROM (
      SELECT DISTINCT hashtext(encode(each, 'hex')) AS key FROM unnest(judged || counted) AS each
      ORDER BY key
    ) AS ordered;
    now_at := clock_timestamp();
    now_us := (extract(epoch FROM now_at) * 1000000)::bigint;
    IF EXISTS (
      SELECT FROM ticklake.rate_moments WHERE subject = ANY (judged) AND times_max <= (
        SELECT count(*) FROM unnest(moments) AS moment WHERE moment > now_us - ${MINUTE_MICROSECONDS})
    ) THEN
      RETURN NULL;
    END IF;
    INSERT INTO ticklake.rate_moments AS known (subject, moments, last_at)
      SELECT each, ARRAY[now_us], now_at FROM unnest(counted) AS each
      ON CONFLICT (subject) DO UPDATE SET last_at = excluded.last_at, moments = excluded.moments || ARRAY(
        SELECT moment FROM unnest(known.moments) AS moment
        WHERE moment > now_us - ${MINUTE_MICROSECONDS} ORDER BY moment DESC LIMIT ${MOMENTS_MAX - 1});
    RETURN now_us;
  END $$;
`;

/** A list of bytes is no value that statements take. */
const bytesOf = (place: string) =>
  `ARRAY(SELECT decode(each, 'hex') FROM unnest(${place}::text[]) AS each)`;

const SQL = {
  count: `SELECT rate_count(${bytesOf('$1')}, ${bytesOf('$2')}, $3) AS moment`,
  forget: `DELETE FROM rate_moments WHERE last_at < clock_timestamp() - interval '1 minute'`,
  takeBack: `UPDATE rate_moments SET moments = array_remove(moments, $2::bigint)
    WHERE subject IN (SELECT decode(each, 'hex') FROM unnest($1::text[]) AS each)`,
};

function keysOf(subjects: readonly string[]): string[] {
  return subjects.map((subject) => hash('sha256', subject)).sort();
}

export class PostgresSharedRates implements SharedRates {
  readonly #queries: Queries;

  constructor(queries: Queries) {
    this.#queries = queries;
  }

  async count(
    judged: readonly string[],
    counted: readonly string[],
    timesMax: number,
  ): Promise<number | null> {
    const [judgedKeys, countedKeys] = [keysOf(judged), keysOf(counted)];
    const row = await this.#queries.get<{ moment: number | null }>(
      SQL.count,
      judgedKeys,
      countedKeys,
      timesMax,
    );
    return row?.moment ?? null;
  }

  async takeBack(counted: readonly string[], moment: number): Promise<void> {
    await this.#queries.run(SQL.takeBack, keysOf(counted), moment);
  }

  /** Has the table hold no more than is counted within some minutes. */
  async maintain(): Promise<void> {
    await this.#queries.run(SQL.forget);
  }
}
