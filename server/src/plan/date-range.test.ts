import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  DAILY,
  MINUTES,
  NO_PERIOD,
  planOfPath,
  predicatesOf,
  problemsOf,
  textOf,
} from '../../test/plan-of-path.ts';
import { ApiError } from '../base/errors.ts';
import type { Column } from '../catalog/dataset.ts';
import type { Comparison, QueryPlan } from '../engine/query-plan.ts';
import { type DateRange, findDateRange } from './date-range.ts';

describe('planQuery: the look-back period', () => {
  it.each([
    ['', ['TradeDate gt 2025-11-18', 'TradeDate le 2026-11-18']],
    ['period=5Y', ['TradeDate gt 2021-11-18', 'TradeDate le 2026-11-18']],
    ['period=2W', ['TradeDate gt 2026-11-04', 'TradeDate le 2026-11-18']],
    ['period=1D', ['TradeDate gt 2026-11-17', 'TradeDate le 2026-11-18']],
    ['TradeDate.gt=2020-02-29', ['TradeDate gt 2020-02-29', 'TradeDate le 2021-02-28']],
    ['TradeDate.ge=2020-03-01', ['TradeDate ge 2020-03-01', 'TradeDate lt 2021-03-01']],
    ['TradeDate.lt=2020-03-01', ['TradeDate lt 2020-03-01', 'TradeDate ge 2019-03-01']],
    ['TradeDate.le=2020-03-01', ['TradeDate le 2020-03-01', 'TradeDate gt 2019-03-01']],
    ['TradeDate.ge=2020-03-01&period=3D', ['TradeDate ge 2020-03-01', 'TradeDate lt 2020-03-04']],
    ['TradeDate=2010-01-04', ['TradeDate eq 2010-01-04']],
    ['TradeDate.in=2010-01-05,2010-01-04', ['TradeDate in 2010-01-05|2010-01-04']],
    [
      'TradeDate.ge=2020-01-01&TradeDate.le=2021-01-01',
      ['TradeDate ge 2020-01-01', 'TradeDate le 2021-01-01'],
    ],
    [
      'TradeDate.gt=2021-01-01&TradeDate.lt=2020-01-01',
      ['TradeDate gt 2021-01-01', 'TradeDate lt 2020-01-01'],
    ],
    [
      'TradeDate.ge=2000-01-01&TradeDate.ge=2020-06-01&TradeDate.le=2021-01-01',
      ['TradeDate ge 2000-01-01', 'TradeDate ge 2020-06-01', 'TradeDate le 2021-01-01'],
    ],
  ])('%j asks for %j', (query, expected) => {
    expect(predicatesOf(`${MINUTES}?${query}`)).toEqual(['Ticker eq AAPL', ...expected]);
  });

  it('ends today where nothing is published', () => {
    expect(predicatesOf(DAILY, {}, false)).toEqual([
      'TradeDate gt 2021-11-20',
      'TradeDate le 2026-11-20',
    ]);
  });

  it.each([
    ['TradeDate.ge=2020-01-01&TradeDate.le=2021-01-02', '2020-01-01', '2021-01-02', '1Y'],
    ['TradeDate.gt=2020-01-01&TradeDate.lt=2020-01-18&period=2W', '2020-01-02', '2020-01-17', '2W'],
    ['TradeDate.gt=2020-01-01&TradeDate.lt=2020-01-17&period=2W', null, null, ''],
    ['TradeDate.gt=2019-12-31&TradeDate.lt=2021-01-02', null, null, ''],
    ['TradeDate.gt=2019-12-31&TradeDate.le=2021-01-02', '2020-01-01', '2021-01-02', '1Y'],
    ['TradeDate.in=2021-01-05,2019-06-03', '2019-06-03', '2021-01-05', '1Y'],
    ['TradeDate.in=2021-01-05,2019-06-03,2021-01-04&TradeDate.gt=2019-06-03', null, null, ''],
    ['TradeDate.in=2021-01-05,2019-06-03&TradeDate.in=2021-01-05,2018-01-02', null, null, ''],
    ['TradeDate.in=2021-01-05,2019-06-03&TradeDate=2018-01-02', null, null, ''],
    [
      'TradeDate.ge=2020-01-01&TradeDate=2020-01-04&TradeDate.le=2020-01-03&period=1D',
      null,
      null,
      '',
    ],
  ])('judges the span of %s', (query, start, end, period) => {
    if (start === null) return expect(() => planOfPath(`${MINUTES}?${query}`)).not.toThrow();
    expect(problemsOf(`${MINUTES}?${query}`)).toEqual([
      {
        type: 'history_limit',
        loc: ['query', 'TradeDate'],
        msg:
          `The date range from ${start} to ${end} exceeds the history limit of ${period}; ` +
          "narrow the range or ask for a longer 'period'",
        input: `${start}..${end}`,
        ctx: { period },
      },
    ]);
  });

  it('clamps 29 February when it measures a span', () => {
    const span = (end: string) => `${MINUTES}?TradeDate.ge=2020-02-29&TradeDate.le=${end}`;
    expect(() => planOfPath(span('2021-02-28'))).not.toThrow();
    expect(problemsOf(span('2021-03-01'))[0]?.type).toBe('history_limit');
  });
});

