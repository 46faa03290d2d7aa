/** `ticklake get` against a server that listens. */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CellValue } from '../../src/engine/columns.ts';
import { readParquet } from '../../src/engine/conformance/read-parquet.ts';
import { DAILY_PATH, openContractService } from '../contract/fixture.ts';
import type { TestService } from '../harness.ts';
import { liftTimeLimits } from '../no-time-limits.ts';
import { runRemote, runWith, urlOf } from './remote-commands.ts';

liftTimeLimits();

const folder = mkdtempSync(join(tmpdir(), 'ticklake-get-'));
let service: TestService;

beforeAll(async () => {
  service = await openContractService();
});
afterAll(async () => {
  await service.close();
  rmSync(folder, { recursive: true });
});

/** One of the ticks of a day. */
const tick = (day: string, n: number): CellValue[] => [
  ...[day, BigInt(Date.parse(`${day}T14:00:00Z`)) * 1_000_000n + BigInt(n), 'TRADE', 'AAA'],
  ...[11n, 100 + n / 8, 10n, 'NYSE', 1n],
];

const get = (...words: string[]) => runRemote(service, 'get', ...words);
const csvOf = async (query: string) =>
  (await service.get(`${DAILY_PATH}?${query}&response_format=csv`)).body;

describe('rows', () => {
  it('go to standard output as CSV, and nothing else does', async () => {
    const { stdout, stderr, exitCode } = await get('eq_daily_ohlc');
    expect([stdout.toString(), stderr, exitCode]).toEqual([await csvOf(''), '', 0]);
  });

  it('are those of filters, columns, sort and limit', async () => {
    const words = ['Ticker.in=BBB,AAA', 'OpenPrice.ge=20', '--columns', 'Ticker,OpenPrice'];
    const { stdout } = await get('US1020', ...words, '--sort=-OpenPrice', '--limit', '3');
    const query = 'OpenPrice.ge=20&columns=Ticker,OpenPrice&sort=-OpenPrice&limit=3';
    expect(stdout.toString()).toBe(await csvOf(query));
  });

  it('come with a word on standard error about identifiers that have none, which steers no terminal', async () => {
    const { stdout, stderr, exitCode } = await get('eq_daily_ohlc', 'Ticker.in=AAA,\u202eNOPE');
    expect([stdout.toString(), exitCode]).toEqual([await csvOf('Ticker=AAA'), 0]);
    expect(stderr).toBe('ticklake: No rows of 1 of 2 identifiers: \\u202eNOPE\n');
  });

  it('are bars of an interval', async () => {
    const { stdout, exitCode } = await get('eq_daily_ohlc', 'Ticker=AAA', '--interval', '1w');
    expect([stdout.toString(), exitCode]).toEqual([await csvOf('Ticker=AAA&interval=1w'), 0]);
    const refused = await get('eq_daily_ohlc', '--interval', '1h');
    expect(refused.exitCode).toBe(2);
    expect(refused.stderr).toContain("'1w' or '1mo'");
    expect((await get('eq_daily_ohlc', '--symbols', 'some')).stderr).toContain("'any' or 'strict'");
  });

  it('are adjusted as of a date, where there are factors', async () => {
    const asOf = ['--adjusted-as-of', '2025-06-18', '--adjustments', 'splits'];
    const raw = await get('eq_daily_ohlc', ...asOf);
    expect([raw.exitCode, raw.stderr]).toEqual([2, expect.stringContaining('adjusted=true')]);
    const { exitCode, stderr } = await get('eq_daily_ohlc_adj', ...asOf, '--factors-version', '1');
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('Factors version 1 has never')]);
    const query = 'adjusted=true&columns=Ticker&adjustment_factors=true';
    const stored = ['eq_daily_ohlc_adj', '--columns', 'Ticker', '--adjustment-factors'];
    expect((await get(...stored)).stdout.toString()).toBe(await csvOf(query));
  });

  it('are those of a company, or a refusal where nobody knows it', async () => {
    const { stdout, exitCode } = await get('eq_daily_ohlc', 'Ticker=AAA', '--continuous');
    expect([stdout.toString(), exitCode]).toEqual([await csvOf('Ticker=AAA&continuous=true'), 0]);
    const refused = await get('eq_daily_ohlc', 'Ticker=NOPE', '--continuous');
    expect([refused.exitCode, refused.stderr]).toEqual([2, expect.stringContaining("'NOPE'")]);
  });

  it('are those of a path', async () => {
    const path = 'us-equity/eq-taq/2025-06-18/AAA?columns=Price';
    for (const written of [path, `/v1/data/${path}`, `/data/${path}`]) {
      expect((await get(written)).stdout.toString()).toBe('"Price"\n146.18\n146.19\n146.2\n');
    }
    const ticks = ['TradeDate=2025-06-18', 'Ticker.in=AAA,BBB', '--columns', 'Ticker'];
    expect((await get('eq_taq', ...ticks)).stdout.toString()).toBe(
      '"Ticker"\nAAA\nAAA\nAAA\nBBB\n',
    );
  });

  it.each(['csv', 'csv_gzip', 'parquet', 'arrow'])(
    'that are none at all are told as such, with exit code 3, in %s',
    async (format) => {
      const path = 'us-equity/eq-taq/2025-06-18/AAA?Price.ge=1000';
      const none = await get(path, '--format', format);
      expect([none.exitCode, none.stderr]).toEqual([3, 'standard output: no rows of version 1\n']);
      const some = await get(path.replace('ge', 'le'), '--format', format);
      expect([some.exitCode, some.stderr]).toEqual([0, '']);
    },
  );

  it('go to a file, whose name chooses the format, and which is there only when it is whole', async () => {
    const path = join(folder, 'daily.csv.gz');
    const { stdout, exitCode } = await get('eq_daily_ohlc', '--output', path);
    expect(exitCode).toBe(0);
    expect(stdout.toString()).toContain('of version 1');
    expect(gunzipSync(readFileSync(path)).toString()).toBe(await csvOf(''));
    const failed = join(folder, 'failed.csv');
    expect((await get('eq_daily_ohlc', 'Nothing=1', '--output', failed)).exitCode).toBe(2);
    expect(readdirSync(folder)).toEqual(['daily.csv.gz']);
  });

  it('are one Parquet file', async () => {
    const path = join(folder, 'daily.parquet');
    const { stdout } = await get('eq_daily_ohlc', '--output', path, '--json');
    expect(JSON.parse(stdout.toString())).toMatchObject({
      format: 'parquet',
      dataset_version: 1,
      byte_count: readFileSync(path).length,
    });
    const { columns } = service.dataset('eq_daily_ohlc');
    const { rows } = await readParquet(columns, readFileSync(path));
    expect(rows.map((row) => row[1])).toEqual(['AAA', 'BBB', 'AAA', 'BBB']);
  });

  it('are one Parquet file, in order, if the server has several', async () => {
    const days = ['2025-06-16', '2025-06-17'];
    const rows = days.flatMap((day) => Array.from({ length: 300 }, (_, n) => tick(day, n)));
    await service.publish('eq_taq', rows);
    const path = join(folder, 'ticks.parquet');
    const { stderr } = await get('eq_taq', 'TradeDate.le=2025-06-17', '--output', path);
    expect(stderr).toBe('');
    const read = await readParquet(service.dataset('eq_taq').columns, readFileSync(path));
    expect(read.rows).toEqual(rows);
    const out = await get('eq_taq', 'TradeDate.le=2025-06-17', '--format', 'parquet');
    expect(out.stdout.equals(readFileSync(path))).toBe(true);
    expect(readdirSync(folder).filter((name) => name.startsWith('.'))).toEqual([]);
  });

  it("come from the server's files if no days or identifiers are named", async () => {
    const filters = ['TradeDate.ge=2025-06-16', 'TradeDate.le=2025-06-17'];
    const named = ['TradeDate.in=2025-06-16,2025-06-17', 'Ticker=AAA'];
    for (const format of ['csv', 'arrow']) {
      const { stdout, exitCode } = await get('eq_taq', ...filters, '--format', format);
      expect([exitCode, stdout.length > 1000]).toEqual([0, true]);
      if (format === 'csv') expect(stdout).toEqual((await get('eq_taq', ...named)).stdout);
    }
  });

  it('are those of the look-back window in each format, and of another with --period', async () => {
    const { columns } = service.dataset('eq_daily_ohlc');
    const old = columns.map(({ name }) => (name === 'TradeDate' ? '2010-06-18' : null));
    await service.publish('eq_daily_ohlc', [old.map((value, c) => (c === 1 ? 'OLD' : value))]);
    const path = join(folder, 'window.parquet');
    for (const [words, count] of [
      [[], 4],
      [['--period', '50Y'], 5],
    ] as const) {
      const lines = (await get('eq_daily_ohlc', ...words)).stdout.toString().trimEnd().split('\n');
      const { stdout } = await get('eq_daily_ohlc', ...words, '--output', path);
      expect(stdout.toString()).toMatch(/, dates \d{4}-\d\d-\d\d\/2025-06-18\n$/);
      const { rows } = await readParquet(columns, readFileSync(path));
      expect([lines.length - 1, rows.length]).toEqual([count, count]);
    }
  });
});

