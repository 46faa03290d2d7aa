/** An engine whose work and failures are counted. */
import type { QueryEngine } from '../engine/engine.ts';
import type { RequestMetrics } from './request-metrics.ts';

export function observedEngine(engine: QueryEngine, metrics: RequestMetrics): QueryEngine {
  return {
    async *run(plan, signal) {
      metrics.scannedBytes.add(plan.scannedBytes);
      try {
        yield* engine.run(plan, signal);
      } catch (error) {
        if (!signal.aborted) metrics.engineErrors.add(1);
        throw error;
      }
    },
    check: () => engine.check(),
    close: () => engine.close(),
  };
}
