import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyCharacter } from '../../test/any-character.ts';
import { repetitions } from '../../test/repetitions.ts';
import { ApiError, type Problem } from '../base/errors.ts';
import { CSV_FORMAT, CSV_GZIP_FORMAT } from '../formats/csv.ts';
import { JSON_FORMAT } from '../formats/json.ts';
import { type DataRequest, parseDataRequest } from './data-request.ts';
import { DEFAULT_DATA_REQUEST_LIMITS } from './settings.ts';

function parse(queryString: string, pathParameters: readonly string[] = []): DataRequest {
  const input = { group: 'us-equity', segment: 'eq-taq', pathParameters, queryString };
  return parseDataRequest(input, DEFAULT_DATA_REQUEST_LIMITS);
}

function problemsOf(queryString: string, pathParameters: readonly string[] = []): Problem[] {
  try {
    parse(queryString, pathParameters);
  } catch (error) {
    if (error instanceof ApiError && error.kind === 'invalid' && typeof error.detail !== 'string')
      return [...error.detail];
    throw error;
  }
  return [];
}

const PLAIN: Omit<DataRequest, 'parameterTexts'> = {
  group: 'us-equity',
  segment: 'eq-taq',
  pathParameters: [],
  filters: [],
  sort: [],
  columns: null,
  sample: null,
  offset: 0,
  limit: 1000,
  responseFormat: JSON_FORMAT,
  version: null,
  adjusted: null,
  aggregationLogic: null,
  interval: null,
  session: null,
  adjustment: { asOf: null, adjustments: 'all', withFactors: false, factorsVersion: null },
  period: null,
  receipt: false,
  strictSymbols: false,
  followsCompanies: false,
  rollsVersion: null,
  countsRows: false,
};

const LEGAL: [string, Partial<DataRequest>][] = [
  ['', {}],
  ['offset=0&limit=1', { limit: 1 }],
  ['offset=1000000000000', { offset: 1_000_000_000_000 }],
  ['offset=-0', {}],
  ['symbols=strict', { strictSymbols: true }],
  ['continuous=true', { followsCompanies: true }],
  ['symbols=any', {}],
  ['limit=10000', { limit: 10_000 }],
  ['limit=0010', { limit: 10 }],
  ['response_format=json', {}],
  ['response_format=csv', { responseFormat: CSV_FORMAT, limit: 3_000 }],
  ['response_format=csv_gzip', { responseFormat: CSV_GZIP_FORMAT, limit: 8_000 }],
  ['response_format=csv&limit=30000', { responseFormat: CSV_FORMAT, limit: 30_000 }],
  ['limit=80000&response_format=csv_gzip', { responseFormat: CSV_GZIP_FORMAT, limit: 80_000 }],
  ['adjusted=true', { adjusted: true }],
  ['adjusted=False', { adjusted: false }],
  ['receipt=true', { receipt: true }],
  ['receipt=True', { receipt: true }],
  ['receipt=false', {}],
  ['aggregation_logic=algoseek', { aggregationLogic: 'vendor_default' }],
  ['aggregation_logic=industry_std', { aggregationLogic: 'industry_std' }],
  ['period=5Y', { period: { count: 5, unit: 'Y' } }],
  ['dataset_version=12', { version: { version: 12 } }],
  ['as_of=2026-11-18T21:00:00Z', { version: { asOf: '2026-11-18T21:00:00Z' } }],
  ['as_of=2026-11-18T16:00', { version: { asOf: '2026-11-18T16:00' } }],
  ['as_of=2026-11-18+16:00:00.5+01:00', { version: { asOf: '2026-11-18 16:00:00.5 01:00' } }],
  ['columns=Price,Ticker', { columns: ['Price', 'Ticker'] }],
  [
    'sort=+A,-B,C,%2BD',
    {
      sort: [
        { column: 'A', descending: false },
        { column: 'B', descending: true },
        { column: 'C', descending: false },
        { column: 'D', descending: false },
      ],
    },
  ],
  [
    'A=1&A.gt=2&A=3',
    {
      filters: [
        { name: 'A', column: 'A', operator: null, texts: ['1'] },
        { name: 'A.gt', column: 'A', operator: 'gt', texts: ['2'] },
        { name: 'A', column: 'A', operator: null, texts: ['3'] },
      ],
    },
  ],
  ['A=', { filters: [{ name: 'A', column: 'A', operator: null, texts: [''] }] }],
  ['A=x,y', { filters: [{ name: 'A', column: 'A', operator: null, texts: ['x,y'] }] }],
  [
    'A.in=x,"y,z"',
    { filters: [{ name: 'A.in', column: 'A', operator: 'in', texts: ['x', 'y,z'] }] },
  ],
  ['a.b.eq=1', { filters: [{ name: 'a.b.eq', column: 'a.b', operator: 'eq', texts: ['1'] }] }],
  [
    'limit.gt=1',
    { filters: [{ name: 'limit.gt', column: 'limit', operator: 'gt', texts: ['1'] }] },
  ],
];

