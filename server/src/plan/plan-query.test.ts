import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  DAILY,
  MINUTES,
  NO_PERIOD,
  planOfPath,
  predicatesOf,
  problemsOf,
  TICKS,
} from '../../test/plan-of-path.ts';
import { ApiError } from '../base/errors.ts';
import { operatorNames } from '../engine/operators.ts';

describe('planQuery: what the plan holds', () => {
  it('takes columns in the order asked for, the sort and the page', () => {
    const made = planOfPath(
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
    const made = planOfPath(`${TICKS}/AAPL`);
    expect(made.columns).toEqual(made.dataset.columns);
    expect(made.sort).toEqual([]);
  });

  it('looks back from the end of the window when that lies before the last date', () => {
    const rule = { startDate: '2010-01-01', endDate: '2015-06-30' };
    expect(predicatesOf(`${DAILY}?period=1Y`, rule)).toEqual([
      'TradeDate gt 2014-06-30',
      'TradeDate le 2015-06-30',
    ]);
  });

  it('has no version and no partitions where nothing is published', () => {
    const made = planOfPath(`${TICKS}/AAPL`, {}, false);
    expect([made.version, made.parts, made.scannedBytes]).toEqual([null, [], 0]);
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
    "The column 'TradeDate' is set by the path and cannot be filtered as well",
    '2026-11-18',
    { column: 'TradeDate' },
  ],
  [
    `${TICKS}/AAPL?Ticker.in=AAPL,MSFT`,
    'path_column',
    ['query', 'Ticker.in'],
    "The column 'Ticker' is set by the path and cannot be filtered as well",
    'AAPL,MSFT',
    { column: 'Ticker' },
  ],
  [
    `${MINUTES}?Ticker=MSFT`,
    'path_column',
    ['query', 'Ticker'],
    "The column 'Ticker' is set by the path and cannot be filtered as well",
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
    { columns: ['Ticker', 'ASID'], operators: ['eq', 'in'] },
  ],
  [
    'us-equity/eq-trades-1min?Ticker.like=A*',
    'missing',
    ['query', 'Ticker'],
    "The filter expression for the field 'Ticker' should be specified",
    null,
    { columns: ['Ticker', 'ASID'], operators: ['eq', 'in'] },
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
    'us-equity/eq-trades/2026-11-18/AAPL?adjusted=true&period=1Y',
    'inapplicable_parameter',
    ['query', 'period'],
    'period does not apply to this dataset',
    '1Y',
    {},
  ],
];

describe('planQuery: what does not fit the dataset', () => {
  it.each(UNFIT)('%s', (path, type, loc, msg, input, ctx) => {
    expect(problemsOf(path)).toEqual([{ type, loc, msg, input, ctx }]);
  });

  it.each(['Ticker=A', 'Ticker.eq=A', 'Ticker.in=A,B', 'ASID=1', 'ASID.in=1'])(
    'takes %s for the required filter',
    (query) => {
      expect(() => planOfPath(`us-equity/eq-trades-1min?${query}`)).not.toThrow();
    },
  );

  it('names each parameter that does not apply, with the text given', () => {
    const path = `${TICKS}/AAPL?period=1Y&adjusted=True&aggregation_logic=algoseek&Nothing=1`;
    const problems = problemsOf(path).map(({ type, loc, msg, input }) => [
      type,
      loc[1],
      msg,
      input,
    ]);
    expect(problems).toEqual([
      [
        'unknown_column',
        'Nothing',
        'The following columns do not exist in the dataset: Nothing',
        'Nothing',
      ],
      ...[
        ['adjusted', 'True'],
        ['aggregation_logic', 'algoseek'],
        ['period', '1Y'],
      ].map(([name, text]) => [
        'inapplicable_parameter',
        name,
        `${name} does not apply to this dataset`,
        text,
      ]),
    ]);
  });

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

describe('planQuery: any request', () => {
  const name = fc.constantFrom(
    ...['Ticker', 'ASID', 'TradeDate', 'Price', 'EventDateTime', 'Nothing', 'EffectiveDate'],
    ...['period', 'sort', 'columns', 'adjusted', 'BarDateTime', 'SecId', '__proto__'],
  );
  const operator = fc.constantFrom('', ...operatorNames().map((each) => `.${each}`));
  const value = fc.oneof(
    fc.constantFrom(
      ...[
        '2026-11-18',
        '2019-01-02',
        '2026-11-18T09:30:00-05:00',
        'AAPL',
        '1',
        '-1.5',
        '5Y',
        'true',
      ],
      ...["'; DROP TABLE x; --", '9223372036854775808', '1e400', '', 'A*', '-Ticker,Price', '"'],
    ),
    fc.string(),
  );
  const path = fc.constantFrom(TICKS.concat('/AAPL'), MINUTES, DAILY, NO_PERIOD);
  const parameter = fc
    .tuple(name, operator, value)
    .map(([column, suffix, text]) => `${column}${suffix}=${encodeURIComponent(text)}`);

  it('is a plan or one of the documented refusals', () => {
    fc.assert(
      fc.property(path, fc.array(parameter, { maxLength: 4 }), (address, parameters) => {
        const rule = { startDate: '2020-01-01', endDate: '2026-11-18', universe: ['AAPL'] };
        try {
          planOfPath(`${address}?${parameters.join('&')}`, rule);
        } catch (error) {
          expect(error).toBeInstanceOf(ApiError);
          expect(['forbidden', 'invalid']).toContain((error as ApiError).kind);
        }
      }),
      { numRuns: 1000 },
    );
  });
});
