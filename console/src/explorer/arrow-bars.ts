/** Arrow pages of an answer -> bars by symbol, without holding the page up. */
import { type Data, type RecordBatch, tableFromIPC } from 'apache-arrow';
import { numbersOf, textsOf } from './arrow-columns';
import { BarBuilder, type BarsBySymbol } from './bar-columns';
import type { BarPlan } from './bar-request';
import { clockOffset } from './market-clock';

/** Gives way to the browser so often. */
const ROWS_PER_TURN = 32_768;

export interface BarSource {
  readonly plan: BarPlan;
  /** Column of the trade date. */
  readonly date: string | null;
  /** The one symbol that is asked for, whatever rows name it: tickers change. Null: as rows name it. */
  readonly only: string | null;
  /** Of the market, such as `America/New_York`. */
  readonly timeZone: string;
}

type Three = [Float64Array, Float64Array, Float64Array];

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve));
}

function columnOf(batch: RecordBatch, name: string | null): Data | null {
  const index = batch.schema.fields.findIndex((field) => field.name === name);
  return index === -1 ? null : batch.data.children[index]!;
}

/** The name of what each row is about. */
function symbolsOf({ plan, only }: BarSource, batch: RecordBatch): (row: number) => string {
  if (only !== null) return () => only;
  const texts = plan.instrument.flatMap((name) => {
    const column = columnOf(batch, name);
    return column ? [textsOf(column)] : [];
  });
  return (row) => texts.map((textOf) => textOf(row)).join(' ');
}

/** Collects the bars of pages, which may have been read one after the other. */
export async function barsOfArrow(
  source: BarSource,
  pages: readonly Uint8Array[],
): Promise<BarsBySymbol> {
  const { plan, date, timeZone } = source;
  const offset = clockOffset(timeZone);
  const builders = new Map<string, BarBuilder>();
  const builderOf = (symbol: string) => {
    const known = builders.get(symbol) ?? new BarBuilder();
    builders.set(symbol, known);
    return known;
  };
  const addBatch = async (batch: RecordBatch) => {
    const missing = new Float64Array(batch.numRows).fill(Number.NaN);
    const numbers = (name: string | null) => {
      const column = columnOf(batch, name);
      return column ? numbersOf(column, offset) : missing;
    };
    const [time, day, volume] = [plan.time, date, plan.volume].map(numbers) as Three;
    const [open, high, low] = [plan.open, plan.high, plan.low].map(numbers) as Three;
    const close = numbers(plan.close);
    const symbolOf = symbolsOf(source, batch);
    for (let row = 0; row < batch.numRows; row++) {
      if (row % ROWS_PER_TURN === 0) await nextTurn();
      const bar = {
        time: time[row]!,
        open: open[row]!,
        high: high[row]!,
        low: low[row]!,
        close: close[row]!,
        volume: volume[row]!,
      };
      builderOf(symbolOf(row)).add(bar, day[row]!);
    }
  };
  for (const page of pages) for (const batch of tableFromIPC(page).batches) await addBatch(batch);
  const found = [...builders].map(([symbol, builder]) => [symbol, builder.bars()] as const);
  return new Map(found.filter(([, { time }]) => time.length > 0));
}
