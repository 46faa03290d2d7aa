/** The trades among ticks of trades and quotes, as a dataset of their own. */
import { type ColumnBatch, takeRows } from '../engine/columns.ts';
import { textReader } from '../engine/gathered-columns.ts';
import { type ComputationInput, plainComputation } from './computation.ts';

const RULE_VERSION = 1;
const EVENT_TYPE = 'EventType';
/** The beginning of the types of trades and their cancellations. */
const TRADE = 'TRADE';

function tradesIn(batch: ColumnBatch, typePlace: number): ColumnBatch {
  const typeOf = textReader(batch.columns[typePlace] as ColumnBatch['columns'][number]);
  const trades: number[] = [];
  for (let row = 0; row < batch.rowCount; row++) {
    if (typeOf(row)?.startsWith(TRADE)) trades.push(row);
  }
  return trades.length === batch.rowCount ? batch : takeRows(batch, trades);
}

async function* tradeRows({
  inputs: [ticks],
  output,
  dates,
  read,
}: ComputationInput): AsyncIterable<ColumnBatch> {
  const names = output.columns.map(({ name }) => name);
  for await (const batch of read(ticks, names, dates)) {
    const trades = tradesIn(batch, names.indexOf(EVENT_TYPE));
    if (trades.rowCount > 0) yield trades;
  }
}

/** In the order of the ticks, which is that of the feed. */
export const TRADE_TICKS = plainComputation(RULE_VERSION, tradeRows);