const OPERATORS = "'eq', 'gt', 'ge', 'lt', 'le', 'in', 'like' or 'ilike'";

const AS_OF_ACCEPTS =
  'YYYY-MM-DDTHH:MM, optionally with seconds, up to nine fraction digits and an offset';

/** Query string; type, name, message, input, ctx of its one problem. */
const ILLEGAL: [string, string, string, string, unknown, Record<string, unknown>][] = [
  ['limit=', 'int_parsing', 'limit', 'Input should be a valid integer', '', {}],
  ['limit=1.0', 'int_parsing', 'limit', 'Input should be a valid integer', '1.0', {}],
  ['limit=+1', 'int_parsing', 'limit', 'Input should be a valid integer', ' 1', {}],
  [
    'limit=0',
    'greater_than_equal',
    'limit',
    'Input should be greater than or equal to 1',
    '0',
    { ge: 1 },
  ],
  [
    'limit=-5',
    'greater_than_equal',
    'limit',
    'Input should be greater than or equal to 1',
    '-5',
    { ge: 1 },
  ],
  [
    'limit=10001',
    'less_than_equal',
    'limit',
    "Input should be less than or equal to 10000 for response_format 'json'",
    '10001',
    { le: 10_000 },
  ],
  [
    'limit=30001&response_format=csv',
    'less_than_equal',
    'limit',
    "Input should be less than or equal to 30000 for response_format 'csv'",
    '30001',
    { le: 30_000 },
  ],
  [
    'limit=80001&response_format=csv_gzip',
    'less_than_equal',
    'limit',
    "Input should be less than or equal to 80000 for response_format 'csv_gzip'",
    '80001',
    { le: 80_000 },
  ],
  [
    'limit=99999999999999999999999999',
    'less_than_equal',
    'limit',
    "Input should be less than or equal to 10000 for response_format 'json'",
    '99999999999999999999999999',
    { le: 10_000 },
  ],
  [
    `offset=${'9'.repeat(400)}`,
    'less_than_equal',
    'offset',
    'Input should be less than or equal to 1000000000000',
    '9'.repeat(400),
    { le: 1_000_000_000_000 },
  ],
  [
    'offset=-1',
    'greater_than_equal',
    'offset',
    'Input should be greater than or equal to 0',
    '-1',
    { ge: 0 },
  ],
  [
    'offset=1000000000001',
    'less_than_equal',
    'offset',
    'Input should be less than or equal to 1000000000000',
    '1000000000001',
    { le: 1_000_000_000_000 },
  ],
  [
    'response_format=JSON',
    'enum',
    'response_format',
    "Input should be 'json', 'csv', 'csv_gzip', 'arrow' or 'parquet'",
    'JSON',
    { expected: "'json', 'csv', 'csv_gzip', 'arrow' or 'parquet'" },
  ],
  [
    'adjusted=yes',
    'bool_parsing',
    'adjusted',
    "Input should be 'true' or 'false'",
    'yes',
    { expected: "'true' or 'false'" },
  ],
  [
    'symbols=Strict',
    'enum',
    'symbols',
    "Input should be 'any' or 'strict'",
    'Strict',
    { expected: "'any' or 'strict'" },
  ],
  [
    'receipt=yes',
    'bool_parsing',
    'receipt',
    "Input should be 'true' or 'false'",
    'yes',
    { expected: "'true' or 'false'" },
  ],
  [
    'receipt=',
    'bool_parsing',
    'receipt',
    "Input should be 'true' or 'false'",
    '',
    { expected: "'true' or 'false'" },
  ],
  [
    'receipt=1',
    'bool_parsing',
    'receipt',
    "Input should be 'true' or 'false'",
    '1',
    { expected: "'true' or 'false'" },
  ],
  [
    'aggregation_logic=vendor_default',
    'enum',
    'aggregation_logic',
    "Input should be 'algoseek' or 'industry_std'",
    'vendor_default',
    { expected: "'algoseek' or 'industry_std'" },
  ],
  [
    'period=5M',
    'string_pattern_mismatch',
    'period',
    'Input should be a number from 1 to 9999 and a unit Y, W or D, such as 5Y',
    '5M',
    { pattern: '[1-9][0-9]{0,3}(Y|W|D)' },
  ],
  [
    'dataset_version=0',
    'greater_than_equal',
    'dataset_version',
    'Input should be greater than or equal to 1',
    '0',
    { ge: 1 },
  ],
  [
    'dataset_version=latest',
    'int_parsing',
    'dataset_version',
    'Input should be a valid integer',
    'latest',
    {},
  ],
  // A date could mean the first moment of the day as well as the last.
  [
    'as_of=2026-11-18',
    'datetime_parsing',
    'as_of',
    `Cannot parse the value '2026-11-18' of 'as_of' as DateTime: give ${AS_OF_ACCEPTS}`,
    '2026-11-18',
    { accepts: AS_OF_ACCEPTS },
  ],
  [
    'as_of=2026-02-30T12:00Z',
    'datetime_parsing',
    'as_of',
    `Cannot parse the value '2026-02-30T12:00Z' of 'as_of' as DateTime: give ${AS_OF_ACCEPTS}`,
    '2026-02-30T12:00Z',
    { accepts: AS_OF_ACCEPTS },
  ],
  [
    'dataset_version=3&as_of=2026-11-18T21:00:00Z',
    'exclusive_parameters',
    'as_of',
    "Give either 'dataset_version' or 'as_of', not both",
    '2026-11-18T21:00:00Z',
    {},
  ],
  [
    'limit=5&limit=5',
    'duplicate_parameter',
    'limit',
    "The parameter 'limit' should be given only once",
    '5',
    {},
  ],
  [
    'A.between=1',
    'unknown_operator',
    'A.between',
    `The filter operator 'between' does not exist; it should be ${OPERATORS}`,
    'between',
    { expected: OPERATORS },
  ],
  [
    'A.constructor=1',
    'unknown_operator',
    'A.constructor',
    `The filter operator 'constructor' does not exist; it should be ${OPERATORS}`,
    'constructor',
    { expected: OPERATORS },
  ],
  [
    'A.GT=1',
    'unknown_operator',
    'A.GT',
    `The filter operator 'GT' does not exist; it should be ${OPERATORS}`,
    'GT',
    { expected: OPERATORS },
  ],
  ['.gt=1', 'missing_name', '.gt', 'A filter should name a column before its operator', '.gt', {}],
  [
    'A.in="x',
    'list_parsing',
    'A.in',
    'A quoted value in the list should end with a quote, followed by a comma or the end',
    '"x',
    {},
  ],
  [
    'sort=A,-A',
    'duplicate_column',
    'sort',
    "A column should appear only once in 'sort': A",
    'A,-A',
    { columns: ['A'] },
  ],
  [
    'columns=A,B,A,B,A',
    'duplicate_column',
    'columns',
    "A column should appear only once in 'columns': A, B",
    'A,B,A,B,A',
    { columns: ['A', 'B'] },
  ],
  ['sort=', 'missing_name', 'sort', "Each entry of 'sort' should name a column", '', {}],
  ['sort=A,-', 'missing_name', 'sort', "Each entry of 'sort' should name a column", 'A,-', {}],
  ['columns=', 'missing_name', 'columns', "Each entry of 'columns' should name a column", '', {}],
];

