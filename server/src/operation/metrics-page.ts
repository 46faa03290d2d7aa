/** The page that Prometheus reads: what was counted, and what is measured as the page is made. */
import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import { lastKnown } from '../base/last-known.ts';
import type { Readiness } from './readiness.ts';
import { allReadings, type Reading, type ReadingSources, type Sample } from './readings.ts';
import type { RequestMetrics } from './request-metrics.ts';

let registry: Registry | null = null;

/**
 * One registry for all servers of a process: what prom-client observes the process with can never
 * be closed, so each further one would stay for good.
 */
export function processMetrics(): Registry {
  if (registry === null) {
    registry = new Registry();
    collectDefaultMetrics({ register: registry });
  }
  return registry;
}

/** Sources of the page's values. */
export interface MetricSources extends Omit<ReadingSources, 'readiness'> {
  readonly metrics: Pick<RequestMetrics, 'registry'>;
}

/** Later than readiness itself, of which some readings are. */
const ANSWER_MS = 850;

async function samplesOf(reading: Reading): Promise<Sample[]> {
  try {
    return [...(await reading.read())];
  } catch {
    return [];
  }
}

/** `old` has the names of those that did not come in time last: their last samples are shown. */
export function registerReading(
  registry: Registry,
  reading: Reading,
  old = new Set<string>(),
): void {
  const { name, help, labelNames } = reading;
  const read = lastKnown(() => samplesOf(reading), [], ANSWER_MS);
  new (name.endsWith('_total') ? Counter : Gauge)({
    name,
    help,
    labelNames,
    registers: [registry],
    async collect(this: Counter | Gauge) {
      const { value: samples, isOld } = await read();
      old[isOld ? 'add' : 'delete'](name);
      this.reset();
      // One without labels is 0 after that, which nobody has measured.
      if (samples.length === 0 && labelNames.length === 0) this.remove({});
      for (const [value, labels = {}] of samples) this.inc(labels, value);
    },
  });
}

/** Makes the page, as text in the Prometheus format. */
export function metricsPage(
  sources: MetricSources,
  readiness: () => Promise<Readiness>,
): () => Promise<string> {
  const readings = new Registry();
  const old = new Set<string>();
  for (const reading of allReadings({ ...sources, readiness }, () => old.size)) {
    registerReading(readings, reading, old);
  }
  const page = Registry.merge([sources.metrics.registry, readings, processMetrics()]);
  return () => page.metrics();
}
