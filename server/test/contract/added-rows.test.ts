/**
 * A new operator, format or quota quantity needs one table row, and an operator its meaning to the
 * engine. Requests, plans, forms, counters, limits, commands, the OpenAPI document and the check of
 * the documents find the rows invented here.
 */
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { ADMIN_COMMANDS } from '../../src/cli/admin-commands.ts';
import type { CellValue } from '../../src/engine/columns.ts';
import type { OperatorRule } from '../../src/engine/operators.ts';
import type { Format } from '../../src/formats/format.ts';
import type { CountedRequest } from '../../src/store/quantities.ts';
import type { UsageRecord } from '../../src/store/usage.ts';
import { docsTable } from '../docs-table.ts';
import { contentTypeRows, operatorRows, rowLimitRows } from '../documented-rows.ts';
import { openTestService, type TestService } from '../harness.ts';
import { DAILY, errorOf, planOfPath, textOf } from '../plan-of-path.ts';
import { writing } from '../writing.ts';

type OperatorTable = typeof import('../../src/engine/operators.ts');
type FormatTable = typeof import('../../src/formats/formats.ts');
type ConditionTable = typeof import('../../src/engine/duckdb/reading/operator-sql.ts');
type QuantityTable = typeof import('../../src/store/quantities.ts');
type ConditionMaker = ConditionTable['CONDITIONS']['eq'];

vi.mock('../../src/engine/operators.ts', async (original) => {
  const table = await original<OperatorTable>();
  const added: Record<string, OperatorRule> = {
    // A value of `ne` bounds nothing: no date or file may be left out because of it.
    ne: {
      operand: 'value',
      dataTypes: ['string', 'date'],
      sentence: 'other than the value',
      bounds: null,
      isNaming: false,
      takesDatesAsTimes: false,
    },
    between: {
      operand: 'list',
      dataTypes: ['date'],
      sentence: 'from the least to the greatest value in the list',
      bounds: { lower: 'included', upper: 'included' },
      isNaming: false,
      takesDatesAsTimes: false,
    },
  };
  Object.assign(table.OPERATORS, added);
  return table;
});

vi.mock('../../src/engine/duckdb/reading/operator-sql.ts', async (original) => {
  const table = await original<ConditionTable>();
  const added: Record<string, ConditionMaker> = {
    ne: ([value], { type, toValue }, parameters) => {
      const other = parameters.add(toValue(value as string), type);
      return (element) => `${element} <> ${other}`;
    },
    between: (values, { type, toValue }, parameters) => {
      const sorted = values.map(String).sort();
      const [least, greatest] = [sorted.at(0), sorted.at(-1)].map((value) =>
        parameters.add(toValue(value as string), type),
      );
      return (element) => `${element} BETWEEN ${least} AND ${greatest}`;
    },
  };
  Object.assign(table.CONDITIONS, added);
  return table;
});

vi.mock('../../src/formats/formats.ts', async (original) => {
  const table = await original<FormatTable>();
  /** A page that says how many rows it would have. */
  const added: Format = {
    name: 'row_count',
    contentType: 'text/plain',
    fileSuffix: '.count.txt',
    rowLimits: () => ({ default: 2, max: 9_000_000 }),
    pagination: 'in headers',
    encodings: [],
    isColumnar: false,
    tagStrength: 'weak',
    bodySchema: () => ({ type: 'integer' }),
    write: async ({ rows }, { offset, limit }) => {
      let found = 0;
      for await (const { rowCount } of rows()) found += rowCount;
      const rowCount = Math.min(found, limit);
      const nextOffset = found > limit ? offset + limit : null;
      return { body: Buffer.from(`${rowCount}`), rowCount, nextOffset };
    },
  };
  return { ...table, FORMATS: [...table.FORMATS, added] };
});

vi.mock('../../src/store/quantities.ts', async (original) => {
  const table = await original<QuantityTable>();
  const rows = (request: CountedRequest) => (request as UsageRecord).rowCount;
  const added: Omit<QuantityTable['QUANTITIES']['requests'], 'field'> & { field: string } = {
    field: 'rows_returned',
    dayColumn: 'returned_rows',
    ledgerColumn: 'row_count',
    adds: { month: rows, minute: rows },
    name: 'row',
    unit: 'rows',
    noun: 'rows returned',
    option: { word: 'rows', value: 'N', noun: 'rows' },
  };
  Object.assign(table.QUANTITIES, { rowCount: added });
  (table.QUANTITY_NAMES as string[]).push('rowCount');
  return table;
});

const PATH = '/v1/data/us-equity/eq-daily-ohlc';

const daily = (date: string, ticker: string): CellValue[] => [
  ...[date, ticker, 1010000000000001n],
  ...Array.from({ length: 10 }, () => 1),
];
/** In two partitions, by year. */
const ROWS = [
  daily('2024-06-17', 'AAA'),
  daily('2025-06-17', 'AAA'),
  daily('2025-06-17', 'BBB'),
  daily('2025-06-18', 'AAA'),
];

