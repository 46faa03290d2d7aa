import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadCatalog } from '../catalog/load-catalog.ts';
import { ApiError, type Problem } from '../errors.ts';
import type { DatasetSnapshot } from '../lake/snapshot.ts';
import { chooseDataset } from '../request/choose-dataset.ts';
import { parseDataRequest } from '../request/data-request.ts';
import { DEFAULT_DATA_REQUEST_LIMITS } from '../request/data-request-limits.ts';
import type { PlanAccess } from './entitlement-checks.ts';
import { planQuery } from './plan-query.ts';
import type { Predicate, QueryPlan } from './query-plan.ts';

const catalog = loadCatalog([join(import.meta.dirname, '../../datasets')]);
const OPEN: PlanAccess = { windowStart: '1900-01-01', windowEnd: '2199-12-31', universe: [] };
const TODAY = '2026-11-20';
const LAST = '2026-11-18';

function emptySnapshot(datasetId: string): DatasetSnapshot {
  return {
    datasetId,
    version: 7,
    publishedAt: '2026-11-19T00:00:00Z',
    vendor: 'Synthetic',
    rowCount: 0,
    byteCount: 0,
    firstDate: '2016-01-04',
    lastDate: LAST,
    partitions: [],
  };
}

function plan(path: string, access: Partial<PlanAccess> = {}, isPublished = true): QueryPlan {
  const [address = '', queryString = ''] = path.split('?');
  const [group = '', segment = '', ...pathParameters] = address.split('/');
  const input = { group, segment, pathParameters, queryString };
  const request = parseDataRequest(input, DEFAULT_DATA_REQUEST_LIMITS);
  const dataset = chooseDataset(request, catalog);
  const snapshot = isPublished ? emptySnapshot(dataset.datasetId) : null;
  return planQuery({ request, dataset, snapshot, access: { ...OPEN, ...access }, today: TODAY });
}

