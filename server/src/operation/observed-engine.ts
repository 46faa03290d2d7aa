/** An engine whose failures are counted and say what they were about. */
import { type EngineReader, UnreadablePartError } from '../engine/engine.ts';
import type { QueryPlan } from '../engine/query-plan.ts';
import type { RequestMetrics } from './request-metrics.ts';

export function observedEngine(engine: EngineReader, metrics: RequestMetrics): EngineReader {
  /** Counts a failure; returns it as it is told. */
  const observed = (error: unknown, { dataset, version }: QueryPlan, signal: AbortSignal) => {
    if (signal.aborted) return error;
    metrics.engineErrors.inc();
    if (error instanceof UnreadablePartError) return error;
    const what = `${dataset.textId}, version ${version}`;
    return new Error(`the engine failed to read ${what}`, { cause: error });
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