let service: TestService;
beforeAll(async () => {
  service = await openTestService();
  await service.publish('eq_daily_ohlc', ROWS);
});
afterAll(() => service.close());

/** The dates and tickers of the rows that a filter keeps. */
async function keptBy(filter: string, key = service.key): Promise<string[]> {
  const answer = await service.get(`${PATH}?columns=TradeDate,Ticker&${filter}`, {
    'x-api-key': key,
  });
  expect(answer.statusCode, answer.body).toBe(200);
  const rows: { TradeDate: string; Ticker: string }[] = answer.json().data;
  return rows.map((row) => `${row.TradeDate} ${row.Ticker}`);
}

async function problemOf(query: string, key = service.key) {
  const answer = await service.get(`${PATH}?${query}`, { 'x-api-key': key });
  expect(answer.statusCode, answer.body).toBe(422);
  return answer.json().detail[0];
}

describe('an operator that is added to the tables', () => {
  it('is read in requests, and named where others are listed', async () => {
    expect(await problemOf('Ticker.nor=AAA')).toMatchObject({
      type: 'unknown_operator',
      ctx: { expected: expect.stringContaining("'ilike', 'ne' or 'between'") },
    });
    expect(await problemOf('OpenPrice.ne=1')).toMatchObject({ type: 'unfit_operator' });
    expect(await problemOf('TradeDate.ne=soon')).toMatchObject({ type: 'date_parsing' });
  });

  it('is a predicate of the plan, which narrows dates by its bounds alone', () => {
    const predicates = (filter: string) => planOfPath(`${DAILY}?${filter}`).predicates.map(textOf);
    expect(predicates('TradeDate.between=2025-06-18,2025-06-16')).toEqual([
      'TradeDate between 2025-06-18|2025-06-16',
    ]);
    expect(predicates('TradeDate.ne=2025-06-18')).toEqual([
      'TradeDate ne 2025-06-18',
      ...predicates(''),
    ]);
    const tooLong = errorOf(`${DAILY}?TradeDate.between=2015-06-18,2025-06-16`);
    expect(tooLong.detail).toMatchObject([{ type: 'history_limit' }]);
  });

  it('keeps the rows that the engine says', async () => {
    expect(await keptBy('Ticker.ne=AAA')).toEqual(['2025-06-17 BBB']);
    expect(await keptBy('TradeDate.ne=2025-06-17')).toEqual(['2024-06-17 AAA', '2025-06-18 AAA']);
    expect(await keptBy('TradeDate.between=2025-06-18,2025-06-01')).toEqual([
      ...['2025-06-17 AAA', '2025-06-17 BBB'],
      '2025-06-18 AAA',
    ]);
  });

  it('leaves files out by its bounds alone', async () => {
    const filesOf = async (filter: string) =>
      (await service.get(`${PATH.replace('/data/', '/data-scan/')}?${filter}`)).json()
        .files_scanned;
    expect(await filesOf('')).toBe(2);
    expect(await filesOf('TradeDate.ne=2024-06-17')).toBe(2);
    expect(await filesOf('TradeDate.between=2025-06-18,2025-06-01')).toBe(1);
  });

  it("is measured by an account's window where it has bounds, and stays inside it otherwise", async () => {
    const { accountId, key } = await service.addAccount('of a window');
    await writing(service.services.store).rules.add({
      accountId,
      datasetId: service.dataset('eq_daily_ohlc').datasetId,
      startDate: '2025-06-18',
      endDate: null,
      universe: [],
    });
    expect(await problemOf('TradeDate.between=2024-06-01,2024-06-30', key)).toMatchObject({
      type: 'date_outside_window',
    });
    expect(await keptBy('TradeDate.ne=2024-06-17', key)).toEqual(['2025-06-18 AAA']);
  });
});

