/** The ledger of permanent numbers: which security has which, and what is known of its tickers. */
import type { LakeDatabase } from './lake-records.ts';
import { type Queries, rowsIn } from './queries.ts';

export interface TickerPeriod {
  readonly ticker: string;
  /** `YYYY-MM-DD`; `UNKNOWN_START` where no source says it. */
  readonly startDate: string;
  /** Included. */
  readonly endDate: string;
  /** Name of the venue that listed it; null where no source says it. */
  readonly venue: string | null;
}

/** Before every date. */
export const UNKNOWN_START = '0001-01-01';

export interface Security {
  /** Given once, to one security, for good. */
  readonly securityId: number;
  /** Identifies it together with the first date: the ticker that it began with. */
  readonly firstTicker: string;
  /** Null where the source has rows of a ticker, but no history. */
  readonly firstDate: string | null;
  /** The name of the source's history of it, such as a map file's; null: there is none. */
  readonly historyName: string | null;
  /** Oldest first. */
  readonly periods: readonly TickerPeriod[];
}

export interface Assignment {
  /** New and changed securities. */
  readonly changed: readonly Security[];
}

const SQL = {
  all: `SELECT security_id AS "securityId", first_ticker AS "firstTicker",
      first_date AS "firstDate", history_name AS "historyName", periods
    FROM security ORDER BY security_id`,
  keep: `INSERT INTO security (security_id, first_ticker, first_date, history_name, periods)
    SELECT security_id, first_ticker, first_date, history_name, periods FROM ${rowsIn('given', {
      ...{ security_id: 'bigint', first_ticker: 'text', first_date: 'text' },
      ...{ history_name: 'text', periods: 'text' },
    })} WHERE true
    ON CONFLICT (security_id) DO UPDATE SET
      first_ticker = excluded.first_ticker, first_date = excluded.first_date,
      history_name = excluded.history_name, periods = excluded.periods`,
};

async function readAll(queries: Pick<Queries, 'all'>): Promise<Security[]> {
  const rows = await queries.all<Security & { readonly periods: never }>(SQL.all);
  return rows.map(({ periods, ...fields }) => ({ ...fields, periods: JSON.parse(periods) }));
}

export class Securities {
  readonly #database: LakeDatabase;

  constructor(database: LakeDatabase) {
    this.#database = database;
  }

  /** In order of their numbers. */
  all(): Promise<readonly Security[]> {
    return readAll(this.#database);
  }

  /**
   * Keeps and returns what `decide` makes of all that is known, in one transaction: of two that
   * decide at the same time, one knows what the other has decided. Numbers are never taken back.
   */
  assign<T extends Assignment>(decide: (known: readonly Security[]) => T): Promise<T> {
    return this.#database.change(async (queries) => {
      const assignment = decide(await readAll(queries));
      const rows = assignment.changed.map((security) => ({
        security_id: security.securityId,
        first_ticker: security.firstTicker,
        first_date: security.firstDate,
        history_name: security.historyName,
        periods: JSON.stringify(security.periods),
      }));
      if (rows.length > 0) await queries.runEach(SQL.keep, rows);
      return assignment;
    });
  }
}
