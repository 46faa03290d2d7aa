/** Synthetic ticks for benchmarks: fixed, sorted, with the mix of rows that a real day has. */
import type { Dataset } from '../src/catalog/dataset.ts';
import { batchOfRows, type CellValue, type ColumnBatch } from '../src/engine/columns.ts';
import { utcOfMarketTime } from '../src/time/market-time.ts';

const BATCH_ROWS = 10_000;
const OPEN_NANOS = 34_200_000_000_000;
const SESSION_NANOS = 23_400_000_000_000;
const TYPES = ['QUOTE BID', 'QUOTE ASK', 'QUOTE BID NB', 'QUOTE ASK NB', 'TRADE', 'TRADE NB'];
const VENUES = ['NASDAQ', 'NYSE', 'ARCA', 'BATS', 'EDGX', 'IEX', 'FINRA'];

/** A linear congruential generator is random enough for sizes and prices of a benchmark. */
function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Rows of eq_taq for each ticker in turn, in natural order. */
export async function* tickBatches(
  dataset: Dataset,
  tradeDate: string,
  tickers: readonly string[],
  ticksPerTicker: number,
): AsyncIterable<ColumnBatch> {
  const midnight = utcOfMarketTime(dataset.timeZone, tradeDate, 0);
  for (const [ordinal, ticker] of tickers.entries()) {
    const random = generator(ordinal + 1);
    const asid = 1_010_000_000_000_001n + BigInt(ordinal);
    let cents = 5000 + 1000 * ordinal;
    let nanos = OPEN_NANOS;
    let rows: CellValue[][] = [];
    for (let i = 0; i < ticksPerTicker; i++) {
      nanos += Math.floor((random() * 2 * SESSION_NANOS) / ticksPerTicker);
      cents += Math.floor(random() * 3) - 1;
      rows.push([
        tradeDate,
        midnight + BigInt(nanos),
        TYPES[Math.floor(random() * TYPES.length)] as string,
        ticker,
        asid,
        cents / 100,
        1 + Math.floor(random() * 500),
        VENUES[Math.floor(random() * VENUES.length)] as string,
        random() < 0.2 ? 2147484673 : 1,
      ]);
      if (rows.length === BATCH_ROWS || i === ticksPerTicker - 1) {
        yield batchOfRows(dataset.columns, rows);
        rows = [];
      }
    }
  }
}
