/** The analytics of option contracts at the end of a day, from their ticks. */
import { optionAnalytics } from '@ticklake/market/option-analytics.ts';
import {
  type DividendEvent,
  exerciseStyleOf,
  LastQuotes,
  optionSnapshot,
  type RootClose,
  stockCloseNanos,
  trailingDividendYield,
  underlyingMid,
} from '@ticklake/market/option-close.ts';
import { optionAnalyticsSources } from '@ticklake/market/option-rows.ts';
import { counted } from '../base/printable.ts';
import type { Dataset } from '../catalog/dataset.ts';
import { type ColumnBatch, dateOfDays } from '../engine/columns.ts';
import { orZero } from '../engine/gathered-columns.ts';
import type { RowBuffer } from '../engine/row-buffer.ts';
import { addDays } from '../request/literals.ts';
import { bufferRows, type ComputationInput, referencedComputation } from './computation.ts';
import { type InstrumentDay, instrumentPieces, placeOfDay } from './instrument-days.ts';
import {
  type ContractDay,
  compareContracts,
  contractEventColumns,
  contractsOf,
} from './option-contracts.ts';
import { referenceRows } from './reference-rows.ts';

const RULE_VERSION = 2;

const TICK_COLUMNS = contractEventColumns({
  texts: ['Side', 'Action'],
  numbers: ['Price', 'Quantity', 'UnderBidPrice', 'UnderAskPrice'],
});

function orNull(value: number): number | null {
  return Number.isNaN(value) ? null : value;
}

/** The state of a root's contracts on a date, as of the last tick before stock trading ends. */
class RootTicks {
  readonly root: string;
  readonly date: string;
  readonly #contracts = new Map<string, { contract: ContractDay; quotes: LastQuotes }>();
  underMid: number | null = null;
  unknownCount = 0;

  constructor({ ticker, date }: InstrumentDay) {
    this.root = ticker;
    this.date = date;
  }

  add(piece: InstrumentDay): void {
    const { contracts, unknownCount } = contractsOf(piece);
    this.unknownCount += unknownCount;
    for (const contract of contracts) this.#addQuotes(piece, contract);
    this.#addUnderlying(piece);
  }

  /** Contracts with a quote on either side, in natural order. */
  quoted() {
    return [...this.#contracts.values()]
      .filter(({ quotes: { bid, ask } }) => bid !== null || ask !== null)
      .sort((a, b) => compareContracts(a.contract, b.contract));
  }

  #addQuotes({ events }: InstrumentDay, contract: ContractDay): void {
    const [sides, actions] = [events.codes('Side'), events.codes('Action')];
    const [prices, quantities] = [events.doubles('Price'), events.doubles('Quantity')];
    const known = this.#contracts.get(contract.key) ?? {
      contract: { ...contract, places: [] },
      quotes: new LastQuotes(),
    };
    this.#contracts.set(contract.key, known);
    const close = stockCloseNanos(this.date);
    for (const at of contract.places) {
      const nanosOfDay = events.nanosOfDay.at(at);
      if (nanosOfDay >= close) continue;
      known.quotes.take({
        nanosOfDay,
        action: actions.textAt(at) ?? '',
        side: sides.textAt(at),
        price: orZero(prices, at),
        quantity: orZero(quantities, at),
      });
    }
  }

  /** Takes the underlying's quotes from the last tick of any contract. */
  #addUnderlying({ events }: InstrumentDay): void {
    const [bids, asks] = [events.doubles('UnderBidPrice'), events.doubles('UnderAskPrice')];
    const close = stockCloseNanos(this.date);
    let last = events.length - 1;
    while (last >= 0 && events.nanosOfDay.at(last) >= close) last--;
    if (last < 0) return;
    this.underMid = underlyingMid(orNull(bids.at(last)), orNull(asks.at(last)));
  }
}

async function* rootsOf(pieces: AsyncIterable<InstrumentDay>): AsyncIterable<RootTicks> {
  let open: RootTicks | null = null;
  for await (const piece of pieces) {
    if (open && (open.root !== piece.ticker || open.date !== piece.date)) {
      yield open;
      open = null;
    }
    open ??= new RootTicks(piece);
    open.add(piece);
  }
  if (open) yield open;
}

function appendRoot(buffer: RowBuffer, ticks: RootTicks, close: RootClose): void {
  const style = exerciseStyleOf(close.root);
  for (const { contract, quotes } of ticks.quoted()) {
    const values = optionAnalytics(optionSnapshot(close, contract, quotes));
    buffer.append(1, optionAnalyticsSources(contract, style, values));
  }
}

/** Throws where the definition does not state it, which its checks see to. */
function interestRateOf({ textId, derivation }: Dataset): number {
  const rate = derivation?.parameters?.interest_rate;
  if (rate === undefined) throw new Error(`${textId} states no interest rate`);
  return rate;
}

function greeks(input: ComputationInput, dividends: Dividends): AsyncIterable<ColumnBatch> {
  const { inputs, output, warn } = input;
  const rate = interestRateOf(output);
  const days = rootsOf(instrumentPieces(input, TICK_COLUMNS));
  return bufferRows(output, days, (buffer, day) => {
    const { date, root, underMid, unknownCount } = day;
    if (unknownCount > 0) {
      const place = placeOfDay(inputs[0], { date, ticker: root });
      warn(`${place}: left out: ${counted(unknownCount, 'tick')} without a contract`);
    }
    const dividendYield = trailingDividendYield(dividends.get(root) ?? [], date);
    appendRoot(buffer, day, { root, date, underMid, rate, dividendYield });
  });
}

const DIVIDEND_COLUMNS = {
  Ticker: 'text',
  EffectiveDate: 'number',
  AdjustmentFactor: 'number',
  AdjustmentReason: 'text',
} as const;
const CASH_DIVIDEND = 'CashDiv';
const YEAR_DAYS = 366;

/** Cash dividends by the roots of options: symbols without punctuation, such as BRKB for BRK.B. */
type Dividends = ReadonlyMap<string, readonly DividendEvent[]>;

/** The cash dividends of the year up to the last of the dates, from adjustment factors. */
async function readDividends(input: ComputationInput): Promise<Dividends> {
  const { inputs, dates } = input;
  const dividends = new Map<string, DividendEvent[]>();
  const first = addDays(dates.start, -YEAR_DAYS);
  for await (const rows of referenceRows(input, inputs[1], DIVIDEND_COLUMNS, null)) {
    for (const { Ticker, EffectiveDate, AdjustmentFactor: factor, AdjustmentReason } of rows) {
      if (Ticker === null || EffectiveDate === null || factor === null) continue;
      if (AdjustmentReason !== CASH_DIVIDEND) continue;
      const effectiveDate = dateOfDays(EffectiveDate);
      if (effectiveDate < first || effectiveDate > dates.end) continue;
      const root = Ticker.replaceAll(/[^A-Z0-9]/g, '');
      const known = dividends.get(root);
      if (known) known.push({ effectiveDate, factor });
      else dividends.set(root, [{ effectiveDate, factor }]);
    }
  }
  return dividends;
}

export const OPTION_GREEKS = referencedComputation({
  ruleVersion: RULE_VERSION,
  read: readDividends,
  digested: (dividends) => [...dividends].toSorted(([a], [b]) => (a < b ? -1 : 1)),
  rows: greeks,
});
