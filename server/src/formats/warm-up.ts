/**
 * Writes rows of every kind for nobody, so that the runtime has compiled the writers before the
 * first pages are asked for: a page of 10,000 rows takes three times as long without.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Column, DATA_TYPES, type DataType } from '../catalog/dataset.ts';
import { batchOfRows, type CellValue, type ColumnBatch } from '../engine/columns.ts';
import { ByteSink } from './byte-sink.ts';
import { csvRowWriter } from './csv.ts';
import { jsonRowWriter } from './json.ts';

/** A batch as the engine hands them out, and as often as the runtime needs. */
const BATCH_ROWS = 2048;
const ROUNDS = 8;
const ROWS_PER_TURN = 256;

const MORNING_NANOS = 1_750_253_400_123_456_789n;

/** A value of row `i`: some repeat, some don't, some are long, a few are missing. */
const CELLS: Record<DataType, (i: number) => CellValue> = {
  string: (i) => {
    if (i % 50 === 0) return null;
    return i % 2 === 0
      ? `T${i}`
      : ['TRADE', 'QUOTE BID NB', 'a text of more than one word'][i % 3]!;
  },
  integer: (i) => (i % 9 === 0 ? BigInt(i) * 1_000_003n : BigInt(i % 300)),
  number: (i) => [i / 100, i / 1e6, i / 1e9, Math.sqrt(i)][i % 4]!,
  decimal: (i) => (i % 100 === 0 ? 10n ** 20n : BigInt(i) * 1_237n),
  boolean: (i) => i % 3 === 0,
  date: (i) => 20_257 + (i >> 8),
  'date-time': (i) => MORNING_NANOS + BigInt(i) * 7_654_321n,
  'array of string': (i) => (i % 2 === 0 ? [] : ['AB', 'CD']),
  'array of integer': (i) => (i % 2 === 0 ? [] : [BigInt(i), 7n]),
  'array of number': (i) => (i % 2 === 0 ? [] : [i / 100, Math.sqrt(i)]),
};

function columnOf(dataType: DataType, fractionDigits: 0 | 9, name: string): Column {
  const digits = dataType === 'decimal' ? { precision: 38, scale: 4 } : {};
  return { name, dataType, fractionDigits, description: '', ...digits };
}

/** Each type twice: with a value in every row, and with some missing. */
export const WARM_UP_COLUMNS: readonly Column[] = DATA_TYPES.flatMap((dataType) => [
  columnOf(dataType, 9, `Some ${dataType}`),
  columnOf(dataType, 0, `Perhaps ${dataType}`),
]);

export function warmUpBatch(): ColumnBatch {
  const rows = Array.from({ length: BATCH_ROWS }, (_, i) =>
    WARM_UP_COLUMNS.map(({ dataType }, c) =>
      c % 2 === 1 && i % 10 === 0 ? null : CELLS[dataType](i),
    ),
  );
  return batchOfRows(WARM_UP_COLUMNS, rows);
}

/** Resolves when it is done, or soon after the signal is aborted; works in short turns. */
export async function warmUpWriters(signal: AbortSignal): Promise<void> {
  const batch = warmUpBatch();
  const sink = new ByteSink(() => undefined);
  for (let round = 0; round < ROUNDS; round++) {
    const makeWriter = round % 2 === 0 ? jsonRowWriter : csvRowWriter;
    const write = makeWriter(sink, WARM_UP_COLUMNS, 'UTC')(batch);
    for (let row = 0; row < BATCH_ROWS; row += ROWS_PER_TURN) {
      await nextTurn();
      if (signal.aborted) return;
      write(row, row + ROWS_PER_TURN);
    }
  }
}
