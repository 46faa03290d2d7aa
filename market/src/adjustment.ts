/**
 * Corporate-action adjustment: the factor of an event, the backward factors of a security by date,
 * and rows restated with them. A row dated on an event's effective date or later is not touched by
 * that event; the last segment of every security has factor 1.
 */

import { divideToEven, roundDecimals } from './rounding.ts';
import { columnValues, type NumberTable } from './row-sources.ts';

/** A security's permanent number; its ticker, if it has none. */
export type SecurityKey = number | bigint | string;

export interface AdjustmentEvent {
  readonly security: SecurityKey;
  /** First date that is in the new terms, `YYYY-MM-DD`. */
  readonly effectiveDate: string;
  readonly factor: number;
  readonly reason: string;
}

/** Reasons whose factor restates share counts as well as prices. */
const VOLUME_REASONS: ReadonlySet<string> = new Set([
  'BonusSame',
  'CapReduct',
  'Cons',
  'ScriptDiv',
  'SecSwap',
  'Reclass',
  'Subdiv',
]);

/** True if events of the reason restate share counts. */
export function changesShares(reason: string): boolean {
  return VOLUME_REASONS.has(reason);
}

export interface AdjustmentFactors {
  readonly price: number;
  readonly volume: number;
}

export const UNADJUSTED: AdjustmentFactors = { price: 1, volume: 1 };

/** The factors of one event more. */
export function withEvent(
  { price, volume }: AdjustmentFactors,
  { factor, reason }: Pick<AdjustmentEvent, 'factor' | 'reason'>,
): AdjustmentFactors {
  return {
    price: price * factor,
    volume: changesShares(reason) ? volume * factor : volume,
  };
}

/** Which events restate rows: every one, or those alone that change the number of shares. */
export const ADJUSTMENTS = ['all', 'splits'] as const;
export type Adjustments = (typeof ADJUSTMENTS)[number];

export interface AdjustmentChoice {
  readonly adjustments: Adjustments;
  /** Events with a later effective date restate nothing; null: all count. */
  readonly asOf: string | null;
}

export const EVERY_EVENT: AdjustmentChoice = { adjustments: 'all', asOf: null };

/** True if the event restates rows of earlier dates. */
export function isChosen(
  { effectiveDate, reason }: Pick<AdjustmentEvent, 'effectiveDate' | 'reason'>,
  { adjustments, asOf }: AdjustmentChoice,
): boolean {
  if (asOf !== null && effectiveDate > asOf) return false;
  return adjustments === 'all' || changesShares(reason);
}

/** The factors of rows dated before `effectiveDate` and not before the segment ahead of it. */
interface Segment extends AdjustmentFactors {
  readonly effectiveDate: string;
}

export interface FactorTable {
  /** Backward factors of a security on a date; 1 and 1 where it has no later event. */
  factorsOn(security: SecurityKey, date: string): AdjustmentFactors;
}

/**
 * Segments of one security's events, oldest first; of one day, the one with all its events first.
 * The last event of a day is multiplied first, so that equal events make equal
 * factors to the last digit.
 */
function segmentsOf(events: readonly AdjustmentEvent[]): Segment[] {
  const newestFirst = events.toReversed().sort((a, b) => {
    if (a.effectiveDate === b.effectiveDate) return 0;
    return a.effectiveDate < b.effectiveDate ? 1 : -1;
  });
  const segments: Segment[] = [];
  let factors = UNADJUSTED;
  for (const event of newestFirst) {
    factors = withEvent(factors, event);
    segments.push({ effectiveDate: event.effectiveDate, ...factors });
  }
  return segments.reverse();
}

function keyOf(security: SecurityKey): bigint | string {
  return typeof security === 'string' ? security : BigInt(security);
}

/** The backward factors of the securities that are asked for, whose events are looked up then. */
export function factorTableOf(
  eventsOf: (security: bigint | string) => readonly AdjustmentEvent[],
  choice: AdjustmentChoice,
): FactorTable {
  const known = new Map<bigint | string, readonly Segment[]>();
  const segmentsFor = (security: bigint | string): readonly Segment[] => {
    const found = known.get(security);
    if (found) return found;
    const segments = segmentsOf(eventsOf(security).filter((event) => isChosen(event, choice)));
    known.set(security, segments);
    return segments;
  };
  return {
    factorsOn: (security, date) =>
      segmentsFor(keyOf(security)).find(({ effectiveDate }) => effectiveDate > date) ?? UNADJUSTED,
  };
}