describe('parseDataRequest', () => {
  it.each(LEGAL)('reads %j', (query, expected) => {
    expect(parse(query)).toEqual({
      ...PLAIN,
      parameterTexts: expect.anything(),
      ...expected,
    });
  });

  it.each(ILLEGAL)('refuses %j as %s', (query, type, name, msg, input, ctx) => {
    expect(problemsOf(query)).toEqual([{ type, loc: ['query', name], msg, input, ctx }]);
  });

  it.each([
    [[], []],
    [['AAPL'], ['AAPL']],
    [
      ['2026-11-18', 'BRK%2FB'],
      ['2026-11-18', 'BRK/B'],
    ],
    [['A+B'], ['A+B']],
    [['%2e%2e'], ['..']],
  ])('decodes the path %j', (raw, decoded) => {
    expect(parse('', raw).pathParameters).toEqual(decoded);
  });

  it.each([
    [['%ff'], 'percent_encoding', 'identifier'],
    [['%00', 'AAPL'], 'control_character', 'trade_date'],
    [['2026-11-18', '%zz'], 'percent_encoding', 'identifier'],
    [['a', 'b', '%'], 'percent_encoding', 'segment_3'],
  ])('refuses the path %j', (raw, type, name) => {
    expect(problemsOf('', raw)).toMatchObject([{ type, loc: ['path', name] }]);
  });

  it('takes 64 filters and refuses 65', () => {
    const filters = (count: number) => Array.from({ length: count }, (_, i) => `C${i}=1`).join('&');
    expect(parse(filters(64)).filters).toHaveLength(64);
    expect(problemsOf(filters(65))).toEqual([
      {
        type: 'too_long',
        loc: ['query', 'C64'],
        msg: 'A request should have at most 64 filters, not 65',
        input: '1',
        ctx: { max_length: 64, actual_length: 65 },
      },
    ]);
  });

  it('takes lists of 1000 values and refuses 1001', () => {
    const list = (count: number) => `A.in=${Array.from({ length: count }, (_, i) => i).join(',')}`;
    expect(parse(list(1000)).filters[0]?.texts).toHaveLength(1000);
    expect(problemsOf(list(1001))).toMatchObject([
      {
        type: 'too_long',
        loc: ['query', 'A.in'],
        msg: 'The list should have at most 1000 values, not 1001',
        ctx: { max_length: 1000, actual_length: 1001 },
      },
    ]);
  });

  it('takes 16 sort fields and refuses 17', () => {
    const sort = (count: number) => `sort=${Array.from({ length: count }, (_, i) => `C${i}`)}`;
    expect(parse(sort(16)).sort).toHaveLength(16);
    expect(problemsOf(sort(17))).toMatchObject([
      {
        type: 'too_long',
        loc: ['query', 'sort'],
        msg: "'sort' should have at most 16 fields, not 17",
        ctx: { max_length: 16, actual_length: 17 },
      },
    ]);
  });

  it('names the vendor of the settings as the legal value of aggregation_logic', () => {
    const limits = { ...DEFAULT_DATA_REQUEST_LIMITS, vendorAggregationLogic: 'synthetic' };
    const read = (value: string) =>
      parseDataRequest(
        { group: 'g', segment: 's', pathParameters: [], queryString: `aggregation_logic=${value}` },
        limits,
      ).aggregationLogic;
    expect(read('synthetic')).toBe('vendor_default');
    expect(() => read('algoseek')).toThrow("Input should be 'synthetic' or 'industry_std'");
  });

  it('reports all problems of one request together', () => {
    const query = 'limit=0&offset=-1&period=x&A.no=1&b=%ff&sort=A,A&adjusted=1&limit=3';
    expect(
      problemsOf(query, ['%00'])
        .map(({ loc }) => loc.join('.'))
        .sort(),
    ).toEqual([
      ...['path.identifier', 'query.A.no', 'query.adjusted', 'query.b', 'query.limit'],
      ...['query.limit', 'query.offset', 'query.period', 'query.sort'],
    ]);
  });

  it('answers any text with a request or a 422 whose entries are whole', () => {
    const piece = fc.constantFrom(
      ...[
        'limit',
        'sort',
        'columns',
        'offset',
        'period',
        'adjusted',
        'A',
        'A.in',
        'A.gt',
        '.',
        '=',
        '&',
      ],
      ...[
        ',',
        '"',
        '%',
        '%00',
        '%ff',
        '%2C',
        '+',
        '-',
        '1',
        '5Y',
        'é',
        '\0',
        "'",
        ';',
        '😀',
        '__proto__',
      ],
    );
    const text = fc.oneof(
      fc.string({ unit: anyCharacter }),
      fc.array(piece, { maxLength: 40 }).map((pieces) => pieces.join('')),
    );
    fc.assert(
      fc.property(text, fc.array(text, { maxLength: 3 }), (query, path) => {
        for (const problem of problemsOf(query, path)) {
          expect(Object.keys(problem).sort()).toEqual(['ctx', 'input', 'loc', 'msg', 'type']);
          expect(problem.loc).toHaveLength(2);
          expect(['query', 'path']).toContain(problem.loc[0]);
        }
      }),
      { numRuns: repetitions('TICKLAKE_QUERY_TEXTS', 300) },
    );
  });
});
