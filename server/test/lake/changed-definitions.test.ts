/** Definitions that change between publications, from the file to a running service's answers. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { batchOfRows, type CellValue, daysOfDate } from '../../src/engine/columns.ts';
import { tryLockFile } from '../../src/installed.ts';
import { openServices } from '../../src/open-services.ts';
import {
  askForReload,
  ReloadRequests,
  reloadDefinitions,
} from '../../src/operation/definition-reload.ts';
import { runCommand } from '../command-line/run-command.ts';
import { openTestService, type TestService } from '../harness.ts';
import { TYPED_TEXT_ID, typedDefinitions } from '../oracle/typed-definition.ts';
import { publishBatches } from '../publish-batches.ts';

const URL = '/v1/data/us-equity/typed-rows';
const definitions = typedDefinitions();
const original = readFileSync(join(definitions, 'typed_rows.yaml'), 'utf8');
const WIDER = original
  .replace(
    'name: Fee, type: decimal, precision: 15, scale: 4',
    'name: Fee, type: decimal, precision: 20, scale: 6',
  )
  .replace('name: Size, type: integer', 'name: Size, type: number')
  .replace('  - { name: Names, type: array of string, description: Names. }\n', '')
  .replace('universe: [Ticker]', 'universe: [Ticker, Venue]')
  .concat('  - { name: Venue, type: string, description: Venue. }\n');

const fileIn = (home: string) => join(home, 'datasets', 'typed_rows.yaml');

let service: TestService;
beforeAll(async () => {
  service = await openTestService({
    definitions,
    offeredDatasets: [TYPED_TEXT_ID, 'US1001'],
  });
  await publish(2, { Fee: 12_500n, Size: 7n });
  await publish(3, { Fee: 20_000n, Size: 8n });
});
afterAll(() => service.close());

const catalogs = () => service.services.catalogs;
const defined = () => catalogs().current.byTextId(TYPED_TEXT_ID);

async function publish(month: number, cells: Readonly<Record<string, CellValue>>) {
  const dataset = defined();
  if (!dataset) throw new Error('not defined');
  const date = `2025-0${month}-18`;
  const values: Record<string, CellValue> = {
    TradeDate: daysOfDate(date),
    Ticker: 'AAA',
    ...cells,
  };
  const row = dataset.columns.map(({ name }) => values[name] ?? null);
  async function* batches() {
    yield batchOfRows(dataset?.columns ?? [], [row]);
  }
  await publishBatches(service.services.lake, {
    dataset,
    mode: 'replace',
    vendor: 'Test',
    batches: batches(),
  });
}

const reload = async (text: string) => {
  writeFileSync(fileIn(service.services.config.home), text);
  return await reloadDefinitions(catalogs());
};

async function rowsOf(query: string) {
  const answer = await service.get(`${URL}?${query}`);
  expect(answer.statusCode, answer.body).toBe(200);
  return answer.json().data;
}

it('reads parts of before by a wider definition, and pages of before are not served again', async () => {
  const url = `${URL}?columns=Fee,Size&sort=Fee`;
  const before = await service.get(url);
  expect(before.json().data).toEqual([
    { Fee: 1.25, Size: 7 },
    { Fee: 2, Size: 8 },
  ]);
  expect(await reload(WIDER)).toEqual({ datasetCount: 2, faults: [] });
  const after = await service.get(url);
  expect(after.json().data).toEqual(before.json().data);
  expect(after.headers.etag).not.toBe(before.headers.etag);
  const unchanged = { 'if-none-match': String(before.headers.etag) };
  expect((await service.get(url, unchanged)).statusCode).toBe(200);
  await publish(4, { Fee: 1n, Size: 0.5, Venue: 'X' });
  expect(await rowsOf('columns=Fee,Size,Venue')).toEqual([
    { Fee: 1.25, Size: 7, Venue: null },
    { Fee: 2, Size: 8, Venue: null },
    { Fee: 0.000001, Size: 0.5, Venue: 'X' },
  ]);
  expect(Object.keys((await rowsOf('limit=1'))[0])).not.toContain('Names');
});

it('finds rows of before by what was widened, and scans no part that cannot hold any', async () => {
  expect(await rowsOf('columns=Fee&Fee.ge=1.250000&Fee.lt=2')).toEqual([{ Fee: 1.25 }]);
  expect(await rowsOf('columns=Size&Size.in=0.5,8')).toEqual([{ Size: 8 }, { Size: 0.5 }]);
  expect(await rowsOf('columns=Fee&Venue=X')).toEqual([{ Fee: 0.000001 }]);
  const scanned = async (query: string) => {
    const answer = await service.get(`${URL.replace('/data/', '/data-scan/')}?${query}`);
    expect(answer.statusCode, answer.body).toBe(200);
    return answer.json();
  };
  const { bytes_scanned: bytes } = await scanned('TradeDate=2025-04-18');
  expect(await scanned('Venue=X')).toMatchObject({ bytes_scanned: bytes, files_scanned: 1 });
  expect(await scanned('Size.le=7')).toMatchObject({ files_scanned: 3 });
});

it('takes over all definitions or none, and a request ends by those with which it began', async () => {
  const known = defined();
  for (const [bad, fault] of [
    [
      WIDER.replace('type: decimal, precision: 20', 'type: decimal, precision: 90'),
      /must be a whole/,
    ],
    [WIDER.replace('name: Size, type: number', 'name: Size, type: string'), /does not fit/],
    [WIDER.replace('unit: month', 'unit: day'), /does not fit/],
    [
      WIDER.replace('text_id: typed_rows', 'text_id: other_rows'),
      /no dataset "typed_rows"; the nearest/,
    ],
  ] as const) {
    const { datasetCount, faults } = await reload(bad);
    expect([datasetCount, faults.join('\n')]).toEqual([2, expect.stringMatching(fault)]);
    expect(defined()).toBe(known);
  }
  expect(await rowsOf('columns=Size&limit=1')).toEqual([{ Size: 7 }]);
  expect((await reload(WIDER)).faults).toEqual([]);
});

it('tells a command what became of its request', async () => {
  const { home } = service.services.config;
  await expect(askForReload(home, tryLockFile)).rejects.toThrow('no server serves');
  const lock = tryLockFile(join(home, 'server.lock'));
  const requests = new ReloadRequests(home, () =>
    reload(WIDER.replace('type: boolean', 'type: bool')),
  );
  try {
    const { faults } = await askForReload(home, tryLockFile);
    expect(faults.join()).toContain('typed_rows.yaml');
  } finally {
    requests.close();
    lock?.release();
    writeFileSync(fileIn(home), WIDER);
  }
});

it('offers the datasets of the setting alone, and names the nearest of an unknown one', async () => {
  const list = (await service.get('/v1/meta/datasets')).json();
  expect(list.map((row: { dataset_id: string }) => row.dataset_id).sort()).toEqual([
    'US1001',
    'US9301',
  ]);
  expect((await service.get('/v1/data/us-futures/fut-taq/2025-06-18/ESU5')).statusCode).toBe(404);
  expect((await service.get('/v1/meta/datasets/US6001/columns')).statusCode).toBe(404);
  const unknown = openTestService({ offeredDatasets: ['eq_tak'] });
  await expect(unknown).rejects.toThrow('there is no dataset "eq_tak"; the nearest are eq_taq');
});

it('refuses a load and a start where the definition does not fit, both side by side', async () => {
  const { config, clock } = service.services;
  const unfit = WIDER.replace('name: Size, type: number', 'name: Size, type: string');
  writeFileSync(fileIn(config.home), unfit);
  const csv = join(config.home, 'rows.csv');
  writeFileSync(csv, 'TradeDate,Fee,Ticker\n2025-05-18,1,AAA\n');
  const sideBySide = /! Size integer +Size string\n/;
  const { exitCode, stderr } = await runCommand(config.home, 'ingest', TYPED_TEXT_ID, csv);
  expect([exitCode, stderr]).toEqual([2, expect.stringMatching(sideBySide)]);
  await expect(openServices(config, clock)).rejects.toThrow(/! Size integer +Size string; /);
});