function windowsOf({ grants }: QueryPlan) {
  return grants.map(
    ({ window }) => window && `${window.column.name} ${window.start}..${window.end}`,
  );
}

describe('planQuery: entitled dates', () => {
  const window = { startDate: '2020-01-01', endDate: '2024-12-31' };
  const problem = (date: string, loc: string[]) => ({
    type: 'date_outside_window',
    loc,
    msg: `The date value '${date}' is outside of the allowed range for this account`,
    input: date,
    ctx: { windows: [{ start_date: '2020-01-01', end_date: '2024-12-31' }] },
  });

  it.each([
    ['us-equity/eq-taq/2019-12-31/AAPL', [['2019-12-31', 'path', 'trade_date']]],
    ['us-equity/eq-taq/2025-01-01/AAPL', [['2025-01-01', 'path', 'trade_date']]],
    [`${DAILY}?TradeDate=2019-12-31`, [['2019-12-31', 'query', 'TradeDate']]],
    [`${DAILY}?TradeDate.eq=2025-01-01`, [['2025-01-01', 'query', 'TradeDate.eq']]],
    [
      `${DAILY}?TradeDate.in=2024-01-02,2019-01-02,2026-01-02`,
      [
        ['2019-01-02', 'query', 'TradeDate.in'],
        ['2026-01-02', 'query', 'TradeDate.in'],
      ],
    ],
    [`${DAILY}?TradeDate.gt=2019-12-30`, [['2019-12-30', 'query', 'TradeDate.gt']]],
    [`${DAILY}?TradeDate.gt=2025-01-01`, [['2025-01-01', 'query', 'TradeDate.gt']]],
    [`${DAILY}?TradeDate.ge=2019-12-31`, [['2019-12-31', 'query', 'TradeDate.ge']]],
    [`${DAILY}?TradeDate.lt=2025-01-02`, [['2025-01-02', 'query', 'TradeDate.lt']]],
    [`${DAILY}?TradeDate.lt=2019-12-31`, [['2019-12-31', 'query', 'TradeDate.lt']]],
    [`${DAILY}?TradeDate.in=2024-12-31,2025-01-01`, [['2025-01-01', 'query', 'TradeDate.in']]],
    [`${DAILY}?TradeDate.le=2025-01-01`, [['2025-01-01', 'query', 'TradeDate.le']]],
    [`${NO_PERIOD}?EffectiveDate=2019-12-31`, [['2019-12-31', 'query', 'EffectiveDate']]],
  ])('%s is outside', (path, places) => {
    expect(problemsOf(path, window)).toEqual(
      places.map(([date = '', ...loc]) => problem(date, loc)),
    );
  });

  it.each([
    ['us-equity/eq-taq/2020-01-01/AAPL', ['TradeDate eq 2020-01-01', 'Ticker eq AAPL']],
    ['us-equity/eq-taq/2024-12-31/AAPL', ['TradeDate eq 2024-12-31', 'Ticker eq AAPL']],
    [
      `${DAILY}?TradeDate.ge=2024-01-01`,
      ['TradeDate ge 2024-01-01', 'TradeDate lt 2029-01-01', 'TradeDate le 2024-12-31'],
    ],
    [
      `${DAILY}?TradeDate.le=2021-01-01`,
      ['TradeDate le 2021-01-01', 'TradeDate gt 2016-01-01', 'TradeDate ge 2020-01-01'],
    ],
    [
      `${DAILY}?TradeDate.gt=2019-12-31&TradeDate.lt=2025-01-01`,
      ['TradeDate gt 2019-12-31', 'TradeDate lt 2025-01-01'],
    ],
    [DAILY, ['TradeDate gt 2019-12-31', 'TradeDate le 2024-12-31']],
    [
      `${NO_PERIOD}?EffectiveDate.gt=2022-01-01`,
      ['EffectiveDate gt 2022-01-01', 'EffectiveDate le 2024-12-31'],
    ],
    [
      `${NO_PERIOD}?EffectiveDate.lt=2022-01-01`,
      ['EffectiveDate lt 2022-01-01', 'EffectiveDate ge 2020-01-01'],
    ],
  ])('%s is closed to %j', (path, expected) => {
    const made = planOfPath(path, window);
    expect(made.predicates.map(textOf)).toEqual(expected);
    expect(made.grants).toEqual([{ window: null, universe: null }]);
  });

  it('takes an open-ended rule to last until today, by the later of the market and UTC', () => {
    const open = { startDate: '2020-01-01', endDate: null };
    for (const dates of ['=2026-11-21', '.le=2026-11-21', '.lt=2026-11-22', '.gt=2026-11-21']) {
      expect(() => planOfPath(`${DAILY}?TradeDate${dates}`, open), dates).not.toThrow();
    }
    for (const dates of ['=2026-11-22', '.le=2026-11-22', '.lt=2026-11-23', '.gt=2026-11-22']) {
      const [problem] = problemsOf(`${DAILY}?TradeDate${dates}`, open);
      const windows = [{ start_date: '2020-01-01', end_date: '2026-11-21' }];
      expect(problem, dates).toMatchObject({ type: 'date_outside_window', ctx: { windows } });
    }
  });

  it('goes by the date of the market for what a rule with an end, or a start, permits today', () => {
    const passesUndated = (startDate: string, endDate: string | null) =>
      planOfPath('us-equity-ref/eq-ipo', { startDate, endDate }).grants[0]?.window?.passesUndated;
    expect(passesUndated('2020-01-01', '2026-11-20')).toBe(true);
    expect(passesUndated('2020-01-01', '2026-11-19')).toBe(false);
    expect(
      planOfPath('us-equity-ref/eq-ipo', { startDate: '2026-11-21', endDate: null }).grants,
    ).toEqual([]);
  });

  it('lets rows without a date pass where no date is asked for and the window holds today', () => {
    const made = planOfPath('us-equity-ref/eq-ipo', window);
    expect(made.predicates).toEqual([]);
    expect(windowsOf(made)).toEqual(['FirstTradeDate 2020-01-01..2024-12-31']);
    expect(made.grants[0]?.window?.passesUndated).toBe(false);
    const current = planOfPath('us-equity-ref/eq-ipo', { ...window, endDate: '2026-11-20' });
    expect(current.grants[0]?.window?.passesUndated).toBe(true);
  });

  it('does not limit other dates, nor datasets without a date of their own', () => {
    expect(() => planOfPath('us-equity-ref/eq-ipo?CreatedDate=2001-01-01', window)).not.toThrow();
    const current = { ...window, endDate: null };
    expect(windowsOf(planOfPath('us-equity-ref/eq-sec-master', current))).toEqual([null]);
    expect(windowsOf(planOfPath('us-equity-ref/eq-sec-master', window))).toEqual([]);
    expect(predicatesOf('us-equity-ref/eq-lookup-files?StartDate=2001-01-01', window)).toEqual([
      'StartDate eq 2001-01-01',
    ]);
  });

  it('is asked before everything else that does not fit the dataset', () => {
    const path = `${DAILY}?TradeDate=2019-12-31&Nothing=1&ASID=x`;
    expect(problemsOf(path, window)).toEqual([problem('2019-12-31', ['query', 'TradeDate'])]);
  });
});

