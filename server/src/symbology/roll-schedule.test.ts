import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isContinuousAttempt, parseContinuous, type RollRule } from './continuous-contract.ts';
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
  const { spans } = rollSchedule(contract, days(byDate));
  return spans.map(({ ticker, start, end }) => `${ticker} ${start.slice(5)}/${end.slice(5)}`);
}

function gapsOf(symbol: string, byDate: Readonly<Record<string, string>>): string[] {
  const contract = parseContinuous(symbol);
  if (!contract) throw new Error(`${symbol} is no continuous contract`);
  const { gaps } = rollSchedule(contract, days(byDate));
  return gaps.map(({ reason, start, end }) => `${reason} ${start.slice(5)}/${end.slice(5)}`);
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

describe('texts that no contract is called', () => {
  it.each(['ES.x.0', 'ES.oi.0', 'es.c.0', 'ES.C.0', 'ES.c.100', 'ES.c.00'])(
    '%s is meant as a continuous contract',
    (symbol) => {
      expect(isContinuousAttempt(symbol)).toBe(true);
    },
  );

  it.each(['ES', 'ESZ6', 'ESH6-ESM6', 'ES.c', '.c.0', 'ES.c.0', 'BF.B'])(
    '%s is not, or is one',
    (symbol) => {
      expect(isContinuousAttempt(symbol)).toBe(false);
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
  it('go by delivery among the contracts with a row', () => {
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
    const onSunday = { '2026-03-22': 'ESM6:1/9 ESU6:3/10', '2026-03-23': 'ESM6:1 ESU6:1' };
    expect(spansOf('ES.n.0', onSunday)).toEqual(['ESU6 03-23/03-23']);
  });

  it('give no rank to a contract whose open interest is not known', () => {
    const partly = { '2026-03-16': 'ESH6:90 ESM6:10/400', '2026-03-17': 'ESH6:40 ESM6:60' };
    expect(spansOf('ES.n.0', partly)).toEqual(['ESM6 03-17/03-17']);
    expect(spansOf('ES.n.1', partly)).toEqual([]);
  });

  it('give a date to no contract without a row on it, whatever comes later', () => {
    const rows = { '2026-03-13': 'ESH6:1 ESM6:1', '2026-03-16': 'ESM6:1' };
    expect(spansOf('ES.c.0', rows)).toEqual(['ESH6 03-13/03-13', 'ESM6 03-16/03-16']);
    expect(spansOf('ES.c.0', { ...rows, '2026-03-17': 'ESH6:1' })).toEqual([
      ...['ESH6 03-13/03-13', 'ESM6 03-16/03-16', 'ESH6 03-17/03-17'],
    ]);
  });

  it.each(['ES.v.0', 'ES.n.0'])('of %s forget figures after three weekdays', (symbol) => {
    const figures = { '2026-03-12': 'ESH6:5/5 ESM6:1/1' };
    const recent = { ...figures, '2026-03-15': 'ESH6:0', '2026-03-16': 'ESH6:0 ESM6:0' };
    expect(spansOf(symbol, recent)).toEqual(['ESH6 03-15/03-16']);
    const later = { ...recent, '2026-03-17': 'ESH6:0 ESM6:0', '2026-03-18': 'ESH6:0 ESM6:0' };
    expect(spansOf(symbol, later)).toEqual(['ESH6 03-15/03-17']);
    const reason = symbol === 'ES.v.0' ? 'no_volume' : 'no_open_interest';
    expect(gapsOf(symbol, { ...later, '2026-03-19': 'ESH6:0' })).toEqual([
      ...[`${reason} 03-12/03-12`, `${reason} 03-18/03-19`],
    ]);
    expect(spansOf(symbol, { ...figures, '2036-03-12': 'ESH6:5/5' })).toEqual([]);
  });

  it('say that fewer contracts are ranked, and how many at most', () => {
    expect(gapsOf('ES.c.2', WEEK)).toEqual(['too_few_contracts 03-16/03-23']);
    expect(rollSchedule({ root: 'ES', rule: 'c', rank: 2 }, days(WEEK)).rankedMax).toBe(2);
    expect(rollSchedule({ root: 'NQ', rule: 'c', rank: 0 }, days(WEEK))).toEqual({
      ...{ spans: [], gaps: [], rankedMax: 0, lastDate: null, next: null },
    });
  });

  it('do not go on over weeks without rows', () => {
    const rows = { '2026-03-02': 'ESM6:1', '2026-03-05': 'ESM6:1', '2026-03-11': 'ESM6:1' };
    expect(spansOf('ES.c.0', rows)).toEqual(['ESM6 03-02/03-05', 'ESM6 03-11/03-11']);
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

/** One line for each date that has a row: the ticker, or why there is none. */
function toldOf(market: readonly ContractDay[], rule: RollRule, rank: number): string[] {
  const { spans, gaps } = rollSchedule({ root: 'ES', rule, rank }, market);
  const told = [
    ...spans.map((span) => ({ ...span, text: span.ticker })),
    ...gaps.map((gap) => ({ ...gap, text: gap.reason })),
  ];
  return [...new Set(market.map(({ date }) => date))].flatMap((date) =>
    told.flatMap(({ text, start, end }) => (start <= date && date <= end ? `${date} ${text}` : [])),
  );
}

const isWeekday = (date: string) => ![0, 6].includes(new Date(date).getUTCDay());

/** The weekdays from a date up to the day before another one. */
function weekdaysBetween(from: string, to: string): string[] {
  return DATES.filter((each) => from <= each && each < to && isWeekday(each));
}

/** A plain reference for `toldOf`, date by date from the rows. */
function byHand(market: readonly ContractDay[], rule: RollRule, rank: number): string[] {
  const dates = [...new Set(market.map(({ date }) => date))];
  const isKnown = (from: string, to: string) => from < to && weekdaysBetween(from, to).length <= 3;
  return dates.map((date) => {
    const listed = TICKERS.filter((ticker) =>
      market.some((row) => row.ticker === ticker && row.date === date),
    );
    const before = market.filter((row) => row.date < date);
    const tradedOn = before.findLast((row) => row.quantity > 0 && isWeekday(row.date))?.date;
    if (rule === 'v' && !(tradedOn && isKnown(tradedOn, date))) return `${date} no_volume`;
    const figureOf = (ticker: string): number | undefined => {
      const rows = before.filter((row) => row.ticker === ticker);
      if (rule === 'v') return rows.find((row) => row.date === tradedOn)?.quantity ?? 0;
      if (rule === 'c') return 0;
      const published = rows.findLast((row) => row.openInterest !== null);
      return published && isKnown(published.date, date) ? (published.openInterest ?? 0) : undefined;
    };
    const ranked = listed
      .flatMap((ticker) => ({ ticker, figure: figureOf(ticker) ?? Number.NaN }))
      .filter(({ figure }) => !Number.isNaN(figure));
    if (rule === 'n' && ranked.length === 0) return `${date} no_open_interest`;
    ranked.sort((a, b) => b.figure - a.figure);
    return `${date} ${ranked[rank]?.ticker ?? 'too_few_contracts'}`;
  });
}

const RULE = fc.constantFrom<RollRule>('c', 'v', 'n');

it('say of every date what its own rows and those before it say', () => {
  fc.assert(
    fc.property(MARKET, RULE, fc.nat(2), (market, rule, rank) => {
      expect(toldOf(market, rule, rank)).toEqual(byHand(market, rule, rank));
    }),
  );
});

it('rank a date without the figures of that date', () => {
  fc.assert(
    fc.property(MARKET, RULE, fc.nat(2), fc.nat(11), (market, rule, rank, at) => {
      const cut = DATES[at] as string;
      const hidden = market.map((row) =>
        row.date < cut ? row : { ...row, quantity: 9 - row.quantity, openInterest: 7 },
      );
      const until = (rows: readonly ContractDay[]) =>
        toldOf(rows, rule, rank).filter((text) => text.slice(0, 10) <= cut);
      expect(until(hidden)).toEqual(until(market));
    }),
  );
});

it('are the same up to a date whatever rows come after it', () => {
  fc.assert(
    fc.property(MARKET, MARKET, RULE, fc.nat(2), fc.nat(11), (market, other, rule, rank, at) => {
      const cut = DATES[at] as string;
      const past = market.filter(({ date }) => date <= cut);
      const later = other.filter(({ date }) => date > cut);
      const decadeLater = later.map((row) => ({ ...row, date: row.date.replace('2026', '2036') }));
      const alone = toldOf(past, rule, rank);
      const until = (rows: readonly ContractDay[]) =>
        toldOf(rows, rule, rank).filter((text) => text.slice(0, 10) <= cut);
      expect(until([...past, ...later])).toEqual(alone);
      expect(until([...past, ...later, ...decadeLater])).toEqual(alone);
    }),
  );
});
