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
import { addDays } from '../request/literals.ts';
import { type ComputationInput, referencedComputation } from './computation.ts';
import { ListedEvents, placeOfEvent } from './listed-events.ts';
import { CLOSE_COLUMNS, referenceRows } from './reference-rows.ts';

const RULE_VERSION = 2;

const FACTOR_COLUMNS = {
  ASID: 'number',
  Ticker: 'text',
  EffectiveDate: 'date',
  AdjustmentFactor: 'number',
  AdjustmentReason: 'text',
  EventId: 'number',
} as const;

interface FactorEvents {
  /** Events of securities with an id. */
  readonly events: readonly AdjustmentEvent[];
  /** Tickers of all events, with an id or without. */
  readonly tickers: ReadonlySet<string>;
}

/** The events that restate rows of the first date or later. */
async function readFactorEvents(input: ComputationInput): Promise<FactorEvents> {
  const { inputs, dates, warn } = input;
  const factors = inputs[1] as Dataset;
  const events: AdjustmentEvent[] = [];
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
      const event = { effectiveDate, factor, reason: row.AdjustmentReason ?? '' };
      const known = { ...event, security: ASID ?? Ticker, eventId: row.EventId };
      if (!listed.counts(known, place)) continue;
      tickers.add(Ticker ?? '');
      if (ASID !== null) events.push({ asid: ASID, ...event });
    }
  }
  return { events, tickers };
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
  const eventsOf = Map.groupBy(events, ({ asid }) => Number(asid));
  const closes = new Map<number, { readonly day: number; readonly price: number }>();
  const span = { ...dates, start: addDays(dates.start, -CLOSE_AGE_DAYS_MAX) };
  for await (const closeRows of referenceRows(input, rows, CLOSE_COLUMNS, span)) {
    for (const { TradeDate: day, Ticker, ASID: id, ClosePrice: price } of closeRows) {
      if (day === null || id === null || price === null || price <= 0) continue;
      const last = closes.get(id);
      closes.set(id, { day, price });
      if (!last || last.day === day) continue;
      const moved = price / last.price;
      if (sizeOf(moved) < Math.log(FACTOR_MIN) && !eventsOf.has(id)) continue;
      const [before, date] = [dateOfDays(last.day), dateOfDays(day)];
      const factor = factorBetween(eventsOf.get(id) ?? [], before, date);
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

/**
 * The rows whose factors are known. A row without an id whose ticker has factors is left out:
 * nobody could tell whose factors they are, and unadjusted it would be wrong.
 */
function knownRows(
  { output, inputs: [, factors], warn }: ComputationInput,
  batch: ColumnBatch,
  { tickers }: FactorEvents,
): ColumnBatch {
  const vectorAt = vectorsOf(rawColumnsOf(output), batch);
  const idOf = doubleReader(vectorAt(ROW_KEYS.asid));
  const tickerOf = textReader(vectorAt(ROW_KEYS.ticker));
  const known: number[] = [];
  for (let row = 0; row < batch.rowCount; row++) {
    const ticker = tickerOf(row);
    if (!Number.isNaN(idOf(row)) || ticker === null || !tickers.has(ticker)) known.push(row);
    else {
      warn(
        `rows of ${ticker} are left out: ${factors?.textId} has factors for ${ticker}, ` +
          'but the rows have no ASID',
      );
    }
  }
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
  digested: ({ events, tickers }) => [events, [...tickers]],
  rows: adjustRows,
});
