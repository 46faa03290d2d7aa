/** How fast events of one equity and day become minute bars, at three levels of activity. */
import {
  EQUITY_EXTENDED_BAR,
  EQUITY_MINUTE_BAR,
  EQUITY_TRADE_BAR,
} from '@ticklake/market/equity-bar.ts';
import { equityMinuteBars } from '@ticklake/market/equity-bars.ts';
import type { EquityEvent } from '@ticklake/market/events.ts';

const VENUES = ['NYSE', 'ARCA', 'NASDAQ', 'BATS', 'EDGX', 'IEX'];
const QUOTES = ['QUOTE ASK', 'QUOTE ASK NB', 'QUOTE BID', 'QUOTE BID NB'] as const;
const EVENTS_PER_MEASUREMENT = 2_000_000;
const BARS_PER_DAY = 960;
const LAYOUTS = {
  plain: [EQUITY_MINUTE_BAR],
  extended: [EQUITY_EXTENDED_BAR],
  trades: [EQUITY_TRADE_BAR],
  all: [EQUITY_MINUTE_BAR, EQUITY_EXTENDED_BAR, EQUITY_TRADE_BAR],
};

/** A linear congruential generator is random enough for sizes and prices of a benchmark. */
function generator(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

function dayOf(eventCount: number): EquityEvent[] {
  const random = generator(1);
  let cents = 10_000;
  return Array.from({ length: eventCount }, (_, i) => {
    cents += random(3) - 1;
    const isTrade = random(5) === 0;
    const type = isTrade ? 'TRADE' : (QUOTES[random(QUOTES.length)] as EquityEvent['type']);
    const side = type.includes('ASK') ? 1 : -1;
    return {
      nanosOfDay: Math.floor(14_400e9 + (57_600e9 * i) / eventCount),
      type,
      price: (cents + (isTrade ? random(3) - 1 : side)) / 100,
      quantity: 100 * (1 + random(9)),
      exchange: isTrade && random(3) === 0 ? 'FINRA' : (VENUES[random(6)] as string),
      conditions: 1,
    };
  });
}

console.log('events a day  layouts   ms a day    bars/s    events/s');
for (const eventCount of [2_000, 20_000, 200_000]) {
  const day = { events: dayOf(eventCount), isHalfDay: false, averagePrice: 100 };
  for (const [name, layouts] of Object.entries(LAYOUTS)) {
    const days = Math.ceil(EVENTS_PER_MEASUREMENT / eventCount);
    equityMinuteBars(day, 'vendor_default', layouts);
    const start = performance.now();
    for (let i = 0; i < days; i++) equityMinuteBars(day, 'vendor_default', layouts);
    const seconds = (performance.now() - start) / 1000 / days;
    const cells = [
      String(eventCount).padStart(12),
      name.padEnd(8),
      (seconds * 1000).toFixed(2).padStart(9),
      String(Math.round(BARS_PER_DAY / seconds)).padStart(9),
      String(Math.round(eventCount / seconds)).padStart(11),
    ];
    console.log(cells.join('  '));
  }
}
