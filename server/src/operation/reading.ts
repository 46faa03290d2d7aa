/** Metrics that are not counted as things happen, but read when the page is made. */
import { Counter, Gauge, type Registry } from 'prom-client';
import { lastKnown } from '../base/last-known.ts';

export type Sample = readonly [value: number, labels?: Readonly<Record<string, string>>];

export interface Reading {
  readonly name: string;
  readonly help: string;
  /** A counter's value only grows. */
  readonly type?: 'gauge' | 'counter';
  readonly labelNames?: readonly string[];
  /** May throw: the metric then has no samples, and all others can still be seen. */
  read(): Iterable<Sample> | Promise<Iterable<Sample>>;
}

/** Later than readiness itself, of which some readings are. */
const ANSWER_MS = 850;

const METRICS = { gauge: Gauge, counter: Counter } as const;

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
  const { name, help, type = 'gauge', labelNames = [] } = reading;
  const read = lastKnown(() => samplesOf(reading), [], ANSWER_MS);
  new METRICS[type]({
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
