/** Recent symbol tables, shared by accounts with equal rules. */
import { LRUCache } from 'lru-cache';
import { walkFingerprint } from '../engine/plan-fingerprint.ts';
import type { QueryPlan } from '../engine/query-plan.ts';
import { reusedTickers } from './reused-tickers.ts';
import { SecuritySearch } from './search-securities.ts';
import { MASTER_COLUMNS, type MasterColumn, type Security, TICKER_COLUMNS } from './security.ts';
import { SymbolTable } from './symbol-table.ts';

/** Securities of all tables together, each some kilobytes. */
const SECURITIES_MAX = 100_000;
/** Uses of tickers that several companies have had, of all sets of them together. */
const USES_MAX = 200_000;

export interface KnownSecurities {
  readonly table: SymbolTable;
  readonly search: SecuritySearch;
}

interface Making<T> {
  /** Columns of the security master that it needs. */
  readonly columns: readonly MasterColumn[];
  readonly sizeMax: number;
  readonly sizeOf: (made: T) => number;
  readonly make: (securities: readonly Security[]) => T | Promise<T>;
}

/** Tables of the securities that a plan finds, if they fit. */
export class MadeOfSecurities<T extends {}> {
  readonly columns: readonly MasterColumn[];
  readonly #make: Making<T>['make'];
  readonly #made: LRUCache<string, T>;

  constructor({ columns, sizeMax, sizeOf, make }: Making<T>) {
    this.columns = columns;
    this.#make = make;
    this.#made = new LRUCache({ maxSize: sizeMax, sizeCalculation: (made) => sizeOf(made) + 1 });
  }

  get(plan: QueryPlan): T | undefined {
    return this.#made.get(walkFingerprint(plan));
  }

  async put(plan: QueryPlan, securities: readonly Security[]): Promise<T> {
    const made = await this.#make(securities);
    this.#made.set(walkFingerprint(plan), made);
    return made;
  }
}

export class SymbolTables {
  readonly known = new MadeOfSecurities<KnownSecurities>({
    columns: MASTER_COLUMNS,
    sizeMax: SECURITIES_MAX,
    sizeOf: ({ table }) => table.securities.length,
    make: async (securities) => ({
      table: new SymbolTable(securities),
      search: await SecuritySearch.of(securities),
    }),
  });

  /** Needed by requests for rows: small, so that all of them are kept. */
  readonly reusedTickers = new MadeOfSecurities({
    columns: TICKER_COLUMNS,
    sizeMax: USES_MAX,
    sizeOf: (tickers) => [...tickers.values()].flat().length,
    make: reusedTickers,
  });
}
