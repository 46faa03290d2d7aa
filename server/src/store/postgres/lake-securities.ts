/** The ledger of permanent numbers of securities. */
import type { Assignment, Securities, Security } from '../securities.ts';
import type { LakeDatabase } from './lake-database.ts';
import { columnsOf, type Queries, unnested } from './queries.ts';

export const SECURITIES_SCHEMA = `
  CREATE TABLE ticklake.lake_security (
    -- Given once, and never to another one.
    security_id bigint PRIMARY KEY,
    first_ticker text COLLATE "C" NOT NULL,
    -- Null: a ticker without a history.
    first_date text COLLATE "C",
    history_name text,
    -- JSON array of the periods of its tickers.
    periods text NOT NULL
  );
  CREATE UNIQUE INDEX lake_security_first
    ON ticklake.lake_security (first_ticker, coalesce(first_date, ''));
`;

const SQL = {
  all: `SELECT security_id AS "securityId", first_ticker AS "firstTicker",
      first_date AS "firstDate", history_name AS "historyName", periods
    FROM ticklake.lake_security ORDER BY security_id`,
  keep: `INSERT INTO ticklake.lake_security
    SELECT * FROM ${unnested(['bigint', 'text', 'text', 'text', 'text'])}
    ON CONFLICT (security_id) DO UPDATE SET
      first_ticker = excluded.first_ticker, first_date = excluded.first_date,
      history_name = excluded.history_name, periods = excluded.periods`,
};

async function readAll(queries: Pick<Queries, 'all'>): Promise<Security[]> {
  const rows = await queries.all<Security & { readonly periods: never }>(SQL.all);
  return rows.map(({ periods, ...fields }) => ({ ...fields, periods: JSON.parse(periods) }));
}

export class PostgresSecurities implements Securities {
  readonly #database: LakeDatabase;

  constructor(database: LakeDatabase) {
    this.#database = database;
  }

  all(): Promise<readonly Security[]> {
    return readAll(this.#database);
  }

  assign<T extends Assignment>(decide: (known: readonly Security[]) => T): Promise<T> {
    return this.#database.change(async (queries) => {
      const assignment = decide(await readAll(queries));
      const rows = assignment.changed.map((security) => [
        security.securityId,
        security.firstTicker,
        security.firstDate,
        security.historyName,
        JSON.stringify(security.periods),
      ]);
      if (rows.length > 0) await queries.run(SQL.keep, ...columnsOf(rows, 5));
      return assignment;
    });
  }
}
