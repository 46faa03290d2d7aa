/**
 * Samples of a dataset with a column that is named like the parameter: the rows that the oracle
 * says, whatever was asked before, and whatever becomes of its definition.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Column } from '../../src/catalog/dataset.ts';
import { daysOfDate } from '../../src/engine/columns.ts';
import { reloadDefinitions } from '../../src/operation/definition-reload.ts';
import { openTestService, type TestService } from '../harness.ts';
import { FORMATS } from '../oracle/random-request.ts';
import { readPages } from '../oracle/read-pages.ts';
import { halfOf, isSampled } from '../oracle/select-rows.ts';
import { TYPED_TEXT_ID, typedDefinitions } from '../oracle/typed-definition.ts';

const PATH = '/data/us-equity/typed-rows';
const QUERY = 'columns=Ticker,Sample&limit=70';
const HALF = 'sample=1/2';
const definitions = typedDefinitions();
const file = join(definitions, 'typed_rows.yaml');
const definition = readFileSync(file, 'utf8')
  .replace('name: Size', 'name: Sample')
  .replace('[TradeDate, Fee, Ticker]', '[TradeDate, Sample, Ticker]');

/** Each part has values on one side of half a million, in natural order. */
const ROWS = Array.from({ length: 400 }, (_, r) => ({
  TradeDate: r < 200 ? '2025-02-18' : '2025-03-18',
  Ticker: `T${r % 7}`,
  Sample: BigInt(r * 2500 + (r % 3)),
}));

let service: TestService;
beforeAll(async () => {
  writeFileSync(file, definition);
  service = await openTestService({ definitions });
  const rows = ROWS.map((row) => {
    const cells = { ...row, TradeDate: daysOfDate(row.TradeDate) };
    return dataset().columns.map(({ name }) => cells[name as keyof typeof cells] ?? null);
  });
  await service.publish(TYPED_TEXT_ID, rows);
});
afterAll(() => service.close());

function dataset() {
  const found = service.services.catalogs.current.byTextId(TYPED_TEXT_ID);
  if (!found) throw new Error('not defined');
  return found;
}

const rowsOf = (query: string, format = 'json') => {
  const url = `${PATH}?${QUERY}&response_format=${format}&${query}`;
  const columns = ['Ticker', 'Sample'].map((name) => dataset().columnByName.get(name) as Column);
  return readPages(service, url, format, columns);
};

const isSmall = ({ Sample }: (typeof ROWS)[number]) => Sample < 500_000n;
const isInHalf = (row: (typeof ROWS)[number]) => isSampled(row, halfOf(dataset()));
const cells = (rows: typeof ROWS) => rows.map(({ Ticker, Sample }) => [Ticker, Sample]);

it.each(FORMATS)(
  'are none of the rows that a filter by the column finds, in %s',
  async (format) => {
    const [small, half, both] = [
      isSmall,
      isInHalf,
      (row: (typeof ROWS)[number]) => isSmall(row) && isInHalf(row),
    ].map((passes) => cells(ROWS.filter(passes)));
    expect(await rowsOf('Sample.lt=500000', format)).toEqual(small);
    expect(await rowsOf(HALF, format)).toEqual(half);
    expect(await rowsOf(`Sample.lt=500000&${HALF}`, format)).toEqual(both);
    expect(await rowsOf('Sample=5002', format)).toEqual([['T2', 5002n]]);
  },
);

it('are counted as they are read, and have tags of their own', async () => {
  const countOf = async (query: string) =>
    (await service.get(`/v1${PATH}/aggregate?select=count&${query}`)).json().data[0].count;
  expect(await countOf('Sample.lt=500000')).toBe(ROWS.filter(isSmall).length);
  expect(await countOf(HALF)).toBe(ROWS.filter(isInHalf).length);
  const filtered = await service.get(`/v1${PATH}?${QUERY}&Sample.lt=500000`);
  const unchanged = { 'if-none-match': String(filtered.headers.etag) };
  expect((await service.get(`/v1${PATH}?${QUERY}&${HALF}`, unchanged)).statusCode).toBe(200);
});

it('are of the share that programs write with all its digits', async () => {
  const third = await rowsOf('sample=1/3');
  expect(third.length).toBeGreaterThan(ROWS.length / 4);
  expect(await rowsOf(`sample=${1 / 3}`)).toEqual(third);
  expect(await rowsOf(`sample=${0.1 + 0.2}`)).toEqual(await rowsOf('sample=0.3'));
  expect(await rowsOf('sample=1.000000')).toEqual(cells(ROWS));
});

it('are other ones where their column is widened, and no page of before is served', async () => {
  const url = `/v1${PATH}?columns=Ticker&limit=70&${HALF}`;
  const before = await service.get(url);
  const old = ROWS.filter(isInHalf);
  const wide = definition.replace('name: Sample, type: integer', 'name: Sample, type: number');
  writeFileSync(join(service.services.config.home, 'datasets', 'typed_rows.yaml'), wide);
  expect((await reloadDefinitions(service.services.catalogs)).faults).toEqual([]);

  const rows = ROWS.map((row) => ({ ...row, Sample: Number(row.Sample) }));
  const half = rows.filter((row) => isSampled(row, halfOf(dataset())));
  expect(half.map(({ Ticker }) => Ticker)).not.toEqual(old.map(({ Ticker }) => Ticker));
  const after = await service.get(url, { 'if-none-match': String(before.headers.etag) });
  expect(after.statusCode).toBe(200);
  expect(await rowsOf(HALF)).toEqual(half.map(({ Ticker, Sample }) => [Ticker, Sample]));
  const page = half.slice(0, 70).map(({ Ticker }) => ({ Ticker }));
  expect((await service.get(url)).json().data).toEqual(page);
});
