/** Bars of option contracts from their trades. */
import type { OptionTradeEvent } from '@ticklake/market/events.ts';
import { optionBarSources } from '@ticklake/market/option-rows.ts';
import { optionMinuteBars } from '@ticklake/market/option-trade-bars.ts';
import { counted } from '../base/counted.ts';
import type { ColumnBatch } from '../engine/columns.ts';
import { type Codes, type Doubles, orZero } from '../engine/gathered-columns.ts';
import { RowBuffer } from '../engine/row-buffer.ts';
import { type ComputationInput, plainComputation } from './computation.ts';
import { warnOfDoubled } from './doubled-events.ts';
import {
  type InstrumentDay,
  instrumentDays,
  placeOfDay,
  tickColumnsOf,
} from './instrument-days.ts';
import { type ContractDay, contractEventColumns, contractsOf } from './option-contracts.ts';

const RULE_VERSION = 2;

const TRADE_COLUMNS = contractEventColumns({
  texts: ['EventType', 'ConditionCode', 'Exchange'],
  numbers: ['Price', 'Quantity', 'UnderBidPrice', 'UnderAskPrice'],
});

function orNull(values: Doubles, at: number): number | null {
  const value = values.at(at);
  return Number.isNaN(value) ? null : value;
}

function* optionTrades(
  { events }: InstrumentDay,
  { places }: ContractDay,
): Iterable<OptionTradeEvent> {
  const [, types, conditions, exchanges] = events.texts as [Codes, Codes, Codes, Codes];
  const [, , prices, quantities, underBids, underAsks] = events.numbers as Doubles[] as [
    ...[Doubles, Doubles, Doubles],
    ...[Doubles, Doubles, Doubles],
  ];
  for (const at of places) {
    yield {
      nanosOfDay: events.nanosOfDay.at(at),
      type: types.textAt(at) === 'T' ? 'T' : 'C',
      price: orZero(prices, at),
      quantity: orZero(quantities, at),
      exchange: exchanges.textAt(at) ?? '',
      condition: conditions.textAt(at) ?? '',
      underBid: orNull(underBids, at),
      underAsk: orNull(underAsks, at),
    };
  }
}

async function* tradeBars(input: ComputationInput): AsyncIterable<ColumnBatch> {
  const { inputs, output, dates, read, warn } = input;
  const [trades] = inputs;
  if (!trades) return;
  const buffer = new RowBuffer(output);
  const batches = read(trades, tickColumnsOf(trades, TRADE_COLUMNS), dates);
  for await (const root of instrumentDays(trades, TRADE_COLUMNS, batches)) {
    const { contracts, unknownCount } = contractsOf(root);
    warnOfDoubled(trades, root, warn);
    if (unknownCount > 0) {
      warn(
        `${placeOfDay(trades, root)}: left out: ${counted(unknownCount, 'trade')} without a contract`,
      );
    }
    for (const contract of contracts) {
      const table = optionMinuteBars(optionTrades(root, contract));
      buffer.append(table.rowCount, optionBarSources(contract, table));
    }
    yield* buffer.take(false);
  }
  yield* buffer.take(true);
}

export const OPTION_TRADE_BARS = plainComputation(RULE_VERSION, tradeBars);