function errorOf(path: string, access: Partial<PlanAccess> = {}): ApiError {
  try {
    plan(path, access);
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
  throw new Error(`${path} was planned`);
}

function problemsOf(path: string, access: Partial<PlanAccess> = {}): readonly Problem[] {
  const { status, detail } = errorOf(path, access);
  expect(status).toBe(422);
  return detail as readonly Problem[];
}

function textOf(predicate: Predicate): string {
  const operand =
    'pattern' in predicate
      ? predicate.pattern
      : 'values' in predicate
        ? predicate.values.join('|')
        : predicate.value;
  return `${predicate.column.name} ${predicate.operator} ${operand}`;
}

function predicatesOf(
  path: string,
  access: Partial<PlanAccess> = {},
  isPublished = true,
): string[] {
  return plan(path, access, isPublished).predicates.map(textOf);
}

const TICKS = 'us-equity/eq-taq/2026-11-18';
const MINUTES = 'us-equity/eq-taq-1min-ext/AAPL';
const DAILY = 'us-equity/eq-daily-ohlc';
const NO_PERIOD = 'us-equity-ref/eq-adj-factors-basic';

describe('planQuery: what the plan holds', () => {
  it('takes columns in the order asked for, the sort and the page', () => {
    const made = plan(
      `${DAILY}?columns=ClosePrice,Ticker&sort=-ClosePrice,Ticker&offset=20&limit=10`,
    );
    expect(made.columns.map((column) => column.name)).toEqual(['ClosePrice', 'Ticker']);
    expect(made.sort.map(({ column, descending }) => [column.name, descending])).toEqual([
      ['ClosePrice', true],
      ['Ticker', false],
    ]);
    expect([made.offset, made.limit, made.version]).toEqual([20, 10, 7]);
  });

  it('takes all columns and natural order without a word', () => {
    const made = plan(`${TICKS}/AAPL`);
    expect(made.columns).toEqual(made.dataset.columns);
    expect(made.sort).toEqual([]);
  });

  it('has no version and no partitions where nothing is published', () => {
    const made = plan(`${TICKS}/AAPL`, {}, false);
    expect([made.version, made.partitions, made.scannedBytes]).toEqual([null, [], 0]);
  });

  it.each([
    [`${TICKS}/AAPL`, ['TradeDate eq 2026-11-18', 'Ticker eq AAPL']],
    [`${TICKS}/1010000000001033`, ['TradeDate eq 2026-11-18', 'ASID eq 1010000000001033']],
    [`${TICKS}/-1`, ['TradeDate eq 2026-11-18', 'Ticker eq -1']],
    [`${TICKS}/AAPL?ASID=5`, ['TradeDate eq 2026-11-18', 'Ticker eq AAPL', 'ASID eq 5']],
    ['us-futures/fut-taq/2026-11-18/6', ['TradeDate eq 2026-11-18', 'Ticker eq 6']],
    [
      `${TICKS}/A?Price.gt=1&Price.le=2.5`,
      ['TradeDate eq 2026-11-18', 'Ticker eq A', 'Price gt 1', 'Price le 2.5'],
    ],
    [
      `${TICKS}/A?Exchange.ilike=*a*`,
      ['TradeDate eq 2026-11-18', 'Ticker eq A', 'Exchange ilike *a*'],
    ],
    [`${TICKS}/A?Exchange=`, ['TradeDate eq 2026-11-18', 'Ticker eq A', 'Exchange eq ']],
    [`${TICKS}/A?Quantity.in=3,1,3`, ['TradeDate eq 2026-11-18', 'Ticker eq A', 'Quantity in 3|1']],
    [
      'us-equity-ref/eq-sec-master?Ticker=AAPL&Name.like=App*',
      ['Ticker eq AAPL', 'Name like App*'],
    ],
    [
      `${TICKS}/A?EventDateTime.ge=2026-11-18T09:30:00`,
      ['TradeDate eq 2026-11-18', 'Ticker eq A', 'EventDateTime ge 1795012200000000000'],
    ],
  ])('%s asks for %j', (path, expected) => {
    expect(predicatesOf(path)).toEqual(expected);
  });

  it('reads a time without offset on the clock of the dataset', () => {
    expect(
      predicatesOf(
        'us-futures/fut-taq-1min/ESZ6?TradeDate=2026-11-18&BarDateTime=2026-11-18 08:30:00',
      ),
    ).toContain('BarDateTime eq 1795012200000000000');
  });
});

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
    ['TradeDate.gt=2020-01-01&TradeDate.lt=2020-01-17&period=2W', '2020-01-01', '2020-01-17', '2W'],
    ['TradeDate.in=2021-01-05,2019-06-03', '2019-06-03', '2021-01-05', '1Y'],
    [
      'TradeDate.ge=2020-01-01&TradeDate=2020-01-04&TradeDate.le=2020-01-03&period=1D',
      null,
      null,
      '',
    ],
  ])('judges the span of %s', (query, start, end, period) => {
    if (start === null) return expect(() => plan(`${MINUTES}?${query}`)).not.toThrow();
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
    expect(() => plan(span('2021-02-28'))).not.toThrow();
    expect(problemsOf(span('2021-03-01'))[0]?.type).toBe('history_limit');
  });
});

