/**
 * Every snippet of the console, run as it is pasted: by a shell, Node and Python, against a server
 * on a real port. Rows are compared with the text of the server's own JSON, to the nanosecond and
 * the last digit.
 */

import { spawnSync } from 'node:child_process';
import type { DataType } from '@ticklake/client';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { asNewAccount, type QuotaService } from '../../../server/test/quota/quota-service.ts';
import { sampleOf } from '../../../server/test/repetitions.ts';
import type { DatasetShape } from '../../src/explorer/dataset-shape';
import { queryOfSearch } from '../../src/explorer/explorer-query';
import { requestOf } from '../../src/explorer/explorer-request';
import type { ExplorerSearch } from '../../src/explorer/explorer-search';
import { type Snippet, snippetsOf } from '../../src/explorer/snippets';
import { type Cell, cellsOfAnswer, nanosecondsOf, withNineDigits } from './expected-rows';
import { frameOf, runSnippet } from './run-snippet';
import { openSnippetService } from './snippet-data';

/** All that end with rows. */
const READERS = ['python-client', 'typescript-client', 'duckdb', 'r'] as const;
const WRITERS = ['curl', 'get'] as const;

const POLARS_TYPES = (zone: string): Record<DataType, string> => ({
  date: 'Date',
  'date-time': `Datetime(time_unit='ns', time_zone='${zone}')`,
  string: 'String',
  number: 'Float64',
  integer: 'Int64',
  'array of string': 'List(String)',
  'array of integer': 'List(Int64)',
  'array of number': 'List(Float64)',
  decimal: 'Decimal',
  boolean: 'Boolean',
});

const HAS_R = spawnSync('Rscript', ['-e', 'library(arrow); library(httr2)']).status === 0;
if (!HAS_R) process.stderr.write('SKIPPED: no R with arrow and httr2 for the snippet of R\n');
/** Programs whose times are only counted: no text of theirs has nanoseconds. */
const COUNTING: readonly string[] = ['typescript-client', 'duckdb', 'r'];

/** Title, query and row count of each case. */
const CASES: readonly (readonly [string, ExplorerSearch, number])[] = [
  ['ticks to the nanosecond', { dataset: 'eq_taq', date: '2024-11-01', identifier: 'AAA' }, 5],
  [
    'both hours of the clock change',
    { dataset: 'eq_taq', date: '2024-11-03', identifier: 'AAA' },
    2,
  ],
  [
    'the clock change in Chicago',
    { dataset: 'fut_taq', date: '2024-11-03', identifier: 'ESZ4' },
    2,
  ],
  ['minute bars in Chicago, in two offsets', { dataset: 'fut_trades_1min', identifier: 'ESZ4' }, 2],
  ['tickers that look like other things', { dataset: 'eq_daily_ohlc' }, 30],
  [
    'chosen columns in another order',
    { dataset: 'eq_daily_ohlc', columns: 'ASID,Ticker,TradeDate', sort: '-TradeDate' },
    30,
  ],
  ['arrays, SEDOLs and empty texts', { dataset: 'eq_sec_master' }, 4],
  [
    'one column, of times with nulls',
    { dataset: 'eq_trading_halts', columns: 'ResumeDateTime' },
    39,
  ],
  ['one column, of nulls and empty texts', { dataset: 'eq_trading_halts', columns: 'Name' }, 39],
  ['one column of nothing', { dataset: 'eq_trading_halts', columns: 'ASID' }, 39],
  ['no rows', { dataset: 'eq_daily_ohlc', identifier: 'NOSUCH' }, 0],
  ['no ticks', { dataset: 'eq_taq', date: '2024-10-30', identifier: 'AAA' }, 0],
];

/** A time of a frame; what is no text is a number of nanoseconds. */
const timeCell = (cell: Cell) => (typeof cell === 'string' ? withNineDigits(cell) : cell);

const ROWS_ON_A_PAGE = 7;

/** Rows of the CSV that a run wrote. */
function rowCountOf({ exitCode, stdout }: Awaited<ReturnType<typeof runSnippet>>): number {
  expect(exitCode).toBe(0);
  return stdout.trimEnd().split('\n').length - 1;
}

