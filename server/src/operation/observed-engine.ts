/** An engine whose failures are counted and say what they were about. */
import { type QueryEngine, UnreadableFileError } from '../engine/engine.ts';
import type { RequestMetrics } from './request-metrics.ts';

export function observedEngine(engine: QueryEngine, metrics: RequestMetrics): QueryEngine {
  return {
    async *run(plan, signal) {
      try {
        yield* engine.run(plan, signal);
      } catch (error) {
        if (signal.aborted) throw error;
        metrics.engineErrors.add(1);
        if (error instanceof UnreadableFileError) throw error;
        const { dataset, version } = plan;
        const what = `${dataset.textId}, version ${version}`;
        throw new Error(`the engine failed to read ${what}`, { cause: error });
      }
    },
    check: () => engine.check(),
    close: () => engine.close(),
  };
}
