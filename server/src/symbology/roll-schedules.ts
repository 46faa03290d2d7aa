/** Roll schedules that were made before: of the same rows, so that accounts of equal rules share them. */
import { LRUCache } from 'lru-cache';
import type { RollSchedule } from './roll-schedule.ts';

/** Spans and gaps of all of them together, each some hundred bytes. */
const SPANS_MAX = 200_000;

export class RollSchedules {
  readonly known = new LRUCache<string, RollSchedule>({
    maxSize: SPANS_MAX,
    sizeCalculation: ({ spans, gaps }) => spans.length + gaps.length + 1,
  });
}