describe('planQuery: several windows', () => {
  const rules = [
    { startDate: '2019-01-01', endDate: '2020-12-31' },
    { startDate: '2023-01-01', endDate: '2023-12-31' },
  ];

  it.each([
    ['TradeDate=2020-06-01', ['TradeDate eq 2020-06-01'], [null]],
    ['TradeDate.in=2020-06-01,2023-06-01', null, [0, 1]],
    [
      'TradeDate.ge=2020-06-01&period=1Y',
      ['TradeDate ge 2020-06-01', 'TradeDate lt 2021-06-01', 'TradeDate le 2020-12-31'],
      [null],
    ],
    [
      'TradeDate.ge=2020-06-01',
      ['TradeDate ge 2020-06-01', 'TradeDate lt 2025-06-01', 'TradeDate le 2023-12-31'],
      [0, 1],
    ],
    ['period=1Y', ['TradeDate gt 2022-12-31', 'TradeDate le 2023-12-31'], [null]],
    ['', ['TradeDate gt 2018-12-31', 'TradeDate le 2023-12-31'], [0, 1]],
  ])('%j leaves what each of them has to say', (query, predicates, windows) => {
    const made = planOfPath(`${DAILY}?${query}`, rules);
    if (predicates) expect(made.predicates.map(textOf)).toEqual(predicates);
    const texts = ['2019-01-01..2020-12-31', '2023-01-01..2023-12-31'];
    expect(windowsOf(made)).toEqual(
      windows.map((window) => (window === null ? null : `TradeDate ${texts[window]}`)),
    );
  });

  it('refuses the dates between them, and tells which there are', () => {
    const windows = rules.map((rule) => ({ start_date: rule.startDate, end_date: rule.endDate }));
    for (const query of ['=2021-06-01', '.gt=2021-06-01', '.in=2020-01-02,2021-06-01']) {
      const [problem, ...others] = problemsOf(`${DAILY}?TradeDate${query}`, rules);
      expect(others).toEqual([]);
      expect(problem).toMatchObject({ input: '2021-06-01', ctx: { windows } });
    }
  });
});

