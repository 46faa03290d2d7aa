/** An engine whose failures are counted and say what they were about. */
import { ApiError } from '../base/errors.ts';
import { type EngineReader, UnreachablePartError, UnreadablePartError } from '../engine/engine.ts';
import type { QueryPlan } from '../engine/query-plan.ts';
import type { RequestMetrics } from './request-metrics.ts';

export function observedEngine(engine: EngineReader, metrics: RequestMetrics): EngineReader {
  /** Those that were told: rows that are made of the engine's pass through it once more. */
  const told = new WeakSet<object>();
  /** Counts a failure; returns it as it is told. */
  const observed = (error: unknown, { dataset, version }: QueryPlan, signal: AbortSignal) => {
    if (signal.aborted || error instanceof ApiError || told.has(error as object)) return error;
    const isAway = error instanceof UnreachablePartError;
    (isAway ? metrics.storageErrors : metrics.engineErrors).inc();
    const what = `${dataset.textId}, version ${version}`;
    const shown =
      error instanceof UnreadablePartError
        ? error
        : new Error(`the engine failed to read ${what}`, { cause: error });
    told.add(shown);
    return shown;
  };
  return {
    async *scan(plan, signal) {
      try {
        yield* engine.scan(plan, signal);
      } catch (error) {
        throw observed(error, plan, signal);
      }
    },
    async parquet(plan, signal, times) {
      try {
        return await engine.parquet(plan, signal, times);
      } catch (error) {
        throw observed(error, plan, signal);
      }
    },
    async writeParquet(plan, rows, signal, times) {
      try {
        return await engine.writeParquet(plan, rows, signal, times);
      } catch (error) {
        throw observed(error, plan, signal);
      }
    },
    async *sortRows(plan, rows, signal) {
      try {
        yield* engine.sortRows(plan, rows, signal);
      } catch (error) {
        throw observed(error, plan, signal);
      }
    },
    async countByDay(plan, signal) {
      try {
        return await engine.countByDay(plan, signal);
      } catch (error) {
        throw observed(error, plan, signal);
      }
    },
    directUrl: async (file, clock) => (await engine.directUrl?.(file, clock)) ?? null,
    check: () => engine.check(),
    warning: () => engine.warning(),
    close: () => engine.close(),
  };
}
