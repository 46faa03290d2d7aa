/** `ticklake import mirror`: from one server's home to another one's. */
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { haltRows } from '../../../client/test/served-rows.ts';
import type { CellValue } from '../../src/engine/columns.ts';
import type { MirrorNote } from '../../src/mirror/mirror-folder.ts';
import { newFolder, runCommand } from '../command-line/run-command.ts';
import { openTestService, type TestService } from '../harness.ts';
import { runRemote } from './remote-commands.ts';

const DAYS = ['2025-06-16', '2025-06-17', '2025-06-18'];

function ticks(days: readonly string[], price = 100): CellValue[][] {
  return days.flatMap((day) =>
    ['AAA', 'BBB'].flatMap((ticker, t) =>
      Array.from({ length: 40 }, (_, n): CellValue[] => [
        ...[day, BigInt(Date.parse(`${day}T14:00:00Z`)) * 1_000_000n + BigInt(n), 'TRADE', ticker],
        ...[BigInt(11 + t), price + ((n * 7919) % 104_729) / 8, 10, 'NYSE', 1],
      ]),
    ),
  );
}

/** In partitions of years. */
const DAILY: CellValue[][] = [
  ['2023-12-29', 'AAA', 11n, 10, 10.5, 9.9, 10.4, 120_000],
  ['2024-01-02', 'AAA', 11n, 10.4, 10.8, 10.3, 10.75, 98_000],
  ['2024-01-02', 'BBB', 12n, 7.25, 7.5, 7, 7.125, 5000],
].map((row) => [...row, null, null, null, null, null]);

const PATHS = [
  ...DAYS.map((day) => `/v1/data/us-equity/eq-taq/${day}/BBB`),
  '/v1/data/us-equity/eq-daily-ohlc?TradeDate.ge=2020-01-01',
  '/v1/data/us-equity-ref/eq-trading-halts?TradeDate=2025-06-18&sort=-Ticker',
];
const FORMATS = ['json', 'csv', 'csv_gzip'];

/** The mirrored service of tests that publish nothing more to it. */
let shared: TestService;
/** A mirror of it. */
const sharedMirror = newFolder();
let origin: TestService;
let mirrored: ReturnType<typeof newFolder>;
let copy: ReturnType<typeof newFolder>;
let served: TestService | null = null;

async function openOrigin(): Promise<TestService> {
  const opened = await openTestService();
  await opened.publish('eq_taq', ticks(DAYS));
  await opened.publish('eq_trading_halts', haltRows(60));
  return opened;
}

beforeAll(async () => {
  shared = await openOrigin();
  origin = shared;
  mirrored = sharedMirror;
  await mirror('eq_taq', 'eq_trading_halts');
});
afterAll(async () => {
  await shared.close();
  sharedMirror.remove();
});
beforeEach(() => {
  mirrored = newFolder();
  copy = newFolder();
  origin = shared;
});
afterEach(async () => {
  if (origin !== shared) await origin.close();
  await served?.close();
  served = null;
  mirrored.remove();
  copy.remove();
});

const importIt = (...words: string[]) =>
  runCommand(copy.path, 'import', 'mirror', mirrored.path, ...words);

async function mirror(...names: string[]): Promise<void> {
  const { exitCode, stderr } = await runRemote(origin, 'mirror', mirrored.path, ...names);
  expect([exitCode, stderr]).toEqual([0, '']);
}

const noteFile = (name: string) => join(mirrored.path, name, 'current', 'manifest.json');
const note = (name: string) => JSON.parse(readFileSync(noteFile(name), 'utf8')) as MirrorNote;
const fileOf = (name: string) =>
  join(mirrored.path, name, 'current', note(name).files[0]?.name as string);

async function versions(): Promise<Record<string, number>> {
  const { stdout } = await runCommand(copy.path, 'datasets', '--json');
  const { datasets } = JSON.parse(stdout) as { datasets: { text_id: string; version: number }[] };
  return Object.fromEntries(
    datasets.filter(({ version }) => version > 0).map((each) => [each.text_id, each.version]),
  );
}