/** The backward factors of every security that has events, in any order. */
export function buildFactorTable(events: Iterable<AdjustmentEvent>): FactorTable {
  const eventsOf = Map.groupBy(events, ({ security }) => keyOf(security));
  return factorTableOf((security) => eventsOf.get(security) ?? [], EVERY_EVENT);
}

/** A price restated, four decimals. */
function adjustPrice(price: number, factors: AdjustmentFactors): number {
  return roundDecimals(price * factors.price, 4);
}

/** An average price restated, six decimals. */
function adjustAveragePrice(price: number, factors: AdjustmentFactors): number {
  return roundDecimals(price * factors.price, 6);
}

/** A share count restated, whole shares. */
function adjustShares(shares: number, factors: AdjustmentFactors): number {
  return roundDecimals(shares / factors.volume, 0);
}

/** Below, doubles tell ties from what lies near them. */
const NEAR_MAX = 2 ** 43;
const FACTOR_SCALE = 10n ** 18n;
/** Relative size of what the digits of a factor leave out. */
const FACTOR_NOISE = 1e-12;

/** How many times as many shares there are, as a ratio: for most splits, of small numbers. */
function shareRatio(factor: number): readonly [bigint, bigint] {
  const [more, fewer] = [Math.round(1 / factor), Math.round(factor)];
  if (Math.abs(more * factor - 1) < FACTOR_NOISE) return [BigInt(more), 1n];
  if (Math.abs(fewer / factor - 1) < FACTOR_NOISE) return [1n, BigInt(fewer)];
  return [FACTOR_SCALE, BigInt(Math.round(factor * 1e15)) * 1000n];
}

/** A quantity restated, in whole units. */
export function adjustQuantity(quantity: bigint, factors: AdjustmentFactors): bigint {
  if (factors.volume === 1) return quantity;
  const near = Number(quantity);
  if (near / factors.volume < NEAR_MAX) return BigInt(adjustShares(near, factors));
  const [more, fewer] = shareRatio(factors.volume);
  return divideToEven(quantity * more, fewer);
}

export const ADJUSTMENT_COLUMNS = ['PriceAdjFactor', 'VolumeAdjFactor'] as const;

const ADJUSTERS = {
  average_price: adjustAveragePrice,
  price: adjustPrice,
  shares: adjustShares,
} as const;

export type AdjustedKind = keyof typeof ADJUSTERS;
export const ADJUSTED_KINDS = Object.keys(ADJUSTERS) as [AdjustedKind, ...AdjustedKind[]];

/** As what a column of market rows is restated; null: it stays as it is. */
export function adjustedKindOf(column: string): AdjustedKind | null {
  if (/(?:VWAP|VolumeWeightPrice)$/.test(column)) return 'average_price';
  if (/Price$/.test(column)) return 'price';
  if (/(?:Volume|Size|Quantity)$/.test(column)) return 'shares';
  return null;
}

/** True if a column of market rows is restated. */
export function isAdjusted(column: string): boolean {
  return adjustedKindOf(column) !== null;
}

/**
 * Rows of trades, minute bars or daily values restated, with the two factors appended as last
 * columns. `factorsOf(row)` gives the factors of a row; a null stays null, counts stay.
 */
export function adjustTable(
  table: NumberTable,
  factorsOf: (row: number) => AdjustmentFactors,
): NumberTable {
  const factors = Array.from({ length: table.rowCount }, (_, row) => factorsOf(row));
  const adjusted = table.columns.map((name) => {
    const kind = adjustedKindOf(name);
    const values = columnValues(table, name);
    if (kind === null) return values;
    const adjust = ADJUSTERS[kind];
    return values.map((v, row) => adjust(v, factors[row] as AdjustmentFactors));
  });
  return {
    columns: [...table.columns, ...ADJUSTMENT_COLUMNS],
    rowCount: table.rowCount,
    values: [
      ...adjusted,
      Float64Array.from(factors, ({ price }) => price),
      Float64Array.from(factors, ({ volume }) => volume),
    ],
  };
}
