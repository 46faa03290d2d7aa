/** Condition flags of equity trades and quotes, and what each lets an event do in a bar. */

/** The rules for trades in bars: the vendor's own, or the consolidated tapes'. */
export const AGGREGATION_LOGICS = ['vendor_default', 'industry_std'] as const;
export type AggregationLogic = (typeof AGGREGATION_LOGICS)[number];

/** Meaning of each bit of a trade's condition mask; bit 30 has none. */
export const TRADE_CONDITIONS = [
  'Regular',
  'Cash settlement',
  'Next-day settlement',
  'Seller option',
  'Yellow flag',
  'Intermarket sweep',
  'Opening print',
  'Closing print',
  'Re-opening print',
  'Derivatively priced',
  'Form T',
  'Sold last',
  'Stopped',
  'Extended hours',
  'Out of sequence',
  'Split trade',
  'Acquisition',
  'Bunched',
  'Stock-option',
  'Distribution',
  'Average price',
  'Cross',
  'Price variation',
  'Rule 155',
  'Official close',
  'Prior reference price',
  'Official open',
  'Cap election',
  'Auto execution',
  'Trade-through exempt',
  null,
  'Odd lot',
] as const;

/** Meaning of each bit of a quote's condition mask. */
export const QUOTE_CONDITIONS = [
  'Regular',
  'Slow',
  'Gap',
  'Closing',
  'News dissemination',
  'News pending',
  'Trading range indication',
  'Order imbalance',
  'Closed market maker',
  'Volatility trading pause',
  'Non-firm',
  'Opening quote',
  'Due to related security',
  'Resume',
  'In view of common',
  'Equipment changeover',
  'Sub-penny trading',
  'No open / no resume',
  'Limit-up limit-down band',
  'Republished band',
  'Manual',
  'Fast trading',
  'Order influx',
] as const;

/** A bit of quotes, beyond the mask: their feed has national bests alone, bid and ask together. */
export const BEST_ALONE = 2 ** 32;

/**
 * True of a row that its feed or recipe says to be of national bests alone: a bid and its ask of
 * one moment follow each other, and no rows of other venues add to their sizes.
 */
export function isBestAlone(conditions: number): boolean {
  return ((conditions / BEST_ALONE) & 1) === 1;
}

export type TradeCondition = Exclude<(typeof TRADE_CONDITIONS)[number], null>;
export type QuoteCondition = (typeof QUOTE_CONDITIONS)[number];

/** Unsigned 32-bit mask of the bits that have no meaning. */
function unknownBits(names: readonly (string | null)[]): number {
  return Array.from({ length: 32 }, (_, bit) => bit)
    .filter((bit) => (names[bit] ?? null) === null)
    .reduce((mask, bit) => (mask | (1 << bit)) >>> 0, 0);
}

export const UNKNOWN_TRADE_BITS = unknownBits(TRADE_CONDITIONS);
export const UNKNOWN_QUOTE_BITS = unknownBits(QUOTE_CONDITIONS);

/** Unsigned 32-bit mask of trade conditions. */
export function tradeMask(...conditions: TradeCondition[]): number {
  return conditions.reduce((mask, name) => mask | (1 << TRADE_CONDITIONS.indexOf(name)), 0) >>> 0;
}

/** Unsigned 32-bit mask of quote conditions. */
export function quoteMask(...conditions: QuoteCondition[]): number {
  return conditions.reduce((mask, name) => mask | (1 << QUOTE_CONDITIONS.indexOf(name)), 0) >>> 0;
}

/** How a trade counts in its bar: a sum of these flags, 0 if the bar ignores it. */
export const IS_COUNTED = 1;
/** The trade may set the highest and the lowest price. */
export const IS_EXTREME = 2;
/** The trade may be the first and the last one. */
export const IS_ENDPOINT = 4;
/** The trade is first and last only while the bar has no other. */
export const IS_SOLE_ENDPOINT = 8;

export const FULL_USE = IS_COUNTED | IS_EXTREME | IS_ENDPOINT | IS_SOLE_ENDPOINT;

export const ODD_LOT = tradeMask('Odd lot');
export const PRIOR_REFERENCE_PRICE = tradeMask('Prior reference price');
export const CLOSING_PRINT = tradeMask('Closing print');
/** Repeats of an auction's print, whose shares were counted with the print. */
export const OFFICIAL_PRICE = tradeMask('Official open', 'Official close');
const EXTENDED_HOURS = tradeMask('Form T', 'Extended hours');

const VENDOR_REJECTED_TRADE = tradeMask(
  'Out of sequence',
  'Average price',
  'Price variation',
  'Rule 155',
  'Official close',
  'Prior reference price',
  'Official open',
);
const VENDOR_KEPT_TRADE = tradeMask(
  'Regular',
  'Cash settlement',
  'Next-day settlement',
  'Intermarket sweep',
  'Opening print',
  'Closing print',
  'Form T',
  'Extended hours',
  'Cross',
  'Trade-through exempt',
  'Odd lot',
);
const REJECTED_QUOTE = quoteMask(
  'Closing',
  'News dissemination',
  'News pending',
  'Trading range indication',
  'Order imbalance',
  'Resume',
);
const KEPT_QUOTE = quoteMask('Regular', 'Slow', 'Gap', 'Opening quote', 'Fast trading');

const INDUSTRY_VOLUME_ONLY = tradeMask(
  'Cash settlement',
  'Next-day settlement',
  'Seller option',
  'Average price',
  'Price variation',
  'Odd lot',
  'Stock-option',
  'Cap election',
);
const INDUSTRY_NOT_LAST = tradeMask(
  'Sold last',
  'Prior reference price',
  'Derivatively priced',
  'Out of sequence',
);

export function isCountedQuote(conditions: number): boolean {
  return (conditions & REJECTED_QUOTE) === 0 && (conditions & KEPT_QUOTE) !== 0;
}

function vendorTradeUse(conditions: number): number {
  const isCounted =
    (conditions & VENDOR_REJECTED_TRADE) === 0 && (conditions & VENDOR_KEPT_TRADE) !== 0;
  return isCounted ? FULL_USE : 0;
}

/**
 * Extended-hours prints set prices outside regular hours, where there are no others. Of several
 * conditions the most restrictive holds.
 */
function industryTradeUse(conditions: number, isRegularHours: boolean): number {
  if ((conditions & OFFICIAL_PRICE) !== 0) return 0;
  const volumeOnly = isRegularHours ? INDUSTRY_VOLUME_ONLY | EXTENDED_HOURS : INDUSTRY_VOLUME_ONLY;
  if ((conditions & volumeOnly) !== 0) return IS_COUNTED;
  if ((conditions & INDUSTRY_NOT_LAST) !== 0) return IS_COUNTED | IS_EXTREME | IS_SOLE_ENDPOINT;
  return FULL_USE;
}

/** How a trade with these conditions counts in a bar of this aggregation logic. */
export const TRADE_USE: Readonly<
  Record<AggregationLogic, (conditions: number, isRegularHours: boolean) => number>
> = { vendor_default: vendorTradeUse, industry_std: industryTradeUse };
