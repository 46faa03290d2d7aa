/** Halts and short-sale restrictions of one day. */
import { IS_EXTREME, TRADE_USE } from '@ticklake/market/conditions.ts';
import type { EquityEvent } from '@ticklake/market/events.ts';
import type { RowBuffers } from 'ticklake/engine/row-buffer.ts';
import { byColumns, easternMoment, type Row } from './cells.ts';
import type { ListedDay } from './equity-market.ts';
import { type Halt, haltOn } from './halts.ts';
import { NANOS_PER_MINUTE, type SessionMinutes } from './intraday-path.ts';
import { roundCents } from './price-path.ts';
import type { Random } from './random.ts';
import { nameOn } from './securities.ts';
import type { Timeline } from './timeline.ts';

/** Short sales are restricted once a trade is at this share of the last close. */
const TRIGGER_SHARE = 0.9;
const PAUSE_MINUTES = 5;

/** The price at which the restriction begins on a day. */
function triggerPrice({ listed, dayIndex }: ListedDay): number {
  const reference = listed.path.reference[dayIndex - listed.path.firstDay] as number;
  return Math.floor(reference * TRIGGER_SHARE * 10_000) / 10_000;
}

function names({ listed, date }: ListedDay) {
  const { ticker, name, exchange, secId } = nameOn(listed.security, date);
  return { Ticker: ticker, Name: name, SecId: secId, ASID: listed.security.asid, exchange };
}

function restrictionRow(listedDay: ListedDay, minutes: number): Row {
  const { exchange, ...columns } = names(listedDay);
  return {
    TradeDate: listedDay.date,
    ...columns,
    MarketCategory: exchange,
    TriggerTime: easternMoment(listedDay.date, minutes),
  };
}

function haltRow(
  listedDay: ListedDay,
  halt: Pick<Halt, 'fromMinute' | 'toMinute' | 'code'>,
  thresholdPrice: number | null,
): Row {
  const { exchange, ...columns } = names(listedDay);
  const { fromMinute, toMinute, code } = halt;
  const resumed = toMinute === null ? null : easternMoment(listedDay.date, toMinute);
  return {
    TradeDate: listedDay.date,
    ...columns,
    PrimaryExchange: exchange,
    HaltDateTime: easternMoment(listedDay.date, fromMinute),
    HaltReasonCode: code,
    PauseThresholdPrice: code === 'LUDP' ? thresholdPrice : null,
    QuoteResumeDateTime: resumed,
    ResumeDateTime: resumed,
  };
}

function isEligible({ type, conditions }: EquityEvent): boolean {
  const isTrade = type === 'TRADE' || type === 'TRADE NB';
  return isTrade && (TRADE_USE.industry_std(conditions, true) & IS_EXTREME) !== 0;
}

export class RestrictionDay {
  readonly #timeline: Timeline;
  #halts: Row[] = [];
  #restrictions: Row[] = [];

  constructor(timeline: Timeline) {
    this.#timeline = timeline;
  }

  /** Restricts a security whose drawn low reaches the trigger, after a pause of five minutes. */
  addDrawn(listedDay: ListedDay, low: number, random: Random): void {
    const trigger = triggerPrice(listedDay);
    if (low > trigger) return;
    const minute = random.integer(575, 760);
    const pause = { fromMinute: minute, toMinute: minute + PAUSE_MINUTES, code: 'LUDP' } as const;
    this.#restrictions.push(restrictionRow(listedDay, minute));
    this.#halts.push(haltRow(listedDay, pause, roundCents(trigger)));
  }

  /** Finds the trade that restricts a security, and notes its halt. */
  addTraded(
    listedDay: ListedDay,
    events: readonly EquityEvent[],
    { open, close }: SessionMinutes,
  ): void {
    const { listed, dayIndex } = listedDay;
    const trigger = triggerPrice(listedDay);
    const trade = events.find(
      (event) =>
        event.price <= trigger &&
        event.nanosOfDay >= open * NANOS_PER_MINUTE &&
        event.nanosOfDay < close * NANOS_PER_MINUTE &&
        isEligible(event),
    );
    if (trade) {
      const seconds = Math.floor(trade.nanosOfDay / 1_000_000_000);
      this.#restrictions.push(restrictionRow(listedDay, seconds / 60));
    }
    const halt = haltOn(listed.company.ticker, this.#timeline.ageOf(dayIndex));
    if (!halt) return;
    const before = events.findLast(
      (event) => event.nanosOfDay < halt.fromMinute * NANOS_PER_MINUTE && isEligible(event),
    );
    this.#halts.push(haltRow(listedDay, halt, before?.price ?? null));
  }

  /** Moves the day's rows into the buffers. */
  flush(buffers: RowBuffers): void {
    this.#halts.sort(byColumns('HaltDateTime', 'Ticker'));
    this.#restrictions.sort(byColumns('TriggerTime', 'Ticker'));
    for (const row of this.#halts) buffers.of('eq_trading_halts').appendRow(row);
    for (const row of this.#restrictions) buffers.of('eq_ssr_circ_break').appendRow(row);
    this.#halts = [];
    this.#restrictions = [];
  }
}
