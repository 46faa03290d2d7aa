/** Roll schedules that were made before: of the same rows, so that accounts of equal rules share them. */
import { LRUCache } from 'lru-cache';
import type { ContractSpan } from '../engine/query-plan.ts';

/** Spans of all of them together, each some hundred bytes. */
const SPANS_MAX = 200_000;

export class RollSchedules {
  readonly known = new LRUCache<string, readonly ContractSpan[]>({
    maxSize: SPANS_MAX,
    sizeCalculation: (spans) => spans.length + 1,
  });
}
