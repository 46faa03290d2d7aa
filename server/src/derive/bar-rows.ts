/** Rows of dates that are put together of stored bars: those of one date and one thing become one row. */
import type { BarRules } from '../catalog/bar-rules.ts';
import type { Dataset } from '../catalog/dataset.ts';
import { type CellValue, type ColumnBatch, cellAt } from '../engine/columns.ts';
import { RowBuffer } from '../engine/row-buffer.ts';
import type { BarLabel } from '../intervals/bar-clock.ts';
import { type Combiner, combinersOf, type Vectors } from '../intervals/combiners.ts';
import type { ComputationInput } from './computation.ts';

/** One row is open at a time, since bars come by date and by what they are about. */
const SLOT = 0;

/** By column name of the computed dataset. */
export type Cells = Readonly<Record<string, CellValue>>;

/** Columns of a row, each put together of a column of bars by the rule of that column. */
export class CombinedColumns {
  readonly #sources: readonly (readonly [column: string, source: string])[];
  /** By column of the bars; those that others go by are among them, and come first. */
  readonly #combiners: ReadonlyMap<string, Combiner>;

  /** `sources`: columns of the bars by the columns that they become. */
  constructor(rules: BarRules, sources: Readonly<Record<string, string>>) {
    this.#sources = Object.entries(sources);
    this.#combiners = combinersOf(rules, Object.values(sources));
  }

  begin(vectors: Vectors): void {
    for (const combiner of this.#combiners.values()) combiner.begin(vectors);
  }

  add(first: number, end: number): void {
    if (first >= end) return;
    for (const combiner of this.#combiners.values()) combiner.add(SLOT, first, end);
  }

  take(label: BarLabel): Cells {
    const values = new Map<string, CellValue>();
    for (const [source, combiner] of this.#combiners) {
      values.set(source, combiner.take(SLOT, label));
    }
    return Object.fromEntries(
      this.#sources.map(([column, source]) => [column, values.get(source) ?? null]),
    );
  }
}

/** What becomes of the bars of one row. */
export interface RowMaker {
  /** The columns that it reads of the bars, beside those that tell what they are about. */
  readonly columns: readonly string[];
  /** Tells which vectors the next bars are in. */
  begin(vectors: Vectors): void;
  /** Adds the bars from `first` up to `end`. `date`: days since 1970. */
  add(first: number, end: number, date: number): void;
  /** The cells beside the keys, of the bars since the last call; null: they make no row. */
  take(label: BarLabel): Cells | null;
}

/** Which row a bar belongs to: its date, and what it is about. */
type Key = readonly [date: number, ...about: CellValue[]];

function rowOf(output: Dataset, names: readonly string[], key: Key, maker: RowMaker): Cells | null {
  const made = maker.take({ date: key[0], timeNanos: 0n });
  if (!made) return null;
  const cells: Record<string, CellValue> = {};
  for (const { name } of output.columns) cells[name] = made[name] ?? null;
  for (const [i, name] of names.entries()) cells[name] = key[i] ?? null;
  return cells;
}

/** Rows in the natural order of the bars. */
export async function* barRows(
  { output, dates, read }: Pick<ComputationInput, 'output' | 'dates' | 'read'>,
  bars: Dataset,
  rules: BarRules,
  maker: RowMaker,
): AsyncIterable<ColumnBatch> {
  const keyNames = [bars.dateColumn ?? '', ...rules.by];
  const names = [...new Set([...keyNames, ...maker.columns])];
  const places = new Map(names.map((name, place) => [name, place]));
  const buffer = new RowBuffer(output);
  let open: Key | null = null;
  const close = () => {
    const row = open && rowOf(output, keyNames, open, maker);
    if (row) buffer.appendRow(row);
  };
  for await (const batch of read(bars, names, dates)) {
    const { columns, rowCount } = batch;
    const vectors: Vectors = (name) => columns[places.get(name) as number] as (typeof columns)[0];
    const keys = keyNames.map(vectors);
    const isOf = (key: Key, row: number) => keys.every((each, i) => cellAt(each, row) === key[i]);
    maker.begin(vectors);
    for (let first = 0, end = 0; first < rowCount; first = end) {
      const key = keys.map((vector) => cellAt(vector, first)) as unknown as Key;
      end = first + 1;
      while (end < rowCount && isOf(key, end)) end++;
      if (open && !isOf(open, first)) close();
      open = key;
      maker.add(first, end, key[0]);
    }
    batch.release?.();
    yield* buffer.take(false);
  }
  close();
  yield* buffer.take(true);
}
