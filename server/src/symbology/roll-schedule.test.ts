import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { earlierOf } from '../request/calendar-date.ts';
import { parseContinuous, type RollRule } from './continuous-contract.ts';
import { type ContractDay, deliveryOf, rollSchedule } from './roll-schedule.ts';

/** A row for each ticker of a date: `ESH6:5/70` is five contracts traded and seventy open. */
function days(byDate: Readonly<Record<string, string>>): ContractDay[] {
  return Object.entries(byDate).flatMap(([date, texts]) =>
    texts.split(' ').map((text) => {
      const [ticker = '', figures = ''] = text.split(':');
      const [quantity, open] = figures.split('/');
      return {
        ...{ date, ticker, quantity: Number(quantity) },
        openInterest: open === undefined ? null : Number(open),
      };
    }),
  );
}

function spansOf(symbol: string, byDate: Readonly<Record<string, string>>): string[] {
  const contract = parseContinuous(symbol);
  if (!contract) throw new Error(`${symbol} is no continuous contract`);
  const spans = rollSchedule(contract, days(byDate));
  return spans.map(({ ticker, start, end }) => `${ticker} ${start.slice(5)}/${end.slice(5)}`);
}

describe('names of continuous contracts', () => {
  it.each(['ES.c.0', 'ES.v.1', '6E.n.99'])('%s is one', (symbol) => {
    expect(parseContinuous(symbol)?.symbol).toBe(symbol);
  });

  it.each(['ES', 'ESZ6', 'ES.c', 'ES.x.0', 'es.c.0', 'ES.c.-1', 'ES.c.100', 'ES.c.00', '.c.0'])(
    '%s is none',
    (symbol) => {
      expect(parseContinuous(symbol)).toBeNull();
    },
  );
});

describe('deliveries', () => {
  it.each([
    ['ESH6', '2025-12-31', '2026-03'],
    ['ESH6', '2026-03-20', '2026-03'],
    ['ESH6', '2026-04-01', '2036-03'],
    ['ESZ9', '2030-01-02', '2039-12'],
    ['ESZ26', '2025-01-02', '2026-12'],
    ['ESH6-ESM6', '2026-01-02', null],
    ['NQH6', '2026-01-02', null],
    ['ES', '2026-01-02', null],
  ])('of %s on %s is %s', (ticker, date, expected) => {
    expect(deliveryOf('ES', ticker, date)).toBe(expected);
  });
});

/** Monday to Friday, and the Monday after. */
const WEEK = {
  '2026-03-16': 'ESH6:90/500 ESM6:10/400',
  '2026-03-17': 'ESH6:40/450 ESM6:60/440',
  '2026-03-18': 'ESH6:70/440 ESM6:60/460',
  '2026-03-19': 'ESM6:90/600',
  '2026-03-22': 'ESM6:1 ESU6:3',
  '2026-03-23': 'ESM6:80/600 ESU6:5/20',
};

describe('roll schedules', () => {
  it('go by delivery while a contract is listed', () => {
    expect(spansOf('ES.c.0', WEEK)).toEqual(['ESH6 03-16/03-18', 'ESM6 03-19/03-23']);
    expect(spansOf('ES.c.1', WEEK)).toEqual(['ESM6 03-16/03-18', 'ESU6 03-22/03-23']);
  });

  it('go by the volume of the weekday before, and by none of a Sunday', () => {
    expect(spansOf('ES.v.0', WEEK)).toEqual(['ESH6 03-17/03-17', 'ESM6 03-18/03-23']);
  });

  it('go by the last open interest that was published before', () => {
    expect(spansOf('ES.n.0', WEEK)).toEqual(['ESH6 03-17/03-18', 'ESM6 03-19/03-23']);
    const unpublished = { ...WEEK, '2026-03-17': 'ESH6:40 ESM6:60' };
    expect(spansOf('ES.n.0', unpublished)).toEqual(spansOf('ES.n.0', WEEK));
  });

  it('keep contracts of the same name apart', () => {
    const decade = { '2016-03-14': 'ESH6:1', '2020-06-01': 'ESU0:1', '2026-03-16': 'ESH6:1' };
    expect(spansOf('ES.c.0', decade)).toEqual([
      'ESH6 03-14/03-14',
      'ESU0 06-01/06-01',
      'ESH6 03-16/03-16',
    ]);
  });

  it('leave spreads and other roots out, and have nothing of a root without contracts', () => {
    expect(spansOf('ES.c.0', { '2026-03-16': 'ESH6-ESM6:5 ESTH6:5' })).toEqual([]);
  });
});

