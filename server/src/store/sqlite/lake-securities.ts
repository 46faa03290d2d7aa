/** The ledger of permanent numbers of securities. */
import type { Assignment, Securities, Security } from '../securities.ts';
import type { LakeDatabase } from './lake-database.ts';
import type { Row, Statement } from './statements.ts';

const SQL = {
  all: `SELECT security_id AS securityId, first_ticker AS firstTicker, first_date AS firstDate,
      history_name AS historyName, periods FROM security ORDER BY security_id`,
  keep: `INSERT INTO security VALUES (?, ?, ?, ?, ?) ON CONFLICT (security_id) DO UPDATE SET
    first_ticker = excluded.first_ticker, first_date = excluded.first_date,
    history_name = excluded.history_name, periods = excluded.periods`,
};

function securityOf(row: Row): Security {
  const { periods, ...fields } = row as unknown as Security & { readonly periods: never };
  return { ...fields, periods: JSON.parse(periods) };
}

export class SqliteSecurities implements Securities {
  readonly #database: LakeDatabase;
  readonly #statements: Readonly<Record<keyof typeof SQL, Statement>>;

  constructor(database: LakeDatabase) {
    this.#database = database;
    this.#statements = database.prepare(SQL);
  }

  async all(): Promise<readonly Security[]> {
    return this.#statements.all.all().map(securityOf);
  }

  async assign<T extends Assignment>(decide: (known: readonly Security[]) => T): Promise<T> {
    const { all, keep } = this.#statements;
    const kept = this.#database.change(() => {
      const assignment = decide(all.all().map(securityOf));
      for (const security of assignment.changed) {
        const { securityId, firstTicker, firstDate, historyName, periods } = security;
        keep.run(securityId, firstTicker, firstDate, historyName, JSON.stringify(periods));
      }
      return { assignment };
    });
    return kept.assignment;
  }
}