describe('planQuery: entitled dates', () => {
  const window = { windowStart: '2020-01-01', windowEnd: '2024-12-31' };
  const problem = (date: string, loc: string[]) => ({
    type: 'date_outside_window',
    loc,
    msg: `The date value '${date}' is outside of the allowed range for this account`,
    input: date,
    ctx: { start_date: '2020-01-01', end_date: '2024-12-31' },
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
    [`${DAILY}?TradeDate.gt=2019-12-31`, [['2019-12-31', 'query', 'TradeDate.gt']]],
    [`${DAILY}?TradeDate.ge=2019-12-31`, [['2019-12-31', 'query', 'TradeDate.ge']]],
    [`${DAILY}?TradeDate.lt=2025-01-01`, [['2025-01-01', 'query', 'TradeDate.lt']]],
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
    [`${DAILY}?TradeDate.ge=2024-01-01`, ['TradeDate ge 2024-01-01', 'TradeDate le 2024-12-31']],
    [`${DAILY}?TradeDate.le=2021-01-01`, ['TradeDate le 2021-01-01', 'TradeDate ge 2020-01-01']],
    [`${DAILY}`, ['TradeDate gt 2021-11-18', 'TradeDate le 2024-12-31']],
    [
      `${NO_PERIOD}?EffectiveDate.gt=2022-01-01`,
      ['EffectiveDate gt 2022-01-01', 'EffectiveDate le 2024-12-31'],
    ],
    [
      `${NO_PERIOD}?EffectiveDate.lt=2022-01-01`,
      ['EffectiveDate lt 2022-01-01', 'EffectiveDate ge 2020-01-01'],
    ],
  ])('%s is closed to %j', (path, expected) => {
    const made = plan(path, window);
    expect(made.predicates.map(textOf)).toEqual(expected);
    expect(made.window).toBeNull();
  });

  it('lets rows without a date pass where no date is asked for', () => {
    const made = plan('us-equity-ref/eq-ipo', window);
    expect(made.predicates).toEqual([]);
    expect(made.window).toMatchObject({
      column: { name: 'FirstTradeDate' },
      start: '2020-01-01',
      end: '2024-12-31',
    });
  });

  it('does not limit other dates, nor datasets without a date of their own', () => {
    expect(() => plan('us-equity-ref/eq-ipo?CreatedDate=2001-01-01', window)).not.toThrow();
    expect(plan('us-equity-ref/eq-sec-master', window).window).toBeNull();
    expect(predicatesOf('us-equity-ref/eq-lookup-files?StartDate=2001-01-01', window)).toEqual([
      'StartDate eq 2001-01-01',
    ]);
  });

  it('is asked before everything else that does not fit the dataset', () => {
    const path = `${DAILY}?TradeDate=2019-12-31&Nothing=1&ASID=x`;
    expect(problemsOf(path, window)).toEqual([problem('2019-12-31', ['query', 'TradeDate'])]);
  });
});

describe('planQuery: the universe of identifiers', () => {
  it.each([
    [`${TICKS}/MSFT`, ['AAPL'], 'MSFT', 'US Equities Trade and Quote'],
    [
      `${TICKS}/1010000000000044`,
      ['1010000000001033'],
      '1010000000000044',
      'US Equities Trade and Quote',
    ],
    [`${DAILY}?Ticker=MSFT`, ['AAPL', 'AMZN'], 'MSFT', 'US Equities Daily OHLC'],
    [`${DAILY}?Ticker.eq=MSFT&TradeDate=x`, ['AAPL'], 'MSFT', 'US Equities Daily OHLC'],
    [`${DAILY}?ASID=44`, ['1010000000001033'], '44', 'US Equities Daily OHLC'],
    ['us-equity-ref/eq-sec-master?Ticker=MSFT', ['AAPL'], 'MSFT', 'US Equities Security Master'],
    ['us-futures/fut-taq/2026-11-18/CLZ6', ['ES'], 'CLZ6', 'US Futures Trade and Quote'],
    ['us-futures/fut-trades-1min?BaseSymbol=CL', ['ES'], 'CL', 'US Futures Trade Only Minute Bar'],
  ])('%s is refused to %j', (path, universe, identifier, name) => {
    const { status, detail } = errorOf(path, { universe });
    expect(status).toBe(403);
    expect(detail).toBe(
      `The account is not authorized to access the identifier ${identifier} in dataset ${name}`,
    );
  });

  it.each([
    [`${TICKS}/AAPL`, ['AAPL']],
    [`${TICKS}/AAPL`, ['1010000000001033']],
    [`${TICKS}/1010000000001033`, ['AAPL']],
    [`${TICKS}/MSFT`, ['AAPL', '1010000000000044']],
    [`${DAILY}?Ticker.in=AAPL,MSFT`, ['AAPL']],
    [`${DAILY}?Ticker.like=M*`, ['AAPL']],
    [DAILY, ['AAPL']],
    ['us-futures/fut-taq/2026-11-18/ESZ6', ['ES']],
    ['us-futures/fut-taq/2026-11-18/ESZ6', ['ESZ6']],
  ])('%s is answered within %j', (path, universe) => {
    const made = plan(path, { universe });
    expect(made.universe?.identifiers).toEqual(universe);
    expect(made.universe?.columns.map((column) => column.name)).toEqual(
      made.dataset.universeColumns,
    );
  });

  it('is none where the rule names none', () => {
    expect(plan(DAILY).universe).toBeNull();
  });

  it('is asked before the dates', () => {
    const access = { universe: ['AAPL'], windowStart: '2020-01-01', windowEnd: '2020-12-31' };
    expect(errorOf(`${TICKS}/MSFT`, access).status).toBe(403);
  });
});