describe('planQuery: the dates that are read', () => {
  const window = { startDate: '2020-01-01', endDate: '2024-12-31' };
  const windows = [window, { startDate: '2026-01-01', endDate: '2026-06-30' }];

  it.each([
    [DAILY, {}, '2021-11-19', '2026-11-18'],
    [`${DAILY}?TradeDate.ge=2017-01-01`, {}, '2017-01-01', '2021-12-31'],
    [`${DAILY}?TradeDate.gt=2017-01-01&period=3D`, {}, '2017-01-02', '2017-01-04'],
    [`${DAILY}?TradeDate.le=2017-01-31&period=2W`, {}, '2017-01-18', '2017-01-31'],
    [`${DAILY}?TradeDate.ge=2023-01-01`, window, '2023-01-01', '2024-12-31'],
    [`${DAILY}?TradeDate.lt=2021-01-01`, window, '2020-01-01', '2020-12-31'],
    [`${DAILY}?period=30Y`, window, '2020-01-01', '2024-12-31'],
    [`${DAILY}?period=30Y`, windows, '2020-01-01', '2026-06-30'],
    [`${NO_PERIOD}?EffectiveDate.gt=2022-01-01`, window, '2022-01-02', '2024-12-31'],
    [NO_PERIOD, window, '2020-01-01', '2024-12-31'],
    [NO_PERIOD, windows, '2020-01-01', '2026-06-30'],
  ])('of %s with %j are told where something closed them', (path, rules, start, end) => {
    expect(planOfPath(path, rules).closedDates).toEqual({ start, end });
  });

  it.each([
    ['us-equity/eq-taq/2024-06-03/AAPL', window],
    [`${DAILY}?TradeDate=2024-06-03`, window],
    [`${DAILY}?TradeDate.in=2024-06-03,2024-06-05`, window],
    [`${DAILY}?TradeDate.ge=2020-01-01&TradeDate.le=2024-12-31`, window],
    [`${DAILY}?TradeDate.gt=2019-12-31&TradeDate.lt=2025-01-01`, window],
    ['us-equity-ref/eq-sec-master', {}],
    [NO_PERIOD, { startDate: '2026-12-01', endDate: null }],
  ])('of %s with %j are not', (path, rules) => {
    expect(planOfPath(path, rules).closedDates).toBeNull();
  });
});

describe('planQuery: rules without rows yet', () => {
  const future = { startDate: '2026-12-01', endDate: null };

  it.each([DAILY, 'us-equity-ref/eq-ipo', 'us-equity-ref/eq-sec-master'])(
    'an open request for %s finds none',
    (path) => {
      expect(planOfPath(path, future).grants).toEqual([]);
      expect(planOfPath(path, { ...future, endDate: '2027-01-31' }).grants).toEqual([]);
    },
  );

  it('refuses dates, except those of a window with an end', () => {
    const path = `${DAILY}?TradeDate=2026-12-02`;
    expect(problemsOf(path, future)[0]?.ctx).toEqual({ windows: [] });
    expect(planOfPath(path, { ...future, endDate: '2027-01-31' }).grants).toEqual([]);
  });

  it('leave another rule as it is', () => {
    const made = planOfPath(DAILY, [{ startDate: '2026-01-01', endDate: '2026-06-30' }, future]);
    expect(made.predicates.map(textOf)).toEqual([
      'TradeDate gt 2021-06-30',
      'TradeDate le 2026-06-30',
      'TradeDate ge 2026-01-01',
    ]);
    expect(windowsOf(made)).toEqual([null]);
  });
});

