/** Rows restated by the adjustment factors of their securities. */
import { type AdjustmentEvent, buildFactorTable } from '@ticklake/market/adjustment.ts';
import {
  isFactorColumn,
  ROW_KEYS,
  restateBatch,
  vectorsOf,
} from '../adjustments/restated-reader.ts';
import type { Dataset } from '../catalog/dataset.ts';
import { type ColumnBatch, dateOfDays, takeRows } from '../engine/columns.ts';
import { doubleReader, textReader } from '../engine/gathered-columns.ts';
import { addDays, laterOf } from '../request/literals.ts';
import { type ComputationInput, referencedComputation } from './computation.ts';
import { ListedEvents, placeOfEvent } from './listed-events.ts';
import { CLOSE_COLUMNS, referenceRows } from './reference-rows.ts';

const RULE_VERSION = 3;

const FACTOR_COLUMNS = {
  ASID: 'number',
  Ticker: 'text',
  EffectiveDate: 'date',
  AdjustmentFactor: 'number',
  AdjustmentReason: 'text',
  EventId: 'number',
} as const;

interface FactorEvents {
  readonly events: readonly AdjustmentEvent[];
  /** By ticker, the last day of an event with an id. */
  readonly lastDates: ReadonlyMap<string, string>;
  /** Tickers of events without an id. */
  readonly tickers: ReadonlySet<string>;
}

/** The events that restate rows of the first date or later. */
async function readFactorEvents(input: ComputationInput): Promise<FactorEvents> {
  const { inputs, dates, warn } = input;
  const factors = inputs[1] as Dataset;
  const events: AdjustmentEvent[] = [];
  const lastDates = new Map<string, string>();
  const tickers = new Set<string>();
  const listed = new ListedEvents(warn);
  for await (const rows of referenceRows(input, factors, FACTOR_COLUMNS, null)) {
    for (const row of rows) {
      const { ASID, Ticker, EffectiveDate: effectiveDate, AdjustmentFactor: factor } = row;
      if (effectiveDate === null || factor === null || effectiveDate <= dates.start) continue;
      const place = () => placeOfEvent(factors, row);
      if (factor <= 0) {
        warn(`${place()}: the factor ${factor} is left out`);
        continue;
      }
      const ticker = Ticker ?? '';
      const reason = row.AdjustmentReason ?? '';
      const event = { security: ASID ?? ticker, effectiveDate, factor, reason };
      if (!listed.counts({ ...event, eventId: row.EventId }, place)) continue;
      events.push(event);
      if (ASID === null) tickers.add(ticker);
      else if (Ticker !== null)
        lastDates.set(ticker, laterOf(lastDates.get(ticker) ?? '', effectiveDate));
    }
  }
  return { events, lastDates, tickers };
}

/** Calendar days before the first date of which the last close counts. */
const CLOSE_AGE_DAYS_MAX = 14;
/** Smaller factors are lost in what prices do on any day. */
const FACTOR_MIN = 1.25;
/** How near a price has to come to 1/n or n of the one before for that to look like a split. */
const SPLIT_TOLERANCE = 0.03;
const SPLIT_MAX = 100;

/** In logarithms, so that a split and its inverse count alike. */
const sizeOf = (ratio: number) => Math.abs(Math.log(ratio));

/** True if the price moved less like the factor than like no factor at all. */
function contradicts(moved: number, factor: number): boolean {
  return sizeOf(factor) > Math.log(FACTOR_MIN) && sizeOf(moved / factor) > sizeOf(moved);
}

/** True if a price moved to a whole part or a multiple of itself. */
function looksLikeSplit(moved: number): boolean {
  const ratio = Math.max(moved, 1 / moved);
  const whole = Math.round(ratio);
  return whole >= 2 && whole <= SPLIT_MAX && Math.abs(ratio / whole - 1) < SPLIT_TOLERANCE;
}

/** The product of the factors after one date and up to another; null if there are none. */
function factorBetween(events: readonly AdjustmentEvent[], after: string, until: string) {
  const between = events.filter(
    ({ effectiveDate }) => after < effectiveDate && effectiveDate <= until,
  );
  return between.length === 0 ? null : between.reduce((all, { factor }) => all * factor, 1);
}

