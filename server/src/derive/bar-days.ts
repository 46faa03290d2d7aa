/** Rows of dates that bars tell, for dates and contracts whose ticks tell no trade. */
import { createHash } from 'node:crypto';
import { cellAt, daysOfDate } from '../engine/columns.ts';
import type { Cells } from './bar-rows.ts';
import { barRowsByDate } from './bars-by-date.ts';
import type { ComputationInput } from './computation.ts';

/** A contract on a trade date. */
interface Key {
  readonly date: string;
  readonly ticker: string;
}

/** Whether a row is of an earlier date, or of the same one and a ticker before. */
function isBefore({ TradeDate, Ticker }: Cells, { date, ticker }: Key): boolean {
  const days = daysOfDate(date);
  return TradeDate === days ? `${Ticker}` < ticker : (TradeDate as number) < days;
}

/** Hands rows on in the order of dates and tickers, each once. */
export class BarDays {
  readonly #rows: readonly Cells[];
  #next = 0;

  constructor(rows: readonly Cells[]) {
    this.#rows = rows;
  }

  /** Those of contracts that come before one. */
  *before(key: Key): Iterable<Cells> {
    for (let row = this.#rows[this.#next]; row && isBefore(row, key); ) {
      yield row;
      row = this.#rows[++this.#next];
    }
  }

  /** That of the contract, after all before it were taken; null: bars tell none. */
  of({ date, ticker }: Key): Cells | null {
    const row = this.#rows[this.#next];
    if (row?.TradeDate !== daysOfDate(date) || row.Ticker !== ticker) return null;
    this.#next += 1;
    return row;
  }

  rest(): readonly Cells[] {
    const rest = this.#rows.slice(this.#next);
    this.#next = this.#rows.length;
    return rest;
  }
}

/** The rows of the second input's bars on the dates, and a text that changes with each of them. */
export async function readBarDays(
  input: ComputationInput,
): Promise<{ readonly rows: readonly Cells[]; readonly mark: string }> {
  const { output, inputs } = input;
  const rows: Cells[] = [];
  for await (const { rowCount, columns } of barRowsByDate(input, inputs[1])) {
    for (let row = 0; row < rowCount; row++) {
      const cells = columns.map((vector) => cellAt(vector, row));
      rows.push(Object.fromEntries(output.columns.map(({ name }, c) => [name, cells[c] ?? null])));
    }
  }
  if (rows.length === 0) return { rows, mark: '' };
  const text = JSON.stringify(rows, (_, value) => (typeof value === 'bigint' ? `${value}` : value));
  return { rows, mark: createHash('sha256').update(text).digest('hex') };
}
