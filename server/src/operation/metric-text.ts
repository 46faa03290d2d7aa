/** Counters, histograms and gauges, and their text in the Prometheus exposition format. */

export type LabelValues = Readonly<Record<string, string | number>>;

export interface Metric {
  /** The lines of one metric, each ended: what it is, then its samples. */
  text(): string;
}

const ESCAPES: Readonly<Record<string, string>> = { '\\': '\\\\', '"': '\\"', '\n': '\\n' };

function labelText(labels: LabelValues): string {
  const pairs = Object.entries(labels).map(
    ([name, value]) => `${name}="${`${value}`.replaceAll(/[\\"\n]/g, (char) => ESCAPES[char]!)}"`,
  );
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}

function metricText(name: string, type: string, help: string, samples: readonly string[]): string {
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...samples, ''].join('\n');
}

/** Stands between the values of labels in a key; no value holds it. */
const SEPARATOR = '\n';

function labelsOf(names: readonly string[], key: string): LabelValues {
  const values = key.split(SEPARATOR);
  return Object.fromEntries(names.map((name, at) => [name, values[at] ?? '']));
}

/**
 * A sum that only grows, one for each combination of values of its labels. One without labels is 0
 * from the start.
 */
export class Counter implements Metric {
  readonly #name: string;
  readonly #help: string;
  readonly #labelNames: readonly string[];
  readonly #sums = new Map<string, number>();

  constructor(name: string, help: string, labelNames: readonly string[] = []) {
    this.#name = name;
    this.#help = help;
    this.#labelNames = labelNames;
    if (labelNames.length === 0) this.#sums.set('', 0);
  }

  /** `labelValues` in the order of the names. */
  add(amount: number, ...labelValues: readonly string[]): void {
    const key = labelValues.join(SEPARATOR);
    this.#sums.set(key, (this.#sums.get(key) ?? 0) + amount);
  }

  text(): string {
    const samples = [...this.#sums].map(
      ([key, sum]) => `${this.#name}${labelText(labelsOf(this.#labelNames, key))} ${sum}`,
    );
    return metricText(this.#name, 'counter', this.#help, samples);
  }
}

interface Distribution {
  /** For each bound the values up to it and above the bound before; last, those above all. */
  readonly counts: number[];
  sum: number;
}

/** How often values were how great, for each value of its label. */
export class Histogram implements Metric {
  readonly #name: string;
  readonly #help: string;
  readonly #labelName: string;
  readonly #bounds: readonly number[];
  readonly #distributions = new Map<string, Distribution>();

  /** `bounds` ascending, each inclusive. */
  constructor(name: string, help: string, labelName: string, bounds: readonly number[]) {
    this.#name = name;
    this.#help = help;
    this.#labelName = labelName;
    this.#bounds = bounds;
  }

  observe(value: number, labelValue: string): void {
    let distribution = this.#distributions.get(labelValue);
    if (!distribution) {
      distribution = { counts: Array(this.#bounds.length + 1).fill(0), sum: 0 };
      this.#distributions.set(labelValue, distribution);
    }
    const at = this.#bounds.findIndex((bound) => value <= bound);
    distribution.counts[at === -1 ? this.#bounds.length : at]! += 1;
    distribution.sum += value;
  }

  text(): string {
    const samples = [...this.#distributions].flatMap(([labelValue, { counts, sum }]) => {
      const labels = { [this.#labelName]: labelValue };
      let count = 0;
      const buckets = [...this.#bounds, '+Inf'].map((le, at) => {
        count += counts[at]!;
        return `${this.#name}_bucket${labelText({ ...labels, le })} ${count}`;
      });
      const own = labelText(labels);
      return [...buckets, `${this.#name}_sum${own} ${sum}`, `${this.#name}_count${own} ${count}`];
    });
    return metricText(this.#name, 'histogram', this.#help, samples);
  }
}

/** The values of a reading; none if it fails, so that the others can still be seen. */
function samplesOf(read: () => Iterable<Sample>): Sample[] {
  try {
    return [...read()];
  } catch {
    return [];
  }
}

export type Sample = readonly [value: number, labels?: LabelValues];

/** A metric that is measured when the page is read. `type` counter: the value only grows. */
export class Reading implements Metric {
  readonly #name: string;
  readonly #help: string;
  readonly #type: 'gauge' | 'counter';
  readonly #read: () => Iterable<Sample>;

  constructor(
    name: string,
    help: string,
    read: () => Iterable<Sample>,
    type: 'gauge' | 'counter' = 'gauge',
  ) {
    this.#name = name;
    this.#help = help;
    this.#type = type;
    this.#read = read;
  }

  text(): string {
    const samples = samplesOf(this.#read).map(
      ([value, labels = {}]) => `${this.#name}${labelText(labels)} ${value}`,
    );
    return metricText(this.#name, this.#type, this.#help, samples);
  }
}