describe('a mirror that is imported', () => {
  it('is served byte for byte like its origin, all datasets of it', async () => {
    await origin.publish('eq_daily_ohlc', DAILY);
    await mirror('eq_taq', 'eq_trading_halts', 'eq_daily_ohlc');
    const { exitCode, stdout, stderr } = await importIt();
    expect([exitCode, stderr]).toEqual([0, '']);
    expect(stdout.split('\n')).toEqual([
      'US1020 eq_daily_ohlc: version 1, 3 rows in 2 partitions, from version 1',
      'US1032 eq_taq: version 1, 240 rows in 3 partitions, from version 1',
      'US2013 eq_trading_halts: version 1, 60 rows in 1 partition, from version 1',
      '',
    ]);
    served = await openTestService({}, undefined, copy.path);
    for (const path of PATHS) {
      for (const format of FORMATS) {
        const url = `${path}${path.includes('?') ? '&' : '?'}response_format=${format}`;
        const [theirs, ours] = [await origin.get(url), await served.get(url)];
        expect([theirs.statusCode, theirs.rawPayload.length > 100], url).toEqual([200, true]);
        expect(ours.rawPayload.equals(theirs.rawPayload), url).toBe(true);
      }
    }
  });

  it('is published once: what has changed since is, and the rest is as it was', async () => {
    origin = await openOrigin();
    await mirror('eq_taq', 'eq_trading_halts');
    await importIt();
    expect(await importIt()).toMatchObject({
      exitCode: 0,
      stdout: 'US1032 eq_taq: as it was, 240 rows\nUS2013 eq_trading_halts: as it was, 60 rows\n',
    });
    expect(await versions()).toEqual({ eq_taq: 1, eq_trading_halts: 1 });
    await origin.publish('eq_taq', ticks(['2025-06-18', '2025-06-20'], 300));
    await mirror('eq_taq', 'eq_trading_halts');
    const { stdout } = await importIt('--json');
    expect(JSON.parse(stdout)).toMatchObject({
      state: 'published',
      datasets: [
        { text_id: 'eq_taq', version: 2, mirrored_version: 2, row_count: 320, file_count: 4 },
        { text_id: 'eq_trading_halts', version: 1, is_published: false },
      ],
    });
    expect(await versions()).toEqual({ eq_taq: 2, eq_trading_halts: 1 });
    // The publications in between are undone.
    const back = await runCommand(
      copy.path,
      'publication',
      'rollback',
      '--dataset',
      'eq_taq',
      '--to',
      '1',
    );
    expect(back).toMatchObject({ exitCode: 0 });
    await importIt();
    served = await openTestService({}, undefined, copy.path);
    const path = '/v1/data/us-equity/eq-taq/2025-06-20/AAA';
    expect((await served.get(path)).body).toBe((await origin.get(path)).body);
  });

  it('removes rows that the mirror lost, if that is allowed', async () => {
    await mirror('eq_taq');
    await importIt();
    await mirror('eq_taq', '--where', 'TradeDate.in=2025-06-16,2025-06-17');
    const refused = await importIt();
    expect(refused).toMatchObject({ exitCode: 2, stdout: '' });
    expect(refused.stderr).toContain('--allow-loss');
    const { stdout } = await importIt('--allow-loss');
    expect(stdout).toMatch(/version 2, 160 rows in 2 partitions, in place of 240 rows/);
    await mirror('eq_taq', '--where', 'Ticker=NONE');
    expect((await importIt('--allow-loss')).stdout).toMatch(/version 3, 0 rows in 0 partitions/);
    expect((await importIt('--allow-loss')).stdout).toBe('US1032 eq_taq: as it was, 0 rows\n');
  });

  it('tells the ledger which version of which server it was', async () => {
    await mirror('eq_taq', 'eq_trading_halts');
    await importIt();
    const { stdout } = await runCommand(copy.path, 'publication', 'list', '--json');
    const [publication] = JSON.parse(stdout).data;
    expect(publication).toMatchObject({ state: 'published', command: 'import mirror' });
    expect(publication.reason).toBe(
      `mirror ${mirrored.path}: versions eq_taq 1, eq_trading_halts 1 of ${note('eq_taq').server}`,
    );
  });
});