describe.skipIf(inject('python') === null)('a snippet', () => {
  let service: QuotaService;
  let base: string;
  /** How many more requests the server answers with 503. */
  let refusals = 0;
  let secondsUntilReset = 0;
  let refusedForQuota = 0;

  beforeAll(async () => {
    service = await asNewAccount(await openSnippetService());
    service.app.addHook('onRequest', async (_, reply) => {
      if (refusals-- > 0) await reply.code(503).send({ detail: 'Service unavailable' });
    });
    // The server's clock stands still and moves on when a program is told to wait.
    service.app.addHook('onSend', async (_, reply) => {
      if (reply.statusCode !== 429) return;
      refusedForQuota++;
      service.clock.set(new Date(service.clock.now() + secondsUntilReset * 1000).toISOString());
    });
    base = `${await service.app.listen({ host: '127.0.0.1', port: 0 })}/v1`;
  });
  afterAll(() => service?.close());

  /** A new account without limits, with the same data. */
  function begin(): Promise<QuotaService> {
    refusals = 0;
    secondsUntilReset = 0;
    refusedForQuota = 0;
    return asNewAccount(service);
  }

  async function answerText(path: string, key: string): Promise<string> {
    const response = await fetch(`${base}${path}`, { headers: { 'X-API-KEY': key } });
    expect(response.status).toBe(200);
    return response.text();
  }

  const pathOf = ({ pathname, search }: URL) => `${pathname}${search}`.slice('/v1'.length);

  async function prepare(search: ExplorerSearch, { key }: QuotaService) {
    const { datasetId } = service.dataset(search.dataset ?? '');
    const path = `/meta/datasets/${datasetId}/query`;
    const told = JSON.parse(await answerText(path, key)) as DatasetShape;
    const few = { default: ROWS_ON_A_PAGE, maximum: ROWS_ON_A_PAGE };
    const limits = { json: few, csv: few, csv_gzip: few, arrow: few, parquet: few };
    const shape = { ...told, limits };
    const request = requestOf(queryOfSearch({ ...search, dataset: datasetId }), shape);
    const snippets = snippetsOf(request, shape, base);
    const snippet = (name: Snippet['name']) => {
      const found = snippets.find((each) => each.name === name);
      if (!found) throw new Error(`no snippet of ${name}`);
      return found;
    };
    return { shape, snippets, snippet, url: new URL(snippet('url').text) };
  }

  const DAILY = { dataset: 'eq_daily_ohlc' };

  it('is tried here whatever its kind', async () => {
    const { snippets } = await prepare(DAILY, await begin());
    expect(snippets.map(({ name }) => name).sort()).toEqual(['url', ...READERS, ...WRITERS].sort());
  });

  describe.each(sampleOf(CASES))('that reads %s', (_, search, rowCount) => {
    const readers = READERS.filter((name) => name !== 'r' || HAS_R);
    it.each(readers)('ends with each value of the answer: %s', async (name) => {
      const account = await begin();
      const { shape, snippet, url } = await prepare(search, account);
      const chosen = search.columns?.split(',') ?? shape.columns.map((column) => column.name);
      const columns = chosen.map((each) => shape.columns.find((column) => column.name === each)!);
      url.searchParams.set('limit', '1000');
      const answer = await answerText(pathOf(url), account.key);
      const expected: Cell[][] = cellsOfAnswer(answer, columns);
      expect(expected).toHaveLength(rowCount);

      const { rows, types } = frameOf(await runSnippet(snippet(name), account.key));
      const isTime = columns.map((column) => column.data_type === 'date-time');
      const filled = rows.map((row) =>
        row.map((cell, at) => (isTime[at] && cell !== null ? timeCell(cell) : cell)),
      );
      const counted = (cell: Cell, at: number) =>
        isTime[at] && cell !== null ? { integer: `${nanosecondsOf(`${cell}`)}` } : cell;
      const asTold = COUNTING.includes(name) ? counted : (cell: Cell) => cell;
      expect(filled).toEqual(expected.map((row) => row.map(asTold)));
      if (name !== 'python-client') return;
      const typeOf = POLARS_TYPES(shape.time_zone);
      expect(types).toEqual(
        Object.fromEntries(columns.map((column) => [column.name, typeOf[column.data_type]])),
      );
    });

    it.each(WRITERS)('writes the bytes of the CSV answer: %s', async (name) => {
      const account = await begin();
      const { snippet, url } = await prepare(search, account);
      url.searchParams.set('limit', '1000');
      url.searchParams.set('response_format', 'csv');
      const answer = await answerText(pathOf(url), account.key);
      const { exitCode, stdout } = await runSnippet(snippet(name), account.key);
      // `get` alone tells of no rows by its exit code.
      expect(exitCode).toBe(name === 'get' && rowCount === 0 ? 3 : 0);
      expect(stdout).toBe(answer);
    });
  });

  describe('a snippet of curl', () => {
    it('waits as long as a 429 says, and reads on', async () => {
      const account = await begin();
      const { snippet, url } = await prepare(DAILY, account);
      // Two requests are left of the minute, and two seconds until those that were used leave it.
      await account.limit('minute', { requests: 4 });
      for (let used = 0; used < 2; used++) await answerText(pathOf(url), account.key);
      account.clock.set(new Date(account.clock.now() + 58_000).toISOString());
      secondsUntilReset = 62;
      const ran = await runSnippet(snippet('curl'), account.key);
      expect(refusedForQuota).toBe(1);
      expect(rowCountOf(ran)).toBe(30);
    });

    it('asks again while the server is unwell', async () => {
      const account = await begin();
      const { snippet } = await prepare(DAILY, account);
      refusals = 2;
      const ran = await runSnippet(snippet('curl'), account.key);
      expect(refusals).toBeLessThan(0);
      expect(rowCountOf(ran)).toBe(30);
    });

    it('ends with the text of a refusal that waiting does not mend', async () => {
      const account = await begin();
      const { snippet } = await prepare({ ...DAILY, columns: 'NoSuchColumn' }, account);
      const { exitCode, stdout, stderr } = await runSnippet(snippet('curl'), account.key);
      expect(exitCode).not.toBe(0);
      expect(stderr).toContain('NoSuchColumn');
      expect(stdout).toBe('');
    });
  });
});
