/** `ticklake mirror` against a server that listens. */
import {
  appendFileSync,
  globSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { runCommand } from '../command-line/run-command.ts';
import { openTestService, type TestService } from '../harness.ts';
import { DAYS, MirroredFolder, openTickService, plain, ticks } from './mirrored-folder.ts';
import { runRemote } from './remote-commands.ts';

/** Serves tests that publish nothing more. */
let shared: TestService;
let service: TestService;
let folder: MirroredFolder;
const current = (...names: string[]) => folder.current(...names);
const note = () => folder.note();
const mirror = (...words: string[]) => folder.mirror(...words);
const mirroredRows = () => folder.rows();

/** Has the test go on with a service of its own. */
async function openOwnService(): Promise<void> {
  service = await openTickService();
  folder.service = service;
}

beforeAll(async () => {
  shared = await openTickService();
});
afterAll(() => shared.close());
beforeEach(() => {
  service = shared;
  folder = new MirroredFolder(shared);
});
afterEach(async () => {
  if (service !== shared) await service.close();
  folder.remove();
});

async function withdraw(day: string): Promise<void> {
  const dates = { start: day, end: day };
  const withdrawal = { dates, partitions: null, identifiers: null };
  await service.services.lake.publisher.withdraw(service.dataset('eq_taq'), withdrawal);
}

describe('a mirror', () => {
  it('has all rows of a version, as files that its note names', async () => {
    expect(await mirror()).toMatchObject({
      ...{ name: 'eq_taq', dataset_version: 1, previous_version: null, is_changed: true },
      ...{ file_count: 3, fetched_file_count: 3, row_count: 30 },
    });
    expect(plain(await mirroredRows())).toEqual(plain(ticks(DAYS)));
    expect(note()).toMatchObject({ dataset_id: 'US1032', dataset_version: 1, row_count: 30 });
  });

  it('fetches nothing when nothing has changed', async () => {
    await mirror();
    const before = statSync(current()).ino;
    expect(await mirror()).toMatchObject({ is_changed: false, fetched_file_count: 0 });
    expect(statSync(current()).ino).toBe(before);
  });

  it('fetches the files that a new version changed alone, and drops what it has no more', async () => {
    await openOwnService();
    await mirror();
    const kept = statSync(current(note().files[0]?.name as string)).ino;
    await service.publish('eq_taq', ticks(['2025-06-17', '2025-06-20'], 200));
    expect(await mirror()).toMatchObject({
      ...{ dataset_version: 2, previous_version: 1, fetched_file_count: 2, file_count: 4 },
    });
    expect(statSync(current(note().files[0]?.name as string)).ino).toBe(kept);
    const expected = [
      ...ticks(['2025-06-16']),
      ...ticks(['2025-06-17'], 200),
      ...ticks(['2025-06-18']),
      ...ticks(['2025-06-20'], 200),
    ];
    expect(plain(await mirroredRows())).toEqual(plain(expected));
    await mirror('--where', 'Ticker=AAA', '--where', 'TradeDate.ge=2025-06-18');
    expect(plain(await mirroredRows())).toEqual([
      ...plain(ticks(['2025-06-18']).slice(0, 5)),
      ...plain(ticks(['2025-06-20'], 200).slice(0, 5)),
    ]);
    const folders = readdirSync(join(folder.path, 'eq_taq')).filter((name) => /^v\d/.test(name));
    expect(folders).toHaveLength(2);
  });

  it('fetches what is missing or cut off, and with --verify what was altered', async () => {
    await mirror();
    const [first, second, third] = note().files.map(({ name }) => current(name)) as string[];
    rmSync(first as string);
    appendFileSync(second as string, 'x');
    expect(await mirror()).toMatchObject({ fetched_file_count: 2, is_changed: true });
    const altered = readFileSync(current(note().files[2]?.name as string));
    altered[40] = (altered[40] as number) ^ 1;
    writeFileSync(third as string, altered);
    expect(await mirror()).toMatchObject({ is_changed: false });
    expect(await mirror('--verify')).toMatchObject({ fetched_file_count: 1 });
    expect(plain(await mirroredRows())).toEqual(plain(ticks(DAYS)));
  });

  it('is a note without files if the dataset has no rows', async () => {
    const { exitCode } = await runRemote(service, 'mirror', folder.path, 'eq_daily_ohlc');
    expect(exitCode).toBe(0);
    expect(readdirSync(join(folder.path, 'eq_daily_ohlc', 'current'))).toEqual(['manifest.json']);
  });

  it('is refused for a dataset that is not there, and leaves nothing', async () => {
    const { exitCode, stderr } = await runRemote(service, 'mirror', folder.path, 'nothing');
    expect([exitCode, readdirSync(folder.path)]).toEqual([2, []]);
    expect(stderr).toContain('the server has no dataset nothing');
  });

  it('can be loaded into another home, with the same digest of its rows', async () => {
    await mirror();
    const home = join(folder.path, 'home');
    const files = globSync(join(current(), '*.parquet'));
    const loaded = await runCommand(home, 'ingest', 'eq_taq', ...files, '--json');
    expect(loaded.exitCode, loaded.stdout).toBe(0);
    const shown = await runCommand(home, 'publication', 'list', '--json');
    const digestOf = (text: string) => /"content_digest":"(\w+)"/.exec(text)?.[1];
    const versions = await service.get('/v1/meta/datasets/US1032/versions');
    expect(digestOf(shown.stdout)).toBeTruthy();
    expect(digestOf(shown.stdout)).toBe(digestOf(versions.body));
  });

  it('is served by another home, which follows it when days go and others come', async () => {
    await openOwnService();
    const home = join(folder.path, 'home');
    const load = async (...more: string[]) => {
      await mirror();
      return await runCommand(home, 'ingest', 'eq_taq', current(), '--replace', 'dataset', ...more);
    };
    expect((await load()).exitCode).toBe(0);
    await withdraw('2025-06-16');
    await service.publish('eq_taq', ticks(['2025-06-20'], 250));
    const refused = await load();
    expect([refused.exitCode, refused.stderr]).toEqual([
      2,
      expect.stringContaining('partition 2025-06-16 of eq_taq would have 0 rows in place of 10'),
    ]);
    const tried = await load('--dry-run', '--allow-loss');
    expect(tried.stdout).toContain('2025-06-16');
    const { exitCode, stderr } = await load('--allow-loss');
    expect([exitCode, stderr]).toEqual([0, '']);

    const other = await openTestService(undefined, undefined, home);
    const path = '/v1/data/us-equity/eq-taq';
    for (const day of [...DAYS, '2025-06-20']) {
      const ask = (from: TestService) => from.get(`${path}/${day}/AAA?response_format=csv`);
      expect((await ask(other)).body).toBe((await ask(service)).body);
    }
    expect((await other.get(`${path}/2025-06-16/AAA`)).json().data).toEqual([]);
    await other.close();
  });
});
