/** The result of a benchmark for one target. */
import type { DuckDBConnection } from '@duckdb/node-api';
import type { ClickHouse, ClickHouseSource } from './clickhouse.ts';
import type { Client } from './client.ts';
import type { DataSet } from './data/data-set.ts';
import { median, quantile, race, type Turns } from './measure.ts';
import type { Service } from './service.ts';

/** Medians in milliseconds, unless the name of the unit is given. */
export interface Finding {
  readonly work: string;
  /** The measured value and its comparison, as printed. */
  readonly measured: string;
  readonly compared: string;
  /** The number that the target is about: a ratio, unless `unit` says otherwise. */
  readonly figure: number;
  /** The middle half of the figures of single turns. */
  readonly spread?: readonly [number, number];
  readonly unit: '' | ' ms' | ' s' | ' MB' | ' errors' | ' %';
  readonly target: { readonly is: 'at most' | 'at least' | 'under'; readonly value: number };
  /** Everything else worth keeping, by name. */
  readonly details: Readonly<Record<string, number | string>>;
  /**
   * Reading these rows with ClickHouse, in milliseconds: from the same files, from its own tables.
   */
  readonly clickHouse?: { readonly filesMs: number; readonly tablesMs: number };
}

export function isMet({ figure, target: { is, value } }: Finding): boolean {
  if (is === 'at least') return figure >= value;
  return is === 'under' ? figure < value : figure <= value;
}

export interface Bench {
  readonly data: DataSet;
  readonly turns: Turns;
  /** DuckDB by itself. */
  readonly raw: DuckDBConnection;
  /** Null where it is not measured. */
  readonly clickHouse: ClickHouse | null;
  /** How long many clients ask at once. */
  readonly loadSeconds: number;
}

/** Benchmarks that read pages of a shared server, which has already compiled its hot code. */
export interface ServedBench extends Bench {
  readonly service: Service;
  readonly client: Client;
}

export interface Benchmark<Given extends Bench = Bench> {
  /** Name for `--only`. */
  readonly name: string;
  /** Text ids of the datasets that it reads; all of the data set, unless they are named. */
  readonly reads?: readonly string[];
  run(bench: Given): Promise<readonly Finding[]>;
}

export function ms(value: number): string {
  return `${value < 10 ? value.toFixed(2) : value.toFixed(1)} ms`;
}

/** One side of a race, with its milliseconds of each turn. */
export interface Side {
  readonly name: string;
  readonly times: readonly number[];
  /** Else worth printing. */
  readonly also?: string;
}

const sideText = ({ name, times, also = '' }: Side) => `${name} ${ms(median(times))}${also}`.trim();

/** How much longer one side took than the other, by their medians. */
export function ratio(
  { work, target, details }: Pick<Finding, 'work' | 'target'> & Partial<Finding>,
  own: Side,
  other: Side,
): Finding {
  const [ownMs, otherMs] = [median(own.times), median(other.times)];
  const ratios = own.times.map((time, turn) => time / (other.times[turn] as number));
  return {
    ...{ work, measured: sideText(own), compared: sideText(other), figure: ownMs / otherMs },
    ...{ spread: [quantile(ratios, 0.25), quantile(ratios, 0.75)], unit: '', target },
    details: { ...details, ownMs, otherMs },
  };
}

/** Has ClickHouse do the same in a race of its own, unless it is not measured. */
export async function raceClickHouse(
  { clickHouse, turns }: Bench,
  work: (engine: ClickHouse, turn: number, source: ClickHouseSource) => Promise<void>,
): Promise<Pick<Finding, 'clickHouse'>> {
  if (clickHouse === null) return {};
  const { files, tables } = await race(turns, {
    files: (turn) => work(clickHouse, turn, 'files'),
    tables: (turn) => work(clickHouse, turn, 'tables'),
  });
  return { clickHouse: { filesMs: median(files), tablesMs: median(tables) } };
}
