/** Adjustment factors that were read last, so that the pages of a walk do not read them again. */
import { LRUCache } from 'lru-cache';
import type { EngineReader } from '../engine/engine.ts';
import { rowsFingerprint } from '../engine/plan-fingerprint.ts';
import type { QueryPlan } from '../engine/query-plan.ts';
import { FactorEvents } from './factor-events.ts';

/** Events of all tables together, some 40 bytes each. */
const EVENTS_MAX = 2_000_000;
const TOLD_PAGES_MAX = 1000;

export class FactorTables {
  readonly #tables = new LRUCache<string, FactorEvents>({
    maxSize: EVENTS_MAX,
    sizeCalculation: ({ count }) => count + 1,
  });

  /** Headers of pages that were made before, by all rows that decide about them. */
  readonly told = new LRUCache<string, string>({ max: TOLD_PAGES_MAX });

  async read(
    engine: Pick<EngineReader, 'scan'>,
    plan: QueryPlan,
    signal: AbortSignal,
  ): Promise<FactorEvents> {
    const rows = rowsFingerprint(plan);
    const known = this.#tables.get(rows);
    if (known) return known;
    const events = await FactorEvents.read(engine.scan(plan, signal));
    this.#tables.set(rows, events);
    return events;
  }
}
