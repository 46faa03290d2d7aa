/** The securities that were asked for last: those of the same rows, which accounts of equal rules share. */
import { LRUCache } from 'lru-cache';
import { rowsFingerprint } from '../engine/plan-fingerprint.ts';
import type { QueryPlan } from '../engine/query-plan.ts';
import { SecuritySearch } from './search-securities.ts';
import type { Security } from './security.ts';
import { SymbolTable } from './symbol-table.ts';

/** Securities of all tables together, each some kilobytes. */
const SECURITIES_MAX = 100_000;

export interface KnownSecurities {
  readonly table: SymbolTable;
  readonly search: SecuritySearch;
}

export class SymbolTables {
  readonly #known = new LRUCache<string, KnownSecurities>({
    maxSize: SECURITIES_MAX,
    sizeCalculation: ({ table }) => table.securities.length + 1,
  });

  get(plan: QueryPlan): KnownSecurities | undefined {
    return this.#known.get(rowsFingerprint(plan));
  }

  async put(plan: QueryPlan, securities: readonly Security[]): Promise<KnownSecurities> {
    const table = new SymbolTable(securities);
    const known = { table, search: await SecuritySearch.of(securities) };
    this.#known.set(rowsFingerprint(plan), known);
    return known;
  }
}
