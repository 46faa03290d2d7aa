/** Bars of a few words, for tests. */
import { BarBuilder, type BarsBySymbol } from './bar-columns';

/** Bars of rows `date symbol minute price`, all of whose prices are that one; no price: nothing was traded. */
export function barsOfRows(...rows: readonly string[]): BarsBySymbol {
  const builders = new Map<string, BarBuilder>();
  for (const row of rows) {
    const [date = '', symbol = '', minute = '', text = ''] = row.split(' ');
    const builder = builders.get(symbol) ?? new BarBuilder();
    builders.set(symbol, builder);
    const price = text === '' ? Number.NaN : Number(text);
    const time = Date.parse(`${date}T${minute}:00Z`) / 1000;
    const bar = { time, open: price, high: price, low: price, close: price, volume: 100 };
    builder.add(bar, Date.parse(date));
  }
  return new Map([...builders].map(([symbol, builder]) => [symbol, builder.bars()]));
}
