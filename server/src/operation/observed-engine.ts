/** An engine whose failures are counted and say what they were about. */
import { type EngineReader, UnreadablePartError } from '../engine/engine.ts';
import type { RequestMetrics } from './request-metrics.ts';

export function observedEngine(engine: EngineReader, metrics: RequestMetrics): EngineReader {
  return {
    async *scan(plan, signal) {
      try {
        yield* engine.scan(plan, signal);
      } catch (error) {
        if (signal.aborted) throw error;
        metrics.engineErrors.inc();
        if (error instanceof UnreadablePartError) throw error;
        const { dataset, version } = plan;
        const what = `${dataset.textId}, version ${version}`;
        throw new Error(`the engine failed to read ${what}`, { cause: error });
      }
    },
    check: () => engine.check(),
    close: () => engine.close(),
  };
}
