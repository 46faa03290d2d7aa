/**
 * Adjusted rows as plainly as possible: exact fractions, event by event. Shares nothing with the
 * server.
 */
export type JsonRow = Record<string, string | number | null>;

export interface Event {
  readonly asid: bigint | null;
  readonly ticker: string;
  readonly date: string;
  /** Decimal digits. */
  readonly factor: string;
  readonly reason: string;
}

export interface Choice {
  readonly asOf: string | null;
  readonly adjustments: 'all' | 'splits';
}

/** Events that change the number of shares. */
export const SHARE_REASONS = [
  ...['BonusSame', 'CapReduct', 'Cons', 'ScriptDiv', 'SecSwap', 'Reclass', 'Subdiv'],
];

/** Columns of prices and of shares, with the digits that they are rounded to. */
const PRICE_DIGITS: Readonly<Record<string, number>> = {
  ...{ OpenPrice: 4, HighPrice: 4, LowPrice: 4, ClosePrice: 4, Price: 4 },
  ...{ FirstTradePrice: 4, HighTradePrice: 4, LowTradePrice: 4, LastTradePrice: 4 },
  ...{ MarketHoursVWAP: 6, DailyVWAP: 6, VolumeWeightPrice: 6 },
};
const SHARE_COLUMNS = [
  ...['MarketHoursVolume', 'MarketHoursFinraVolume', 'DailyVolume', 'DailyFinraVolume'],
  ...['Volume', 'Quantity'],
];

interface Fraction {
  readonly over: bigint;
  readonly under: bigint;
}

function fractionOf(text: string): Fraction {
  const [whole = '', digits = ''] = text.split('.');
  return { over: BigInt(whole + digits), under: 10n ** BigInt(digits.length) };
}

const product = (a: Fraction, b: Fraction): Fraction => ({
  over: a.over * b.over,
  under: a.under * b.under,
});
const inverse = ({ over, under }: Fraction): Fraction => ({ over: under, under: over });

const size = (value: bigint): bigint => (value < 0n ? -value : value);

/**
 * True if the value is the fraction rounded to `digits`. Factors are doubles of nearly 16 digits,
 * so as near to a tie as they can tell, either neighbour passes.
 */
function isRounded(value: number, { over, under }: Fraction, digits: number): boolean {
  const unit = 10n ** BigInt(digits);
  const scaled = BigInt(Math.round(value * Number(unit)));
  if (Number(scaled) / Number(unit) !== value) return false;
  const off = 2n * (scaled * under - over * unit);
  const vague = under / 1_000_000n + size(2n * over * unit) / 10n ** 15n;
  return size(off) <= under + vague;
}

function isNear(value: number, { over, under }: Fraction): boolean {
  const exact = Number((over * 10n ** 24n) / under) / 1e24;
  return Math.abs(value - exact) <= 1e-13 * exact;
}

interface Factors {
  readonly price: Fraction;
  readonly volume: Fraction;
}

function chosen(event: Event, { asOf, adjustments }: Choice): boolean {
  if (asOf !== null && event.date > asOf) return false;
  return adjustments === 'all' || SHARE_REASONS.includes(event.reason);
}

/** By id or, where both have none, by ticker. */
function isAbout(event: Event, raw: JsonRow): boolean {
  if (raw.ASID !== null) return String(event.asid) === String(raw.ASID);
  return event.asid === null && event.ticker === raw.Ticker;
}

function factorsOf(raw: JsonRow, events: readonly Event[], choice: Choice): Factors {
  let price = fractionOf('1');
  let volume = fractionOf('1');
  for (const event of events) {
    if (!isAbout(event, raw)) continue;
    if (event.date <= String(raw.TradeDate) || !chosen(event, choice)) continue;
    price = product(price, fractionOf(event.factor));
    if (SHARE_REASONS.includes(event.reason)) volume = product(volume, fractionOf(event.factor));
  }
  return { price, volume };
}

/** True if nothing tells the row's factors: it has no id, but its ticker's events have one. */
function isUnclear(raw: JsonRow, events: readonly Event[], choice: Choice): boolean {
  return (
    raw.ASID === null &&
    events.some(
      (event) =>
        event.asid !== null &&
        event.ticker === raw.Ticker &&
        event.date > String(raw.TradeDate) &&
        chosen(event, choice),
    )
  );
}

function isRight(name: string, raw: JsonRow, shown: JsonRow, { price, volume }: Factors): boolean {
  const [from, to] = [raw[name] ?? null, shown[name] ?? null];
  if (name === 'PriceAdjFactor') return isNear(to as number, price);
  if (name === 'VolumeAdjFactor') return isNear(to as number, volume);
  if (from === null || to === null) return from === to;
  const digits = PRICE_DIGITS[name];
  if (digits !== undefined) {
    return isRounded(to as number, product(fractionOf(String(from)), price), digits);
  }
  if (SHARE_COLUMNS.includes(name)) {
    return isRounded(to as number, product(fractionOf(String(from)), inverse(volume)), 0);
  }
  return from === to;
}

/** Cells that are not the raw ones restated, as texts; none: all are right. */
export function wrongCells(
  raw: readonly JsonRow[],
  shown: readonly JsonRow[],
  events: readonly Event[],
  choice: Choice,
): string[] {
  const due = raw.filter((row) => !isUnclear(row, events, choice));
  if (due.length !== shown.length) return [`${shown.length} rows instead of ${due.length}`];
  return due.flatMap((row, at) => {
    const given = shown[at] as JsonRow;
    const factors = factorsOf(row, events, choice);
    return Object.keys(given)
      .filter((name) => !isRight(name, row, given, factors))
      .map((name) => `${name} of ${JSON.stringify(row)} is ${given[name]}`);
  });
}
