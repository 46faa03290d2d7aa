/** The futures datasets: ticks and depth of the last days, bars and daily values of all. */

import { nextTradingDay } from '@ticklake/market/calendar.ts';
import {
  FUTURES_MINUTE_BAR,
  FUTURES_TRADE_BAR,
  futuresMinuteBars,
} from '@ticklake/market/futures-bars.ts';
import {
  type FuturesContractDay,
  futuresBarSources,
  futuresDaySources,
  futuresDayTable,
  futuresEventKeys,
  futuresTickSources,
} from '@ticklake/market/futures-day.ts';
import { roundDecimals } from '@ticklake/market/rounding.ts';
import type { BarTable, Sources } from '@ticklake/market/row-sources.ts';
import type { RowBuffers } from 'ticklake/engine/row-buffer.ts';
import type { DemoFamily } from './family.ts';
import { BOOK_LEVELS } from './futures-book.ts';
import {
  contractsOf,
  FUTURES_PRODUCTS,
  type FuturesContract,
  type FuturesProduct,
  type SessionPart,
  sessionParts,
} from './futures-contracts.ts';
import { type DepthEvent, type FuturesPart, futuresPart } from './futures-events.ts';
import { fillBridge } from './intraday-path.ts';
import { randomOf } from './random.ts';
import { firstTickDateOf, type Timeline } from './timeline.ts';

/** From 17:00 to 16:00. */
const SESSION_MINUTES = 23 * 60;
const EVENING_MINUTES = 7 * 60;
/** Share of a session's events from 17:00 to 08:30, where it is quiet. */
const QUIET_SHARE = 0.05;
const QUIET_MINUTES = EVENING_MINUTES + 510;
const BUSY_MINUTES = 6.5 * 60;

function sessionWeights(): Float64Array {
  const busyEnd = QUIET_MINUTES + BUSY_MINUTES;
  const raw = Float64Array.from({ length: SESSION_MINUTES }, (_, minute) => {
    if (minute < QUIET_MINUTES) return QUIET_SHARE / QUIET_MINUTES;
    if (minute >= busyEnd) return 0.02 / (SESSION_MINUTES - busyEnd);
    const position = (minute - QUIET_MINUTES) / BUSY_MINUTES;
    return (0.92 / BUSY_MINUTES) * (0.6 + 1.2 * (2 * position - 1) ** 2);
  });
  return raw;
}

const WEIGHTS = sessionWeights();

/** The settlement prices of a product by trading day, and each session's minutes. */
class ProductPrices {
  readonly #seed: number;
  readonly #product: FuturesProduct;
  readonly #settlements = new Map<string, { readonly open: number; readonly close: number }>();

  constructor(seed: number, product: FuturesProduct, sessions: readonly string[]) {
    this.#seed = seed;
    this.#product = product;
    const random = randomOf(seed, 'futures', product.root);
    let level = 0;
    const closes = sessions.map(() => {
      level += product.volatility * random.normal();
      return level;
    });
    const scale = Math.log(product.lastPrice) - (closes.at(-1) as number);
    sessions.forEach((session, i) => {
      const before = closes[Math.max(0, i - 1)] as number;
      this.#settlements.set(session, {
        open: Math.exp(before + scale + 0.1 * product.volatility * random.normal()),
        close: Math.exp((closes[i] as number) + scale),
      });
    });
  }

  settlementOf(session: string): number {
    return this.#settlements.get(session)?.close as number;
  }

  /** The price at each minute's start of a session, from 17:00 to 16:00. */
  levelsOf(session: string): Float64Array {
    const { open, close } = this.#settlements.get(session) as { open: number; close: number };
    const levels = new Float64Array(SESSION_MINUTES + 1);
    const random = randomOf(this.#seed, 'futures session', this.#product.root, session);
    const deviation = 0.7 * this.#product.volatility;
    const bridge = { from: 0, to: SESSION_MINUTES, first: open, last: close };
    fillBridge(levels, { ...bridge, deviation }, random);
    return levels;
  }
}

interface ContractDay {
  readonly contract: FuturesContract;
  readonly parts: SessionPart[];
}

class FuturesDays {
  readonly #seed: number;
  readonly #timeline: Timeline;
  readonly #buffers: RowBuffers;
  readonly #sessions: readonly string[];
  readonly #prices: ReadonlyMap<string, ProductPrices>;

  constructor(seed: number, timeline: Timeline, buffers: RowBuffers) {
    const { days, size } = timeline;
    const last = days.at(-1) as string;
    this.#seed = seed;
    this.#timeline = timeline;
    this.#buffers = buffers;
    this.#sessions = [...days.slice(-size.minuteDays), nextTradingDay(last)];
    this.#prices = new Map(
      FUTURES_PRODUCTS.map((product) => [
        product.root,
        new ProductPrices(seed, product, this.#sessions),
      ]),
    );
  }