describe('planQuery: any date filters', () => {
  /** Up to the day on which the plans are made, as rules do that have begun. */
  const day = fc
    .date({ min: new Date('2018-01-01'), max: new Date('2026-11-20'), noInvalidDate: true })
    .map((date) => date.toISOString().slice(0, 10));
  const operator = fc.constantFrom('', '.eq', '.gt', '.ge', '.lt', '.le', '.in');
  const filters = fc.array(fc.tuple(operator, day), { maxLength: 3 });
  const HOLDS: Record<string, (a: string, b: string) => boolean> = {
    eq: (a, b) => a === b,
    gt: (a, b) => a > b,
    ge: (a, b) => a >= b,
    lt: (a, b) => a < b,
    le: (a, b) => a <= b,
  };

  function passes({ predicates, grants }: QueryPlan, date: string): boolean {
    const isAsked = predicates.every((predicate) => {
      if ('pattern' in predicate) return true;
      if ('values' in predicate) return predicate.values.includes(date);
      return HOLDS[predicate.operator]?.(date, String(predicate.value));
    });
    const isGranted = grants.some(
      ({ window }) => !window || (date >= window.start && date <= window.end),
    );
    return isAsked && isGranted;
  }

  it.each([
    [DAILY, 'TradeDate'],
    [NO_PERIOD, 'EffectiveDate'],
  ])(
    'lets of %s the rows that are asked for inside a window pass, and no other',
    (path, column) => {
      fc.assert(
        fc.property(filters, fc.array(day, { maxLength: 6 }), day, (asked, edges, rowDate) => {
          const sorted = [...new Set(edges)].sort();
          const rules = sorted.flatMap((startDate, i) =>
            i % 2 === 0 ? [{ startDate, endDate: sorted[i + 1] ?? startDate }] : [],
          );
          const query = asked.map(([suffix, date]) => `${column}${suffix}=${date}`).join('&');
          try {
            const plan = planOfPath(`${path}?${query}`, rules);
            const isInside = rules.some(
              (rule) => rowDate >= rule.startDate && rowDate <= rule.endDate,
            );
            const isAsked = asked.every(([suffix, date]) =>
              (HOLDS[suffix.slice(1)] ?? HOLDS.eq)?.(rowDate, date),
            );
            if (!isInside || !isAsked) expect(passes(plan, rowDate)).toBe(false);
            else if (plan.dataset.periodDefault === null) expect(passes(plan, rowDate)).toBe(true);
          } catch (error) {
            if (!(error instanceof ApiError)) throw error;
          }
        }),
        { numRuns: 500 },
      );
    },
  );
});

describe('findDateRange', () => {
  const column = planOfPath(DAILY).dataset.columnByName.get('TradeDate') as Column;
  const rangeOf = (...bounds: [Comparison, string][]) =>
    findDateRange(
      column,
      bounds.map(([operator, value]) => ({ column, operator, value })),
    );
  const included = (date: string) => ({ date, isIncluded: true });
  const excluded = (date: string) => ({ date, isIncluded: false });

  it.each<[string, [Comparison, string][], DateRange]>([
    [
      'a later lower bound',
      [
        ['ge', '2026-01-10'],
        ['gt', '2026-01-01'],
      ],
      { lower: included('2026-01-10'), upper: null },
    ],
    [
      'an earlier upper bound',
      [
        ['le', '2026-01-10'],
        ['lt', '2026-01-20'],
      ],
      { lower: null, upper: included('2026-01-10') },
    ],
    [
      'the excluded one of two equal bounds',
      [
        ['ge', '2026-01-10'],
        ['gt', '2026-01-10'],
        ['lt', '2026-01-20'],
        ['le', '2026-01-20'],
      ],
      { lower: excluded('2026-01-10'), upper: excluded('2026-01-20') },
    ],
  ])('keeps %s, in whichever order they come', (_, bounds, range) => {
    expect(rangeOf(...bounds)).toEqual(range);
    expect(rangeOf(...bounds.toReversed())).toEqual(range);
  });
});
