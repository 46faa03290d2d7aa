/** The ledger of permanent numbers: which security has which, and what is known of its tickers. */
import type { LakeDatabase } from './lake-records.ts';
import type { Queries } from './queries.ts';
import { Records } from './records.ts';
import { givenRows, tableNamed } from './schema.ts';

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

const SECURITIES = new Records<Security>({ table: 'security', json: { periods: JSON.parse } });
const TABLE = tableNamed('security');
const COLUMNS = Object.keys(TABLE.columns);

const SQL = {
  all: `${SECURITIES.select} ORDER BY security_id`,
  keep: `INSERT INTO security (${COLUMNS.join(', ')})
    SELECT ${COLUMNS.join(', ')} FROM ${givenRows(TABLE, COLUMNS)} WHERE true
    ON CONFLICT (security_id) DO UPDATE SET
      ${COLUMNS.map((column) => `${column} = excluded.${column}`).join(', ')}`,
};

async function readAll(queries: Pick<Queries, 'all'>): Promise<Security[]> {
  return (await queries.all(SQL.all)).map((row) => SECURITIES.of(row));
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
      const rows = assignment.changed.map((security) => SECURITIES.rowOf(security));
      if (rows.length > 0) await queries.runEach(SQL.keep, rows);
      return assignment;
    });
  }
}