describe('a format that is added to the table', () => {
  it('is what an answer comes in, with its type, tag, headers and file name', async () => {
    const answer = await service.get(`${PATH}?response_format=row_count`);
    expect([answer.statusCode, answer.body]).toEqual([200, '2']);
    expect(answer.headers).toMatchObject({
      'content-type': expect.stringMatching(/^text\/plain/),
      etag: expect.stringMatching(/^W\/"/),
      'content-disposition': 'attachment; filename="eq_daily_ohlc_2020-06-19_2025-06-18.count.txt"',
      'x-pagination-limit': '2',
      'x-pagination-next-offset': '2',
      link: expect.stringContaining('offset=2'),
    });
  });

  it('has its own limits, and is named where others are listed', async () => {
    expect((await service.get(`${PATH}?response_format=row_count&limit=9000000`)).body).toBe('4');
    expect(await problemOf('response_format=row_count&limit=9000001')).toMatchObject({
      msg: "Input should be less than or equal to 9000000 for response_format 'row_count'",
    });
    expect(await problemOf('response_format=xml')).toMatchObject({
      ctx: { expected: "'json', 'csv', 'csv_gzip', 'arrow', 'parquet' or 'row_count'" },
    });
  });
});

describe('a quantity of quotas that is added to the table', () => {
  /** An account that may read the dataset, and administers itself. */
  async function newAccount(name: string) {
    const account = await service.addAccount(name);
    const { accounts, rules } = writing(service.services.store);
    await accounts.update(account.accountId, { isAdmin: true });
    await rules.add({
      accountId: account.accountId,
      datasetId: service.dataset('eq_daily_ohlc').datasetId,
      startDate: '1900-01-01',
      endDate: null,
      universe: [],
    });
    return account;
  }

  const ask = async (path: string, key: string) =>
    (await service.get(path, { 'x-api-key': key })).json();

  it('is counted, and shown in the quotas and in the usage by day', async () => {
    const { accountId, key } = await newAccount('of rows');
    await keptBy('Ticker=AAA', key);
    const { quotas_usage: used, quotas_limit: limits } = await ask('/v1/account/my/quotas', key);
    expect([used.month.rows_returned, used.minute.rows_returned]).toEqual([3, 3]);
    expect([limits.month.rows_returned, limits.minute.rows_returned]).toEqual([null, null]);
    await service.services.usage.flush();
    const usage = await ask(`/v1/identities/${accountId}/usage`, key);
    expect(usage.total.rows_returned).toBe(3);
  });

  it('is limited by an administrator, and refused in its own words', async () => {
    const { accountId, key } = await newAccount('of few rows');
    const answer = await service.app.inject({
      method: 'POST',
      url: `/v1/identities/${accountId}/quotas`,
      headers: { 'x-api-key': key },
      payload: { month: { rows_returned: 2 } },
    });
    expect(answer.json().quotas_limit.month.rows_returned).toBe(2);
    await keptBy('Ticker=AAA', key);
    const refused = await service.get(PATH, { 'x-api-key': key });
    expect([refused.statusCode, refused.json().detail]).toEqual([
      429,
      'Monthly row limit exceeded: 3/2 rows.',
    ]);
  });

  it('is in the OpenAPI document and an option of the command', async () => {
    const { components, paths } = (await service.app.inject('/v1/openapi.json')).json();
    const { month } = components.schemas.QuotasLimit.properties;
    expect(month.required).toContain('rows_returned');
    expect(components.schemas.UsageOfDay.required).toContain('rows_returned');
    const { schema } =
      paths['/identities/{identity_id}/quotas'].post.requestBody.content['application/json'];
    expect(schema.properties.minute.properties.rows_returned).toMatchObject({ minimum: 0 });
    const command = ADMIN_COMMANDS.find(({ name }) => name.join(' ') === 'quota set');
    expect(command?.options?.['month-rows']?.description).toBe(
      'maximum rows in a month, or unlimited',
    );
  });
});

describe('operators and formats that are added', () => {
  it('are in the query form', async () => {
    const { datasetId } = service.dataset('eq_daily_ohlc');
    const form = (await service.get(`/v1/meta/datasets/${datasetId}/query`)).json();
    const columns: { name: string; operators: string[] }[] = form.columns;
    const operatorsOf = (name: string) => columns.find((each) => each.name === name)?.operators;
    expect(operatorsOf('Ticker')).toEqual(['eq', 'in', 'like', 'ilike', 'ne']);
    expect(operatorsOf('TradeDate')?.slice(-2)).toEqual(['ne', 'between']);
    expect(operatorsOf('OpenPrice')).not.toContain('ne');
    expect(form.limits.row_count).toEqual({ default: 2, maximum: 9_000_000 });
  });

  it('are in the OpenAPI document', async () => {
    const { paths, components } = (await service.app.inject('/v1/openapi.json')).json();
    const { parameters, responses } = paths['/data/us-equity/eq-daily-ohlc'].get;
    const parameter = (name: string) =>
      parameters.find((each: { name: string }) => each.name === name);
    expect(parameter('response_format').schema.enum).toContain('row_count');
    expect(parameter('limit').schema.maximum).toBe(9_000_000);
    expect(parameter('limit').description).toContain('row_count 2, at most 9000000');
    expect(responses[200].content['text/plain']).toEqual({ schema: { type: 'integer' } });
    const { limits, columns } = components.schemas.QueryForm.properties;
    expect(limits.required).toContain('row_count');
    const operators = columns.items.properties.operators.items.enum;
    expect(operators).toEqual(expect.arrayContaining(['ne', 'between']));
  });

  it('are missed in the documents', () => {
    const operators = docsTable('queries.md', 'Operator', 'Column types');
    expect(operatorRows()).toEqual([
      ...operators,
      ['`.ne`', 'string, date', 'other than the value'],
      ['`.between`', 'date', 'from the least to the greatest value in the list'],
    ]);
    const limits = docsTable('queries.md', '`response_format`', 'Rows by default');
    expect(rowLimitRows()).toEqual([...limits, ['`row_count`', '2', '9000000']]);
    const types = docsTable('http.md', '`response_format`', 'Content-Type');
    const documented = types.map((cells) => cells.slice(0, 2));
    expect(contentTypeRows()).toEqual([...documented, ['`row_count`', '`text/plain`']]);
  });
});
