/** The securities that were asked for last: those of the same rows, which accounts of equal rules share. */
import { LRUCache } from 'lru-cache';
import { rowsFingerprint } from '../engine/plan-fingerprint.ts';
import type { QueryPlan } from '../engine/query-plan.ts';
import { type ReusedTickers, reusedTickers } from './reused-tickers.ts';
import { SecuritySearch } from './search-securities.ts';
import type { Security } from './security.ts';
import { SymbolTable } from './symbol-table.ts';

/** Securities of all tables together, each some kilobytes. */
const SECURITIES_MAX = 100_000;

export interface KnownSecurities {
  readonly table: SymbolTable;
  readonly search: SecuritySearch;
  readonly reused: ReusedTickers;
}

/** Uses of tickers that several companies have had, of all tables together. */
const USES_MAX = 200_000;

export class SymbolTables {
  readonly #known = new LRUCache<string, KnownSecurities>({
    maxSize: SECURITIES_MAX,
    sizeCalculation: ({ table }) => table.securities.length + 1,
  });

  /** They are few, and kept for longer: requests for rows ask for them, too. */
  readonly #reused = new LRUCache<string, ReusedTickers>({
    maxSize: USES_MAX,
    sizeCalculation: (tickers) => [...tickers.values()].flat().length + 1,
  });

  get(plan: QueryPlan): KnownSecurities | undefined {
    return this.#known.get(rowsFingerprint(plan));
  }

  reusedTickers(plan: QueryPlan): ReusedTickers | undefined {
    return this.#reused.get(rowsFingerprint(plan));
  }

  async put(plan: QueryPlan, securities: readonly Security[]): Promise<KnownSecurities> {
    const table = new SymbolTable(securities);
    const reused = reusedTickers(securities);
    const known = { table, reused, search: await SecuritySearch.of(securities) };
    const fingerprint = rowsFingerprint(plan);
    this.#known.set(fingerprint, known);
    this.#reused.set(fingerprint, reused);
    return known;
  }
}