/** Path, then type, place, message, input and ctx of its one problem. */
const UNFIT: [string, string, string[], string, unknown, unknown][] = [
  [
    'us-equity/eq-taq/yesterday/AAPL',
    'date_parsing',
    ['path', 'trade_date'],
    "Cannot parse the filter value 'yesterday' as Date",
    'yesterday',
    expect.anything(),
  ],
  [
    'us-equity/eq-taq/2026-02-30/AAPL',
    'date_parsing',
    ['path', 'trade_date'],
    "Cannot parse the filter value '2026-02-30' as Date",
    '2026-02-30',
    expect.anything(),
  ],
  [
    `${TICKS}/99999999999999999999`,
    'int_parsing',
    ['path', 'identifier'],
    "Cannot parse the filter value '99999999999999999999' as Integer",
    '99999999999999999999',
    expect.anything(),
  ],
  [
    `${DAILY}?TradeDate.ge=18-11-2026`,
    'date_parsing',
    ['query', 'TradeDate.ge'],
    "Cannot parse the filter value '18-11-2026' as Date",
    '18-11-2026',
    expect.anything(),
  ],
  [
    `${DAILY}?TradeDate=`,
    'date_parsing',
    ['query', 'TradeDate'],
    "Cannot parse the filter value '' as Date",
    '',
    expect.anything(),
  ],
  [
    `${DAILY}?ASID=1.5`,
    'int_parsing',
    ['query', 'ASID'],
    "Cannot parse the filter value '1.5' as Integer",
    '1.5',
    expect.anything(),
  ],
  [
    `${DAILY}?ASID.in=1,x`,
    'int_parsing',
    ['query', 'ASID.in'],
    "Cannot parse the filter value 'x' as Integer",
    'x',
    expect.anything(),
  ],
  [
    `${DAILY}?ClosePrice.gt=ten`,
    'float_parsing',
    ['query', 'ClosePrice.gt'],
    "Cannot parse the filter value 'ten' as Number",
    'ten',
    expect.anything(),
  ],
  [
    `${TICKS}/AAPL?EventDateTime.lt=09:30`,
    'datetime_parsing',
    ['query', 'EventDateTime.lt'],
    "Cannot parse the filter value '09:30' as DateTime",
    '09:30',
    expect.anything(),
  ],
  [
    `${TICKS}/AAPL?TradeDate=2026-11-18`,
    'path_column',
    ['query', 'TradeDate'],
    "The column 'TradeDate' is given by the path and cannot be filtered again",
    '2026-11-18',
    { column: 'TradeDate' },
  ],
  [
    `${TICKS}/AAPL?Ticker.in=AAPL,MSFT`,
    'path_column',
    ['query', 'Ticker.in'],
    "The column 'Ticker' is given by the path and cannot be filtered again",
    'AAPL,MSFT',
    { column: 'Ticker' },
  ],
  [
    `${MINUTES}?Ticker=MSFT`,
    'path_column',
    ['query', 'Ticker'],
    "The column 'Ticker' is given by the path and cannot be filtered again",
    'MSFT',
    { column: 'Ticker' },
  ],
  [
    `${DAILY}?Ticker.gt=A`,
    'unfit_operator',
    ['query', 'Ticker.gt'],
    "The filter operator 'gt' does not fit the column 'Ticker' of type string; " +
      "it should be 'eq', 'in', 'like' or 'ilike'",
    'gt',
    { expected: "'eq', 'in', 'like' or 'ilike'" },
  ],
  [
    `${DAILY}?ClosePrice.like=1*`,
    'unfit_operator',
    ['query', 'ClosePrice.like'],
    "The filter operator 'like' does not fit the column 'ClosePrice' of type number; " +
      "it should be 'eq', 'gt', 'ge', 'lt', 'le' or 'in'",
    'like',
    { expected: "'eq', 'gt', 'ge', 'lt', 'le' or 'in'" },
  ],
  [
    'us-equity-ref/eq-sec-master?Ticker.ilike=a*',
    'unfit_operator',
    ['query', 'Ticker.ilike'],
    "The filter operator 'ilike' does not fit the column 'Ticker' of type array of string; " +
      "it should be 'eq', 'in' or 'like'",
    'ilike',
    { expected: "'eq', 'in' or 'like'" },
  ],
  [
    'us-equity/eq-trades-1min',
    'missing',
    ['query', 'Ticker'],
    "The filter expression for the field 'Ticker' should be specified",
    null,
    { columns: ['Ticker', 'ASID'] },
  ],
  [
    'us-equity/eq-trades-1min?Ticker.like=A*',
    'missing',
    ['query', 'Ticker'],
    "The filter expression for the field 'Ticker' should be specified",
    null,
    { columns: ['Ticker', 'ASID'] },
  ],
  [
    `${DAILY}?Nothing=1`,
    'unknown_column',
    ['query', 'Nothing'],
    'The following columns do not exist in the dataset: Nothing',
    'Nothing',
    { columns: ['Nothing'] },
  ],
  [
    `${DAILY}?ticker=A`,
    'unknown_column',
    ['query', 'ticker'],
    'The following columns do not exist in the dataset: ticker',
    'ticker',
    { columns: ['ticker'] },
  ],
  [
    `${DAILY}?sort=-Foo,Ticker&columns=Bar,Foo&Baz.gt=1&Ticker=A&Baz=2`,
    'unknown_column',
    ['query', 'Baz.gt'],
    'The following columns do not exist in the dataset: Baz, Foo, Bar',
    'Baz',
    { columns: ['Baz', 'Foo', 'Bar'] },
  ],
  [
    `${DAILY}?columns=constructor`,
    'unknown_column',
    ['query', 'columns'],
    'The following columns do not exist in the dataset: constructor',
    'constructor',
    { columns: ['constructor'] },
  ],
  [
    `${TICKS}/AAPL?period=1Y&adjusted=true&aggregation_logic=industry_std`,
    'unknown_column',
    ['query', 'adjusted'],
    'The following columns do not exist in the dataset: adjusted, aggregation_logic, period',
    'adjusted',
    { columns: ['adjusted', 'aggregation_logic', 'period'] },
  ],
  [
    'us-equity/eq-trades/2026-11-18/AAPL?adjusted=true&period=1Y',
    'unknown_column',
    ['query', 'period'],
    'The following columns do not exist in the dataset: period',
    'period',
    { columns: ['period'] },
  ],
];

describe('planQuery: what does not fit the dataset', () => {
  it.each(UNFIT)('%s', (path, type, loc, msg, input, ctx) => {
    expect(problemsOf(path)).toEqual([{ type, loc, msg, input, ctx }]);
  });

  it.each(['Ticker=A', 'Ticker.eq=A', 'Ticker.in=A,B', 'ASID=1', 'ASID.in=1'])(
    'takes %s for the required filter',
    (query) => {
      expect(() => plan(`us-equity/eq-trades-1min?${query}`)).not.toThrow();
    },
  );

  it('reports all of it together', () => {
    const path = 'us-equity/eq-trades-1min?TradeDate.ge=x&Foo=1&BarDateTime.like=2*&sort=Bar';
    expect(problemsOf(path).map((problem) => problem.type)).toEqual([
      'date_parsing',
      'unfit_operator',
      'unknown_column',
      'missing',
    ]);
  });
});
