/** The computations by the names that definitions call them, and two that are a few lines. */
import { cumulativeFactorRows, type NamedEvent } from '@ticklake/market/cumulative-factors.ts';
import type { ComputationName } from '../catalog/derivation.ts';
import { type ColumnBatch, takeRows } from '../engine/columns.ts';
import { textReader } from '../engine/gathered-columns.ts';
import { ADJUSTED_ROWS } from './adjusted-rows.ts';
import { ADJUSTMENT_FACTORS } from './adjustment-factors.ts';
import { BARS_BY_DATE, EQUITY_PRICES_OF_BARS } from './bars-by-date.ts';
import {
  bufferRows,
  type Computation,
  type ComputationInput,
  plainComputation,
} from './computation.ts';
import { EQUITY_COMPUTATIONS } from './equity-computations.ts';
import {
  FUTURES_DAILY_VALUES,
  FUTURES_QUOTE_BARS,
  FUTURES_TRADE_BARS,
} from './futures-computations.ts';
import { ListedEvents, placeOfEvent } from './listed-events.ts';
import { OPTION_GREEKS, OPTION_TRADE_BARS, OPTION_TRADE_TICKS } from './option-computations.ts';
import { referenceRows } from './reference-rows.ts';
import { SECURITY_MASTER, SYMBOL_LOOKUP } from './security-computations.ts';

const TICKS_RULE_VERSION = 1;
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
const TRADE_TICKS = plainComputation(TICKS_RULE_VERSION, tradeRows);

const FACTORS_RULE_VERSION = 3;

const COLUMNS = {
  Ticker: 'text',
  AdjustmentReason: 'text',
  SecId: 'number',
  ASID: 'number',
  AdjustmentFactor: 'number',
  EventId: 'number',
  EffectiveDate: 'date',
} as const;

/** In natural order; an event without an id is nobody's, and a factor of 0 would leave no price. */
async function readEvents(input: ComputationInput): Promise<NamedEvent[]> {
  const [factors] = input.inputs;
  const events: NamedEvent[] = [];
  const listed = new ListedEvents(input.warn);
  for await (const rows of referenceRows(input, factors, COLUMNS, input.dates)) {
    for (const row of rows) {
      const { ASID: asid, EffectiveDate: effectiveDate, AdjustmentFactor: factor } = row;
      if (effectiveDate === null) continue;
      const place = () => placeOfEvent(factors, row);
      if (asid === null) input.warn(`${place()}: left out; it has no ASID`);
      else if (!factor) input.warn(`${place()}: left out; it has no factor`);
      else {
        const event = { security: asid, effectiveDate, factor, reason: row.AdjustmentReason ?? '' };
        const known = { ...event, eventId: row.EventId };
        if (listed.counts(known, place)) events.push({ ...event, ticker: row.Ticker });
      }
    }
  }
  return events;
}

const CUMULATIVE_FACTORS = plainComputation(FACTORS_RULE_VERSION, async function* (input) {
  const rows = cumulativeFactorRows(await readEvents(input));
  yield* bufferRows(input.output, rows, (buffer, row) => buffer.appendRow(row));
});

export const COMPUTATIONS: Readonly<Record<ComputationName, Computation>> = {
  ...EQUITY_COMPUTATIONS,
  trade_ticks: TRADE_TICKS,
  adjusted_rows: ADJUSTED_ROWS,
  adjustment_factors: ADJUSTMENT_FACTORS,
  cumulative_factors: CUMULATIVE_FACTORS,
  symbol_lookup: SYMBOL_LOOKUP,
  security_master: SECURITY_MASTER,
  futures_trade_bars: FUTURES_TRADE_BARS,
  futures_quote_bars: FUTURES_QUOTE_BARS,
  futures_daily_values: FUTURES_DAILY_VALUES,
  bars_by_date: BARS_BY_DATE,
  equity_prices_of_bars: EQUITY_PRICES_OF_BARS,
  option_trade_ticks: OPTION_TRADE_TICKS,
  option_trade_bars: OPTION_TRADE_BARS,
  option_greeks: OPTION_GREEKS,
};
