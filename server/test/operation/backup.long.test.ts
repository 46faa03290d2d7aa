/** Backs up a home beside a running server, restores it, and looks at what comes back. */
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { demoPasswordFile } from '@ticklake/demo/demo-home.ts';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openControlStore } from '../../src/open-home.ts';
import type { ControlStore } from '../../src/store/control-store.ts';
import { dumpOf } from '../admin/admin-service.ts';
import { type CommandOutput, runCommand, runCommandNow } from '../command-line/run-command.ts';
import { Browser } from '../people/people-service.ts';
import { sampleOf } from '../repetitions.ts';
import {
  type Home,
  makeHome,
  ROWS_PATH,
  type ServerProcess,
  startServer,
} from './server-process.ts';

const folder = mkdtempSync(join(tmpdir(), 'ticklake-backup-'));
let home: Home;
let serial = 0;

const dayOf = (ms: number) => new Date(ms).toISOString().slice(0, 10);
/** The commands run by a clock that stands still in the past, the server by the real one. */
const USAGE = `usage 1 --from ${dayOf(Date.now() - 86_400_000)} --to ${dayOf(Date.now() + 86_400_000)}`;

function newPath(name: string): string {
  serial++;
  return join(folder, `${name} ${serial}`);
}

async function ask({ url }: ServerProcess, path: string, key: string): Promise<string> {
  const answer = await fetch(`${url}${path}`, { headers: { 'x-api-key': key } });
  return `${answer.status} ${await answer.text()}`;
}

async function stop({ child, ended }: ServerProcess): Promise<void> {
  child.kill('SIGTERM');
  expect(await ended).toBe(0);
}

async function ticklake<T = unknown>(of: string, ...words: string[]): Promise<T> {
  const { exitCode, stdout } = await runCommand(of, ...words, '--json');
  expect(exitCode, stdout).toBe(0);
  return JSON.parse(stdout);
}

async function refused(of: string, ...words: string[]): Promise<string> {
  const { exitCode, stdout, stderr }: CommandOutput = await runCommand(of, ...words);
  expect([exitCode, stdout], stderr).toEqual([2, '']);
  return stderr.replaceAll(folder, '').trim();
}

interface Made {
  readonly snapshot: string;
  readonly part_count: number;
  readonly copied_part_count: number;
  readonly removed_snapshots: readonly string[];
  readonly removed_part_count: number;
}
const backUp = (to: string, ...words: string[]) =>
  ticklake<Made>(home.path, 'backup', to, ...words);

/** Loads one row, in place of those of its month. */
async function load(date: string): Promise<void> {
  const file = newPath('rows');
  const columns = 'TradeDate,Ticker,SecId,ASID,Name,PrimaryExchange,HaltDateTime,HaltReasonCode';
  const others = 'PauseThresholdPrice,QuoteResumeDateTime,ResumeDateTime';
  const row = `${date},AAA,1,1,N,NYSE,${date} 10:00:00,LUDP,,,`;
  writeFileSync(`${file}.csv`, `${columns},${others}\n${row}\n`);
  await ticklake(home.path, 'ingest', 'eq_trading_halts', `${file}.csv`, '--allow-loss');
}

/** Paths of the parts that a backup or a home holds. */
function partsIn(path: string): string[] {
  const files = readdirSync(join(path, 'lake'), { recursive: true, encoding: 'utf8' });
  return files.filter((file) => file.endsWith('.parquet')).map((file) => join(path, 'lake', file));
}

beforeAll(async () => {
  home = await makeHome(500, 20);
});
afterAll(() => {
  home.remove();
  rmSync(folder, { recursive: true, force: true });
});