describe('is refused', () => {
  it.each([
    [[], 'takes <dataset or path> [filter...], but was given nothing'],
    [['nothing'], "no dataset 'nothing'"],
    [['eq_daily_ohlc', '--format', 'xml'], 'csv, csv_gzip, parquet, arrow'],
    [['eq_daily_ohlc', 'Ticker'], 'a filter is such as'],
    [['eq_daily_ohlc', 'Ticker=A', 'Ticker=B'], 'given twice'],
    [['eq_daily_ohlc', '--limit', '0'], '--limit must be a whole number'],
    [['us-equity/eq-daily-ohlc', '--columns', 'Ticker'], 'a path has its own parameters'],
    [['us-equity/nothing'], 'the server answers with 404'],
    [['eq_daily_ohlc', 'Nothing=1'], 'the server answers with 422'],
    [['eq_daily_ohlc', '--server', 'nonsense'], "'url' has to be"],
    [['eq_taq', '--limit', '3'], 'trade date and identifier'],
    [['eq_taq', 'Ticker=aaa', '--format', 'parquet'], "there are rows for 'AAA'"],
  ])('%j with a text that says why', async (words, text) => {
    const { exitCode, stderr, stdout } = await get(...words);
    expect([exitCode, stdout.length]).toEqual([2, 0]);
    expect(stderr).toContain(text);
  });

  it('without a key, and the key is told nowhere', async () => {
    const TICKLAKE_URL = await urlOf(service);
    expect((await runWith({ TICKLAKE_URL }, 'get', 'eq_taq')).stderr).toContain('TICKLAKE_KEY');
    const wrong = await runWith(
      { TICKLAKE_URL, TICKLAKE_KEY: 'very-secret' },
      'get',
      'eq_daily_ohlc',
    );
    expect(wrong.exitCode).toBe(2);
    expect(wrong.stderr).toContain('401');
    expect(wrong.stderr).not.toContain('very-secret');
  });

  it('but a key may be in a file', async () => {
    const file = join(folder, 'key');
    writeFileSync(file, `${service.key}\n`);
    const words = ['get', 'eq_daily_ohlc', '--server', await urlOf(service), '--key-file', file];
    expect((await runWith({}, ...words)).exitCode).toBe(0);
    expect((await runWith({}, ...words.slice(0, -1), `${file}x`)).stderr).toContain('--key-file');
    expect(existsSync(file)).toBe(true);
  });
});