describe('an import publishes nothing', () => {
  beforeEach(() =>
    cpSync(sharedMirror.path, mirrored.path, { recursive: true, verbatimSymlinks: true }),
  );

  async function expectRefusal(text: RegExp): Promise<void> {
    const { exitCode, stdout, stderr } = await importIt();
    expect([exitCode, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(text);
    expect(stderr.trimEnd().split('\n')).toHaveLength(1);
    expect(await versions()).toEqual({});
  }

  function alterNote(change: (note: MirrorNote) => object): void {
    const altered = { ...note('eq_trading_halts'), ...change(note('eq_trading_halts')) };
    writeFileSync(noteFile('eq_trading_halts'), JSON.stringify(altered));
  }

  it('if a file is altered', async () => {
    const file = fileOf('eq_trading_halts');
    const other = readFileSync(fileOf('eq_taq'));
    writeFileSync(file, other);
    alterNote(({ files }) => ({
      files: files.map((each) => ({ ...each, byte_count: other.length })),
    }));
    await expectRefusal(/eq_trading_halts.*(altered|column)/);
  });

  it('if one bit is flipped', async () => {
    const file = fileOf('eq_trading_halts');
    const bytes = readFileSync(file);
    // Within the name of the program that wrote it, which no reader minds.
    const at = bytes.lastIndexOf('Ticklake') + 2;
    expect(at).toBeGreaterThan(2);
    bytes[at] = (bytes[at] as number) ^ 1;
    writeFileSync(file, bytes);
    await expectRefusal(/is altered; ticklake mirror --verify fetches it again/);
  });

  it('if a file is missing or cut off', async () => {
    const file = fileOf('eq_trading_halts');
    writeFileSync(file, readFileSync(file).subarray(1));
    await expectRefusal(/has \d+ bytes, not \d+; ticklake mirror fetches it again/);
    rmSync(file);
    await expectRefusal(/is missing; ticklake mirror fetches it again/);
  });

  it('if the note leads elsewhere, or is none', async () => {
    alterNote(({ files }) => ({ files: files.map((file) => ({ ...file, name: '../x.parquet' })) }));
    await expectRefusal(/manifest.json is not the manifest of a mirror/);
    writeFileSync(noteFile('eq_trading_halts'), '{');
    await expectRefusal(/manifest.json is not the manifest of a mirror/);
  });

  it('if the catalogue lacks the dataset, or has another one', async () => {
    alterNote(() => ({ dataset_id: 'US9999' }));
    await expectRefusal(/catalogue here has no dataset eq_trading_halts with the id US9999/);
    alterNote(() => ({ dataset_id: 'US2013', columns: ['Ticker'] }));
    await expectRefusal(/mirrored with --columns/);
  });

  it('if the mirror is not whole yet, or is none', async () => {
    mkdirSync(join(mirrored.path, 'eq_daily_ohlc', '.arrived'), { recursive: true });
    await expectRefusal(/eq_daily_ohlc is not whole yet; run ticklake mirror to its end/);
    for (const name of ['eq_daily_ohlc', 'eq_taq', 'eq_trading_halts']) {
      rmSync(join(mirrored.path, name), { recursive: true });
    }
    await expectRefusal(/is not a mirror: no folder in it has current\/manifest.json/);
    mirrored.remove();
    await expectRefusal(/no such file|does not exist/i);
    mkdirSync(mirrored.path);
  });
});
