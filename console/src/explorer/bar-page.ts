/** Rows of an answer -> bars by symbol, without holding the page up. */
import type { BarPlan } from './bar-request';
import { type Candle, type ChartTime, chartTime } from './chart-series';
import { type Cell, readCsvPage, splitHeader } from './csv-page';

export interface Bar extends Candle {
  readonly volume: number;
}

export interface Bars {
  readonly bars: readonly Bar[];
  /** Times of the bars that a trade date begins with. */
  readonly breaks: readonly ChartTime[];
}

export type BarsBySymbol = ReadonlyMap<string, Bars>;

const NO_BARS: Bars = { bars: [], breaks: [] };

/** Gives way to the browser so often. */
const ROWS_PER_TURN = 4000;

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve));
}

export interface BarSource {
  readonly plan: BarPlan;
  /** Column of the trade date. */
  readonly date: string | null;
  /** The one symbol that is asked for, whatever rows name it: tickers change. Null: as rows name it. */
  readonly only: string | null;
}

type ReadRow = (row: readonly Cell[]) => { symbol: string; day: string; bar: Bar } | null;

function rowReader({ plan, date, only }: BarSource, columns: readonly string[]): ReadRow {
  const at = (name: string | null) => columns.indexOf(name ?? '');
  const [time, day, volume] = [plan.time, date, plan.volume].map(at) as [number, number, number];
  const instruments = plan.instrument.map(at);
  const prices = [plan.open, plan.high, plan.low, plan.close].map(at);
  return (row) => {
    const moment = chartTime(row[time] ?? '');
    // Minutes in which nothing was traded have no prices.
    if (moment === null || prices.some((index) => (row[index] ?? '') === '')) return null;
    const [open, high, low, close] = prices.map((index) => Number(row[index])) as [
      number,
      number,
      number,
      number,
    ];
    const symbol = only ?? instruments.map((index) => row[index] ?? '').join(' ');
    const bar = { time: moment, open, high, low, close, volume: Number(row[volume] ?? 0) };
    return { symbol, day: row[day] ?? '', bar };
  };
}

/** Puts rows together to bars, in the order of time; of two at one moment, the later row counts. */
export class BarCollector {
  readonly #read: ReadRow;
  readonly #found = new Map<string, { bars: Bar[]; breaks: ChartTime[]; day: string }>();

  constructor(source: BarSource, columns: readonly string[]) {
    this.#read = rowReader(source, columns);
  }

  add(row: readonly Cell[]): void {
    const read = this.#read(row);
    if (read === null) return;
    const { symbol, day, bar } = read;
    let of = this.#found.get(symbol);
    if (of === undefined) {
      of = { bars: [], breaks: [], day: '' };
      this.#found.set(symbol, of);
    }
    const last = of.bars.at(-1);
    if (last && last.time >= bar.time) {
      if (last.time === bar.time) of.bars[of.bars.length - 1] = bar;
      return;
    }
    of.bars.push(bar);
    if (day !== of.day) of.breaks.push(bar.time);
    of.day = day;
  }

  bars(): BarsBySymbol {
    return new Map(
      [...this.#found].map(([symbol, { bars, breaks }]) => [symbol, { bars, breaks }]),
    );
  }
}

/** Reads pages of CSV of at most `rowsMax` rows, of which the first has the header. */
export async function collectBars(
  source: BarSource,
  pages: readonly string[],
  rowsMax: number,
): Promise<BarsBySymbol> {
  const { columns, rows: first } = splitHeader(pages[0] ?? '');
  const collector = new BarCollector(source, columns);
  for (const text of [first, ...pages.slice(1)]) {
    const page = readCsvPage(text, rowsMax);
    for (let index = 0; index < page.rowCount; index++) {
      if (index % ROWS_PER_TURN === 0) await nextTurn();
      collector.add(page.row(index));
    }
  }
  return collector.bars();
}

/** Earlier bars before later ones, symbol by symbol. */
export function joinBars(earlier: BarsBySymbol, later: BarsBySymbol): BarsBySymbol {
  const symbols = [...new Set([...later.keys(), ...earlier.keys()])];
  return new Map(
    symbols.map((symbol) => {
      const [before, after] = [earlier, later].map((of) => of.get(symbol) ?? NO_BARS) as [
        Bars,
        Bars,
      ];
      const begin = after.bars[0]?.time ?? Number.POSITIVE_INFINITY;
      const cut = before.bars.filter(({ time }) => time < begin);
      return [
        symbol,
        { bars: [...cut, ...after.bars], breaks: [...before.breaks, ...after.breaks] },
      ];
    }),
  );
}
