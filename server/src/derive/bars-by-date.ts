/** Rows of dates put together of stored bars, each column by the rule that the definition of the bars gives it. */
import type { BarRules } from '../catalog/bar-rules.ts';
import type { Dataset } from '../catalog/dataset.ts';
import type { CellValue, ColumnBatch, ColumnVector } from '../engine/columns.ts';
import { RowBuffer } from '../engine/row-buffer.ts';
import type { BarLabel } from '../intervals/bar-clock.ts';
import { type Combiner, cellAt, combinersOf } from '../intervals/combiners.ts';
import { type Computation, type ComputationInput, plainComputation } from './computation.ts';

const RULE_VERSION = 1;

/** One row is open at a time, since bars come by date and by what they are about. */
const SLOT = 0;

/** Which row a bar belongs to: its date, and what it is about. */
type Key = readonly CellValue[];

function isSame(a: Key, b: Key): boolean {
  return a.every((value, i) => value === b[i]);
}

class OpenRow {
  readonly #output: Dataset;
  readonly #keyNames: readonly string[];
  readonly #combiners: ReadonlyMap<string, Combiner>;
  #key: Key | null = null;

  constructor(output: Dataset, bars: Dataset, rules: BarRules) {
    this.#output = output;
    this.#keyNames = [bars.dateColumn ?? '', ...rules.by];
    const names = output.columns.map(({ name }) => name).filter((name) => rules.columns.has(name));
    this.#combiners = combinersOf(rules, names);
  }

  /** Takes bars in natural order; rows go to the buffer when they are complete. */
  add(rowCount: number, vectorOf: (name: string) => ColumnVector, buffer: RowBuffer): void {
    const keys = this.#keyNames.map(vectorOf);
    const keyAt = (row: number) => keys.map((vector) => cellAt(vector, row));
    for (const combiner of this.#combiners.values()) combiner.begin(vectorOf);
    for (let first = 0, end = 0; first < rowCount; first = end) {
      const key = keyAt(first);
      end = first + 1;
      while (end < rowCount && isSame(key, keyAt(end))) end++;
      if (this.#key && !isSame(this.#key, key)) this.close(buffer);
      this.#key = key;
      for (const combiner of this.#combiners.values()) combiner.add(SLOT, first, end);
    }
  }

  close(buffer: RowBuffer): void {
    if (!this.#key) return;
    const [date, ...about] = this.#key as [number, ...CellValue[]];
    const label: BarLabel = { date, timeNanos: 0n };
    const cells: Record<string, CellValue> = {};
    for (const { name } of this.#output.columns) cells[name] = null;
    for (const [i, name] of this.#keyNames.slice(1).entries()) cells[name] = about[i] ?? null;
    cells[this.#output.dateColumn ?? ''] = date;
    for (const [name, combiner] of this.#combiners) {
      const value = combiner.take(SLOT, label);
      if (this.#output.columnByName.has(name)) cells[name] = value;
    }
    buffer.appendRow(cells);
    this.#key = null;
  }
}

/** What has to be read of the bars. */
function columnsOf(output: Dataset, bars: Dataset, rules: BarRules): string[] {
  const wanted = output.columns.flatMap(({ name }) => {
    const rule = rules.columns.get(name);
    if (!rule) return [];
    return 'other' in rule ? [name, rule.other] : [name];
  });
  return [...new Set([bars.dateColumn ?? '', ...rules.by, ...wanted])];
}

/** A row for each date and contract of the bars, in their natural order. */
export async function* barRowsByDate(
  { output, dates, read }: ComputationInput,
  bars: Dataset | undefined,
): AsyncIterable<ColumnBatch> {
  if (!bars?.intervals) return;
  const names = columnsOf(output, bars, bars.intervals);
  const places = new Map(names.map((name, place) => [name, place]));
  const buffer = new RowBuffer(output);
  const row = new OpenRow(output, bars, bars.intervals);
  for await (const batch of read(bars, names, dates)) {
    const vectorOf = (name: string) => batch.columns[places.get(name) as number] as ColumnVector;
    row.add(batch.rowCount, vectorOf, buffer);
    batch.release?.();
    yield* buffer.take(false);
  }
  row.close(buffer);
  yield* buffer.take(true);
}

export const BARS_BY_DATE: Computation = plainComputation(RULE_VERSION, (input) =>
  barRowsByDate(input, input.inputs[0]),
);