describe('a home that was restored from a backup', () => {
  it('answers as before: accounts, keys, rules, usage, quotas, people, definitions and rows', async () => {
    const password = readFileSync(demoPasswordFile(home.path), 'utf8').trim();
    await ticklake(home.path, 'quota', 'set', '1', '--month-requests', '1000');
    const shipped = join(import.meta.dirname, '../../../datasets/eq_trading_halts.yaml');
    const own = readFileSync(shipped, 'utf8').replace(/^name: .*$/m, 'name: Our own halts');
    mkdirSync(join(home.path, 'datasets'));
    writeFileSync(join(home.path, 'datasets', 'halts.yaml'), own);
    mkdirSync(join(home.path, 'receipts'));
    writeFileSync(join(home.path, 'receipts', 'public-keys.json'), '{"keys":[]}');
    writeFileSync(join(home.path, 'receipts', 'signing-key.pem'), 'a secret');
    writeFileSync(join(home.path, 'settings.env'), 'TICKLAKE_LOG_LEVEL=info\n');

    const server = await startServer(home);
    const { key } = server;
    const rows = await ask(server, `${ROWS_PATH}?limit=500`, key);
    expect(rows).toMatch(/^200 \{"data":\[\{/);
    const catalog = await ask(server, '/v1/meta/datasets', key);
    expect(catalog).toContain('"Our own halts"');
    // Usage is written soon after.
    await expect
      .poll(() => ticklake(home.path, ...USAGE.split(' ')))
      .toMatchObject({ total: { requests: 2 } });
    const [backup, restored] = [newPath('backup'), newPath('restored')];
    const kept = dumpOf(home.path);
    const lists = [
      ...['key list 1', 'rule list 1', 'user list', 'quota show 1', USAGE, 'datasets'],
      ...['publication list', 'publication show 1'],
    ];
    const listAll = (of: string) =>
      Promise.all(lists.map((list) => ticklake(of, ...list.split(' '))));
    const before = await listAll(home.path);
    const made = await runCommandNow(home.path, 'backup', backup);
    expect(made).toMatchObject({ exitCode: 0, stderr: '' });
    expect(made.stdout).toMatch(
      /^Snapshot \d{8}T\d{6}Z in .*: 1 part of [\d,]+ bytes, of which 1 part of/,
    );
    const metrics = async () => await (await fetch(`${server.operationUrl}/metrics`)).text();
    await expect.poll(metrics).toMatch(/^ticklake_backup_age_seconds [\d.]+$/m);
    // Later changes are not in the backup.
    await ticklake(home.path, 'key', 'delete', '1');
    await stop(server);

    await ticklake(restored, 'restore', backup);
    // Later entries of the audit log follow, which nothing else does.
    expect(dumpOf(restored).slice(0, kept.length - 3)).toBe(kept.slice(0, -3));
    expect(await listAll(restored)).toEqual(before);
    expect(readFileSync(join(restored, 'settings.env'), 'utf8')).toContain('LOG_LEVEL');
    expect(readdirSync(join(restored, 'receipts'))).toEqual(['public-keys.json']);
    for (const file of [join(backup, 'snapshots'), join(restored, 'control.db')]) {
      expect(statSync(file).mode & 0o077).toBe(0);
    }
    const again = await startServer({ path: restored, remove: () => undefined });
    expect(again.stdout()).not.toContain('Not ready');
    expect(await ask(again, `${ROWS_PATH}?limit=500`, key)).toBe(rows);
    expect(await ask(again, '/v1/meta/datasets', key)).toBe(catalog);
    const owner = new Browser(again.url);
    expect((await owner.signIn('owner@demo.localhost', password)).status).toBe(200);
    const readyStatus = async () => (await fetch(`${again.operationUrl}/readyz`)).status;
    await expect.poll(readyStatus).toBe(200);
    await stop(again);
    const acted = async (of: string) =>
      JSON.stringify(await ticklake(of, 'audit', '--newest-first'));
    expect(await acted(home.path)).toMatch(/"operation":"backup"/);
    expect(await acted(restored)).toMatch(/"operation":"restore"/);
  });
});

describe('a folder of backups', () => {
  it('gives back no session and no link, which may have been ended or used since', async () => {
    const [backup, restored] = [newPath('backup'), newPath('restored')];
    const tokenHash = 'ab'.repeat(32);
    const inStore = async <T>(of: string, work: (store: ControlStore) => Promise<T>) => {
      const store = await openControlStore({ home: of });
      return await work(store).finally(() => store.close());
    };
    await inStore(home.path, (store) =>
      store.transaction(async ({ sessions, personLinks }) => {
        const of = { tokenHash, personId: 1, createdAtMs: Date.now() };
        await sessions.create(of);
        await personLinks.put({ ...of, kind: 'password_reset', expiresAtMs: Date.now() + 1e6 });
      }),
    );
    await backUp(backup);
    await ticklake(restored, 'restore', backup);
    const known = (of: string) =>
      inStore(of, async ({ sessions, personLinks }) => [
        (await sessions.listOf(1)).length,
        await personLinks.findByHash(tokenHash),
      ]);
    expect(await known(home.path)).not.toEqual([0, null]);
    expect(await known(restored)).toEqual([0, null]);
  });

  it('holds each part once, whatever the number of snapshots, and gives back any of them', async () => {
    const backup = newPath('backup');
    const first = await backUp(backup);
    expect(first.copied_part_count).toBe(first.part_count);
    const second = await backUp(backup);
    expect([second.part_count, second.copied_part_count]).toEqual([first.part_count, 0]);
    await load('2025-06-18');
    const third = await backUp(backup);
    expect(third.copied_part_count).toBeGreaterThan(0);
    const { snapshots } = await ticklake<{ snapshots: Made[] }>(
      home.path,
      'backup',
      'list',
      backup,
    );
    const names = [first, second, third].map(({ snapshot }) => snapshot);
    expect(snapshots.map(({ snapshot }) => snapshot)).toEqual(names);
    for (const [name, rowCount] of [
      [first.snapshot, 500],
      [third.snapshot, 1],
    ] as const) {
      const restored = newPath('restored');
      await ticklake(restored, 'restore', backup, '--at', name);
      const { datasets } = await ticklake<{ datasets: { row_count: number }[] }>(
        restored,
        'datasets',
      );
      expect(datasets.reduce((sum, { row_count }) => sum + row_count, 0)).toBe(rowCount);
      expect(
        (await ticklake<{ problems: [] }>(restored, 'backup', 'verify', backup)).problems,
      ).toEqual([]);
    }
  });

  it('holds the versions that are retained, which a restored home can go back to', async () => {
    const backup = newPath('backup');
    await load('2025-06-16');
    await backUp(backup);
    const restored = newPath('restored');
    await ticklake(restored, 'restore', backup);
    const words = ['--dataset', 'eq_trading_halts', '--to', '1'];
    await ticklake(restored, 'publication', 'rollback', ...words);
    const { datasets } = await ticklake<{ datasets: { text_id: string; row_count: number }[] }>(
      restored,
      'datasets',
    );
    const [halts] = datasets.filter(({ text_id }) => text_id === 'eq_trading_halts');
    expect(halts?.row_count).toBe(500);
    await ticklake(restored, 'lake', 'verify');
  });

  it('loses old snapshots and the parts that only they name with --keep', async () => {
    const backup = newPath('backup');
    const { snapshot: first } = await backUp(backup);
    await load('2025-06-12');
    await backUp(backup);
    await load('2025-06-13');
    const last = await backUp(backup, '--keep', '1');
    expect(last.removed_snapshots).toHaveLength(2);
    expect(last.removed_snapshots[0]).toBe(first);
    expect(partsIn(backup)).toHaveLength(last.part_count);
    await ticklake(newPath('restored'), 'restore', backup);
    expect(await refused(newPath('restored'), 'restore', backup, '--at', first)).toMatch(
      /^ticklake: there is no snapshot \S+ in \/backup \d+; ticklake backup list shows them all$/,
    );
  });

  it('is told apart from anything else, and never lies in the home', async () => {
    const other = newPath('other');
    mkdirSync(other);
    writeFileSync(join(other, 'notes.txt'), 'mine');
    const tells = async (path: string) => await refused(home.path, 'backup', path);
    expect(await tells(other)).toMatch(/holds something other than backups; name a new or empty/);
    expect(await tells(join(home.path, 'backup'))).toMatch(/must not be inside each other$/);
    expect(await tells(join(home.path, '..'))).toMatch(/must not be inside each other$/);
    expect(existsSync(join(home.path, 'backup'))).toBe(false);
    expect(await refused(newPath('none'), 'backup', newPath('backup'))).toMatch(
      /^ticklake: there is no home at \/none \d+; name another, or run ticklake init$/,
    );
    expect(await refused(home.path, 'backup', other, '--keep', '0')).toMatch(
      /^ticklake: --keep must be a whole number from 1 to 10000, not 0$/,
    );
    expect(await refused(home.path, 'backup')).toMatch(
      /ticklake backup takes <dir>, but was given nothing$/,
    );
    expect(await refused(home.path, 'restore', other)).toMatch(/holds no backups$/);
  });
});

describe('a backup that is damaged', () => {
  let backup: string;
  beforeEach(async () => {
    backup = newPath('backup');
    await backUp(backup);
  });
  const homeIn = () => {
    const [name = ''] = readdirSync(join(backup, 'snapshots'));
    return join(backup, 'snapshots', name, 'home');
  };
  const firstPart = () => partsIn(backup)[0] as string;
  const DAMAGES: readonly [string, () => void, RegExp][] = [
    ['a part is gone', () => rmSync(firstPart()), /\.parquet is missing/],
    ['a part is cut off', () => truncateSync(firstPart(), 100), /\.parquet is cut off/],
    [
      'a part is altered',
      () => {
        const bytes = readFileSync(firstPart());
        bytes[200] = (bytes[200] as number) ^ 1;
        writeFileSync(firstPart(), bytes);
      },
      /\.parquet is altered/,
    ],
    ['accounts are cut off', () => truncateSync(join(homeIn(), 'control.db'), 4096), /is cut off/],
    ['the index is altered', () => appendFileSync(join(homeIn(), 'lake.db'), 'x'), /is altered/],
    [
      'the manifest is cut off',
      () => truncateSync(join(homeIn(), '..', 'manifest.json'), 50),
      /manifest\.json is damaged, or was written by another release/,
    ],
  ];

  it.each(sampleOf(DAMAGES))('because %s is not restored, and told', async (_, damage, told) => {
    damage();
    const restored = newPath('restored');
    expect(await refused(restored, 'restore', backup)).toMatch(told);
    expect(existsSync(join(restored, 'lake.db'))).toBe(false);
    expect((await runCommand(restored, 'backup', 'verify', backup)).exitCode).toBe(2);
    // No command takes the torso for a home.
    if (existsSync(restored)) {
      expect(await refused(restored, 'datasets')).toMatch(/is not restored yet/);
    }
  });

  it('is whole again after the next one, which copies what is gone or cut off', async () => {
    const [first = ''] = partsIn(backup);
    rmSync(first);
    expect((await backUp(backup)).copied_part_count).toBe(1);
    await ticklake(newPath('restored'), 'restore', backup);
  });
});

describe('a backup of a home', () => {
  it('with a damaged part names it, and leaves the earlier snapshots alone', async () => {
    const copy = newPath('home');
    cpSync(home.path, copy, { recursive: true });
    const backup = newPath('backup');
    const parts = partsIn(copy).map((part) => [part, readFileSync(part)] as const);
    for (const [part] of parts) truncateSync(part, 100);
    expect(await refused(copy, 'backup', backup)).toMatch(
      /^ticklake: some parts are damaged and cannot be copied:(\n {2}the file lake\/\S+ is cut off)+$/,
    );
    expect(readdirSync(join(backup, 'snapshots')).filter((name) => !name.startsWith('.'))).toEqual(
      [],
    );
    expect(await refused(newPath('restored'), 'restore', backup)).toMatch(
      /no snapshot that was finished$/,
    );
    for (const [part, bytes] of parts) writeFileSync(part, bytes);
    await ticklake(copy, 'backup', backup);
    expect(readdirSync(join(backup, 'snapshots'))).toHaveLength(1);
  });
});

describe('a restoration', () => {
  it('never overwrites anything', async () => {
    const backup = newPath('backup');
    await backUp(backup);
    expect(await refused(home.path, 'restore', backup)).toMatch(
      /is not empty; name a new or empty folder with --home$/,
    );
    const empty = newPath('empty');
    mkdirSync(empty);
    await ticklake(empty, 'restore', backup);
    expect(await refused(empty, 'restore', backup)).toMatch(/is not empty/);
  });
});
