/** Metrics of answered requests. Labels have few values: never a path or an account. */
import { Counter, Histogram, Registry } from 'prom-client';
import { ApiError } from '../base/errors.ts';
import {
  type EngineReader,
  OutOfRangeError,
  UnreachablePartError,
  UnreadablePartError,
} from '../engine/engine.ts';
import type { QueryPlan } from '../engine/query-plan.ts';

export function observedEngine(engine: EngineReader, metrics: RequestMetrics): EngineReader {
  /** Errors already counted: made rows pass through the engine twice. */
  const told = new WeakSet<object>();
  /** Counts a failure; returns it as it is told. */
  const observed = (error: unknown, { dataset, version }: QueryPlan, signal: AbortSignal) => {
    const isOfRequest = error instanceof ApiError || error instanceof OutOfRangeError;
    if (signal.aborted || isOfRequest || told.has(error as object)) return error;
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
  type Observed = readonly [plan: QueryPlan, signal: AbortSignal];
  async function* observedRows<T>(rows: () => AsyncIterable<T>, of: Observed) {
    try {
      yield* rows();
    } catch (error) {
      throw observed(error, ...of);
    }
  }
  const observedWork = <T>(work: () => Promise<T>, of: Observed) =>
    work().catch((error: unknown) => {
      throw observed(error, ...of);
    });
  const reader: EngineReader = {
    scan: (plan, signal) => observedRows(() => engine.scan(plan, signal), [plan, signal]),
    sortRows: (plan, rows, signal) =>
      observedRows(() => engine.sortRows(plan, rows, signal), [plan, signal]),
    aggregate: (plan, signal, rows) =>
      observedRows(() => engine.aggregate(plan, signal, rows), [plan, signal]),
    text: (plan, format, signal) =>
      observedWork(async () => {
        const page = (await engine.text?.(plan, format, signal)) ?? null;
        if (page) metrics.workerPages.inc();
        return page;
      }, [plan, signal]),
    parquet: (plan, signal, times) =>
      observedWork(() => engine.parquet(plan, signal, times), [plan, signal]),
    writeParquet: (plan, rows, signal, times) =>
      observedWork(() => engine.writeParquet(plan, rows, signal, times), [plan, signal]),
    countByDay: (plan, signal) =>
      observedWork(() => engine.countByDay(plan, signal), [plan, signal]),
    directUrl: async (file, clock) => (await engine.directUrl?.(file, clock)) ?? null,
    check: () => engine.check(),
    warning: () => engine.warning(),
    close: () => engine.close(),
  };
  engine.onWorkerDeath = (error) => {
    metrics.workerDeaths.inc();
    reader.onWorkerDeath?.(error);
  };
  return reader;
}

const DURATION_BOUNDS_SECONDS = [
  0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60,
];

export class RequestMetrics {
  readonly registry = new Registry();
  readonly requests = this.#counter(
    'requests',
    'Requests; `endpoint` is a path template, `none` for paths that do not exist. Status 499: the client went away.',
    ['endpoint', 'status'],
  );
  readonly durations = new Histogram({
    name: 'ticklake_request_duration_seconds',
    help: 'Histogram of the time from the head of a request to the end of its answer, by the class of its status: `2xx` to `5xx`.',
    labelNames: ['endpoint', 'class'],
    buckets: DURATION_BOUNDS_SECONDS,
    registers: [this.registry],
  });
  readonly returnedBytes = this.#counter('returned_bytes', 'Bytes of the bodies of answers.');
  readonly rows = this.#counter('rows', 'Rows in answers.');
  readonly scannedBytes = this.#counter(
    'scanned_bytes',
    'Stored bytes that the queries had to read.',
  );
  readonly storageErrors = this.#counter(
    'storage_errors',
    'Queries that failed because the object storage, or the cluster, did not answer.',
  );
  readonly engineErrors = this.#counter('engine_errors', 'Queries that failed in the engine.');
  readonly workerPages = this.#counter(
    'worker_pages',
    'Pages of text, packed or not, that worker threads made.',
  );
  readonly workerDeaths = this.#counter(
    'worker_deaths',
    'Worker threads that died. Their pages were made without them; after 16 deaths, fewer workers run.',
  );

  #counter(name: string, help: string, labelNames: readonly string[] = []) {
    return new Counter({
      name: `ticklake_${name}_total`,
      ...{ help, labelNames, registers: [this.registry] },
    });
  }
}