  *run(): Iterable<void> {
    const last = this.#timeline.days.at(-1) as string;
    const firstTickDate = firstTickDateOf(this.#timeline);
    const partsByDate = new Map<string, SessionPart[]>();
    for (const part of this.#sessions.flatMap(sessionParts))
      if (part.date <= last)
        partsByDate.set(part.date, [...(partsByDate.get(part.date) ?? []), part]);
    for (const date of [...partsByDate.keys()].sort()) {
      const parts = (partsByDate.get(date) as SessionPart[]).sort(
        (a, b) => a.fromHour - b.fromHour,
      );
      for (const contractDay of contractDays(parts)) {
        this.#appendContractDay(date, contractDay, date >= firstTickDate);
        yield;
      }
    }
  }

  #part(contract: FuturesContract, part: SessionPart, hasDepth: boolean): FuturesPart {
    const { date, session, fromHour, toHour } = part;
    const { product, activity, priceFactor, rank, ticker } = contract;
    const prices = this.#prices.get(product.root) as ProductPrices;
    const isSessionStart = fromHour === 17;
    const from = isSessionStart ? 0 : EVENING_MINUTES;
    const to = from + (toHour - fromHour) * 60;
    const scale = activity * this.#timeline.size.activity;
    const settlement = prices.settlementOf(session) * priceFactor;
    const plan = {
      contract,
      fromMinute: fromHour * 60,
      levels: prices
        .levelsOf(session)
        .subarray(from, to + 1)
        .map((level) => level * priceFactor),
      weights: WEIGHTS.subarray(from, to),
      tradeCount: product.tradeCount * scale,
      quoteCount: product.quoteCount * scale,
      isSessionStart,
      settlement: isSessionStart
        ? null
        : roundDecimals(Math.round(settlement / product.tickSize) * product.tickSize, 7),
      openInterest: Math.round(product.openInterest / 4 ** rank),
      hasDepth,
    };
    return futuresPart(plan, randomOf(this.#seed, 'futures events', ticker, date, session));
  }

  #appendContractDay(date: string, { contract, parts }: ContractDay, hasTicks: boolean): void {
    const generated = parts.map((part) => this.#part(contract, part, hasTicks));
    const events = generated.flatMap((part) => part.events);
    const { ticker, product, securityId } = contract;
    const day = { date, ticker, root: product.root, securityId };
    const buffers = this.#buffers;
    if (hasTicks) {
      const trades = events.filter(({ type }) => type.startsWith('TRADE'));
      const depth = generated.flatMap((part) => part.depth);
      buffers.of('fut_taq').append(events.length, futuresTickSources(day, events));
      buffers.of('fut_trades').append(trades.length, futuresTickSources(day, trades));
      buffers.of('fut_mult_depth').append(depth.length, depthSources(day, depth));
    }
    const tables = futuresMinuteBars(events, [FUTURES_MINUTE_BAR, FUTURES_TRADE_BAR]);
    const textIds = ['fut_taq_1min', 'fut_trades_1min'] as const;
    textIds.forEach((textId, i) => {
      const table = tables[i] as BarTable;
      buffers.of(textId).append(table.rowCount, futuresBarSources(day, table));
    });
    const values = futuresDayTable(events);
    buffers.of('fut_daily').append(values.rowCount, futuresDaySources(day, values));
  }
}

/** The contracts that trade in some parts of a date, by ticker, each with its parts. */
function contractDays(parts: readonly SessionPart[]): ContractDay[] {
  const days = new Map<string, ContractDay>();
  for (const part of parts)
    for (const product of FUTURES_PRODUCTS)
      for (const contract of contractsOf(product, part.session)) {
        const day = days.get(contract.ticker);
        if (day) day.parts.push(part);
        else days.set(contract.ticker, { contract, parts: [part] });
      }
  return [...days.values()].sort((a, b) => (a.contract.ticker < b.contract.ticker ? -1 : 1));
}

function depthSources(day: FuturesContractDay, events: readonly DepthEvent[]): Sources {
  const levels: [string, Float64Array][] = [];
  for (let level = 0; level < BOOK_LEVELS; level++) {
    const values = (pick: (event: DepthEvent) => readonly number[]) =>
      Float64Array.from(events, (event) => pick(event)[level] as number);
    levels.push([`L${level + 1}Price`, values(({ prices }) => prices)]);
    levels.push([`L${level + 1}Size`, values(({ sizes }) => sizes)]);
    levels.push([`L${level + 1}Orders`, values(({ orders }) => orders)]);
  }
  return {
    ...futuresEventKeys(day, events),
    Side: events.map(({ side }) => side),
    Flags: 0,
    Depth: Float64Array.from(events, ({ depth }) => depth),
    ...Object.fromEntries(levels),
  };
}

export function futuresFamily(seed: number, timeline: Timeline): DemoFamily {
  return {
    name: 'futures',
    textIds: [
      ...['fut_taq', 'fut_trades', 'fut_mult_depth'],
      ...['fut_taq_1min', 'fut_trades_1min', 'fut_daily'],
    ],
    produce: (buffers) => new FuturesDays(seed, timeline, buffers).run(),
  };
}