/** Warns of closes that contradict factors. Only rows of one security and day each have closes. */
async function warnOfJumps(
  input: ComputationInput,
  events: readonly AdjustmentEvent[],
): Promise<void> {
  const { dates, warn } = input;
  const [rows, factors] = input.inputs;
  const isDaily = rows.columns.every(({ dataType }) => dataType !== 'date-time');
  if (!factors || !isDaily || !rows.columnByName.has('ClosePrice')) return;
  const eventsOf = Map.groupBy(events, ({ security }) => security);
  const closes = new Map<number | string, { readonly day: number; readonly price: number }>();
  const span = { ...dates, start: addDays(dates.start, -CLOSE_AGE_DAYS_MAX) };
  for await (const closeRows of referenceRows(input, rows, CLOSE_COLUMNS, span)) {
    for (const { TradeDate: day, Ticker, ASID, ClosePrice: price } of closeRows) {
      const security = ASID ?? Ticker;
      if (day === null || security === null || price === null || price <= 0) continue;
      const last = closes.get(security);
      closes.set(security, { day, price });
      if (!last || last.day === day) continue;
      const moved = price / last.price;
      if (sizeOf(moved) < Math.log(FACTOR_MIN) && !eventsOf.has(security)) continue;
      const [before, date] = [dateOfDays(last.day), dateOfDays(day)];
      const factor = factorBetween(eventsOf.get(security) ?? [], before, date);
      if (date < dates.start) continue;
      if (factor === null ? !looksLikeSplit(moved) : !contradicts(moved, factor)) continue;
      warn(
        `${rows.textId} ${date} ${Ticker}: the close went from ${last.price} to ${price}, where ` +
          `${factors.textId} has ${factor === null ? 'no factor' : `a factor of ${factor}`}`,
      );
    }
  }
}

/** The columns of the raw rows; the last two of the output are the factors. */
function rawColumnsOf({ columns }: Dataset): string[] {
  return columns.map(({ name }) => name).filter((name) => !isFactorColumn(name));
}

const BY_TICKER = 'factors are found by ticker, as if no ticker had ever passed to another company';

/**
 * The rows whose factors are known. A row without an id is left out if its ticker has later factors
 * with one: nobody could tell whether they are its own, and unadjusted it would be wrong.
 */
function knownRows(
  { output, inputs: [raw, factors], warn }: ComputationInput,
  batch: ColumnBatch,
  { lastDates, tickers }: FactorEvents,
): ColumnBatch {
  const vectorAt = vectorsOf(rawColumnsOf(output), batch);
  const dayOf = doubleReader(vectorAt(ROW_KEYS.date));
  const idOf = doubleReader(vectorAt(ROW_KEYS.asid));
  const tickerOf = textReader(vectorAt(ROW_KEYS.ticker));
  const have = (ticker: string) => `${factors?.textId} has factors for ${ticker}`;
  const isKnown = (row: number): boolean => {
    const ticker = tickerOf(row) ?? '';
    if (!Number.isNaN(idOf(row))) {
      if (tickers.has(ticker)) warn(`${have(ticker)} without an ASID, but the rows have one`);
      return true;
    }
    const lastDate = lastDates.get(ticker);
    if (lastDate !== undefined && lastDate > dateOfDays(dayOf(row))) {
      warn(`rows of ${ticker} are left out: ${have(ticker)}, but the rows have no ASID`);
      return false;
    }
    if (tickers.has(ticker)) warn(`${raw.textId} has rows without an ASID: ${BY_TICKER}`);
    return true;
  };
  const known = Array.from({ length: batch.rowCount }, (_, row) => row).filter(isKnown);
  return known.length === batch.rowCount ? batch : takeRows(batch, known);
}

async function* adjustRows(
  input: ComputationInput,
  events: FactorEvents,
): AsyncIterable<ColumnBatch> {
  const { inputs, output, dates, read } = input;
  await warnOfJumps(input, events.events);
  const table = buildFactorTable(events.events);
  const names = rawColumnsOf(output);
  for await (const batch of read(inputs[0], names, dates)) {
    const known = knownRows(input, batch, events);
    yield restateBatch(output.columns, known.rowCount, vectorsOf(names, known), table);
  }
}

export const ADJUSTED_ROWS = referencedComputation({
  ruleVersion: RULE_VERSION,
  read: readFactorEvents,
  digested: ({ events, lastDates, tickers }) => [events, [...lastDates], [...tickers]],
  rows: adjustRows,
});