const TICKERS = ['ESH6', 'ESM6', 'ESU6', 'ESZ6'];
const DATES = Array.from({ length: 12 }, (_, i) => `2026-01-${`${i + 5}`.padStart(2, '0')}`);
const MARKET = fc
  .tuple(
    ...DATES.map((date) =>
      fc.uniqueArray(
        fc.record<ContractDay>({
          date: fc.constant(date),
          ticker: fc.constantFrom(...TICKERS),
          quantity: fc.nat(4),
          openInterest: fc.option(fc.nat(4)),
        }),
        { selector: ({ ticker }) => ticker },
      ),
    ),
  )
  .map((perDate) => perDate.flat());

/** The ticker of each date, found date by date from the rows as they are. */
function byHand(market: readonly ContractDay[], rule: RollRule, rank: number) {
  const dates = [...new Set(market.map(({ date }) => date))];
  return dates.flatMap((date) => {
    const rowsOf = (ticker: string) => market.filter((row) => row.ticker === ticker);
    const listed = TICKERS.filter(
      (ticker) =>
        rowsOf(ticker).some((row) => row.date <= date) &&
        rowsOf(ticker).some((row) => row.date >= date),
    );
    const before = dates.filter(
      (each) => each < date && ![0, 6].includes(new Date(each).getUTCDay()),
    );
    if (rule !== 'c' && before.length === 0) return [];
    const figure = (ticker: string) => {
      const rows = rowsOf(ticker);
      if (rule === 'v') return rows.find((row) => row.date === before.at(-1))?.quantity ?? 0;
      const published = rows.filter(
        (row) => before.includes(row.date) && row.openInterest !== null,
      );
      return published.at(-1)?.openInterest ?? 0;
    };
    const order = rule === 'c' ? listed : listed.toSorted((a, b) => figure(b) - figure(a));
    const ticker = order[rank];
    return ticker === undefined ? [] : [`${date} ${ticker}`];
  });
}

it('say of every date what its own rows and those before it say', () => {
  fc.assert(
    fc.property(
      MARKET,
      fc.constantFrom<RollRule>('c', 'v', 'n'),
      fc.nat(2),
      (market, rule, rank) => {
        const spans = rollSchedule({ root: 'ES', rule, rank }, market);
        const dates = [...new Set(market.map(({ date }) => date))];
        const told = dates.flatMap((date) =>
          spans.flatMap(({ ticker, start, end }) =>
            start <= date && date <= end ? [`${date} ${ticker}`] : [],
          ),
        );
        expect(told).toEqual(byHand(market, rule, rank));
      },
    ),
  );
});

it('rank a date without the figures of that date or later ones', () => {
  fc.assert(
    fc.property(MARKET, fc.constantFrom<RollRule>('v', 'n'), fc.nat(11), (market, rule, at) => {
      const cut = DATES[at] as string;
      const hidden = market.map((row) =>
        row.date < cut ? row : { ...row, quantity: 9 - row.quantity, openInterest: 7 },
      );
      const until = (rows: readonly ContractDay[]) =>
        rollSchedule({ root: 'ES', rule, rank: 0 }, rows)
          .filter(({ start }) => start <= cut)
          .map(({ ticker, start, end }) => `${ticker} ${start} ${earlierOf(end, cut)}`);
      expect(until(hidden)).toEqual(until(market));
    }),
  );
});
