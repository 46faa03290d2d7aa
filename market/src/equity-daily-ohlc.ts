/**
 * Daily prices and volumes of one equity. A price must be eligible for the consolidated last sale,
 * so odd lots and extended-hours prints set none; volumes count every trade once; averages cover
 * the trades that the minute bars of the same logic count.
 */
import { BarWriter, barLayout } from './bar-layout.ts';
import type { AggregationLogic } from './conditions.ts';
import { CLOSING_PRINT, OFFICIAL_PRICE, TRADE_USE } from './conditions.ts';
import { FINRA, hoursOf } from './equity-bar.ts';
import type { EquityDay, EquityEvent } from './events.ts';
import { PriceBar } from './price-bar.ts';
import { type Quantity, QuantitySum } from './quantity.ts';
import { priceOfTicks, ticksOfPrice } from './rounding.ts';
import type { NumberTable } from './row-sources.ts';
import { averagePrice, Turnover } from './turnover.ts';

/** Volumes and averages of one span of the day. */
class Span {
  readonly counted = new Turnover();
  readonly shares = new QuantitySum();
  readonly finraShares = new QuantitySum();

  add(event: EquityEvent, isCounted: boolean): void {
    this.shares.add(event.quantity);
    if (event.exchange === FINRA) this.finraShares.add(event.quantity);
    if (isCounted) this.counted.add(ticksOfPrice(event.price), event.quantity);
  }
}

interface DailyCourse {
  readonly prices: PriceBar;
  readonly marketHours: Span;
  readonly wholeDay: Span;
}

const MEASURES: Readonly<Record<string, (course: DailyCourse) => Quantity>> = {
  OpenPrice: ({ prices }) => priceOfTicks(prices.firstPrice),
  HighPrice: ({ prices }) => priceOfTicks(prices.highPrice),
  LowPrice: ({ prices }) => priceOfTicks(prices.lowPrice),
  ClosePrice: ({ prices }) => priceOfTicks(prices.lastPrice),
  MarketHoursVolume: ({ marketHours }) => marketHours.shares.value,
  MarketHoursFinraVolume: ({ marketHours }) => marketHours.finraShares.value,
  DailyVolume: ({ wholeDay }) => wholeDay.shares.value,
  DailyFinraVolume: ({ wholeDay }) => wholeDay.finraShares.value,
  MarketHoursVWAP: ({ marketHours }) => averagePrice(marketHours.counted),
  DailyVWAP: ({ wholeDay }) => averagePrice(wholeDay.counted),
};

const LAYOUT = barLayout<DailyCourse>(MEASURES, ({ prices }) => !Number.isNaN(prices.firstPrice));

/** The computed columns of the daily price datasets. */
export const EQUITY_DAILY_OHLC_COLUMNS = LAYOUT.columns;

function isTrade(event: EquityEvent): boolean {
  return (
    (event.type === 'TRADE' || event.type === 'TRADE NB') && event.price > 0 && event.quantity > 0
  );
}

/**
 * One row, or none on a day without an eligible price in regular hours. The closing auction's print
 * belongs to regular hours although it comes after the bell.
 */
export function equityDailyOhlc(day: EquityDay, logic: AggregationLogic): NumberTable {
  const course = { prices: new PriceBar(), marketHours: new Span(), wholeDay: new Span() };
  const { regularStartNanos, regularEndNanos } = hoursOf(day);
  for (const event of day.events) {
    if (!isTrade(event) || (event.conditions & OFFICIAL_PRICE) !== 0) continue;
    const { conditions, nanosOfDay } = event;
    const isMarketHours =
      nanosOfDay >= regularStartNanos &&
      (nanosOfDay < regularEndNanos || (conditions & CLOSING_PRINT) !== 0);
    const use = TRADE_USE[logic](conditions, isMarketHours);
    course.wholeDay.add(event, use !== 0);
    if (!isMarketHours) continue;
    course.marketHours.add(event, use !== 0);
    const priceUse = use & TRADE_USE.industry_std(conditions, true);
    course.prices.add(ticksOfPrice(event.price), event.quantity, nanosOfDay, priceUse);
  }
  const writer = new BarWriter(LAYOUT);
  writer.write(course, 0);
  return writer.table();
}
