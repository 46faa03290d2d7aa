/** What servers count together within a minute. */
import { hash } from 'node:crypto';
import type { SharedRates } from '../shared-rates.ts';
import type { Queries } from './queries.ts';
import { FORGET_RATES } from './shared-rates-schema.ts';

/** A list of bytes is no value that statements take. */
const bytesOf = (place: string) =>
  `ARRAY(SELECT decode(each, 'hex') FROM unnest(${place}::text[]) AS each)`;

const SQL = {
  count: `SELECT ticklake.rate_count(${bytesOf('$1')}, ${bytesOf('$2')}, $3) AS moment`,
  takeBack: `UPDATE ticklake.rate_moments SET moments = array_remove(moments, $2::bigint)
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
    await this.#queries.run(FORGET_RATES);
  }
}
