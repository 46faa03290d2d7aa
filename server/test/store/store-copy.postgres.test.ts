/** `ticklake store copy` between real files and a real PostgreSQL. */
import { randomUUID } from 'node:crypto';
import { existsSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readHomeSecrets } from '../../src/cli/store-commands.ts';
import { openLinkSecret } from '../../src/delivery/ticket.ts';
import {
  fillSharedStore,
  makeFileStore,
  readFileStore,
  readSharedStore,
  SharedControlStore,
  tryLockFile,
} from '../../src/installed.ts';
import { openControlStore, openReceiptKeys } from '../../src/open-home.ts';
import type { StoreTransaction } from '../../src/store/control-store.ts';
import { COPIED_TABLES, copyTables } from '../../src/store/copy-store.ts';
import { PostgresDatabase } from '../../src/store/postgres/database.ts';
import { newFolder, runCommandNow } from '../command-line/run-command.ts';
import { isPostgresMissing, TestPostgres } from '../postgres/start-postgres.ts';
import { usageOf } from './control-store/samples.ts';

/** Tables of running servers alone, of migrations, and those that triggers fill. */
const NOT_COPIED_IN_FILES = ['change_log', 'reserve', 'sqlite_sequence'];
const NOT_COPIED_SHARED = [
  ...['change_log', 'commit_mark', 'deployment', 'lake_change', 'rate_moments', 'shared_secret'],
  ...['schema_version', 'usage_ended', 'usage_month', 'usage_recent'],
  ...['usage_reserved', 'usage_second', 'usage_server'],
];
const HOUR_MS = 3_600_000;

describe.skipIf(isPostgresMissing())('store copy', () => {
  const folder = newFolder();
  let postgres: TestPostgres;
  let databases = 0;

  beforeAll(async () => {
    postgres = await TestPostgres.start();
    await fillHome();
  });
  afterAll(async () => {
    delete process.env.TICKLAKE_TEST_STORE;
    await postgres.remove();
    folder.remove();
  });

  async function newDatabase(): Promise<string> {
    databases += 1;
    const name = `copy_${databases}`;
    await postgres.execute('postgres', `CREATE DATABASE ${name}`);
    return name;
  }

  async function rowsOf<R>(name: string, sql: string): Promise<R[]> {
    const database = new PostgresDatabase(postgres.address(name));
    try {
      return await database.all<R>(sql);
    } finally {
      await database.close();
    }
  }

  /** Null: the store in the files of the home. */
  async function run(store: string | null, ...words: string[]) {
    if (store === null) delete process.env.TICKLAKE_TEST_STORE;
    else process.env.TICKLAKE_TEST_STORE = store;
    return await runCommandNow(folder.path, ...words);
  }

  async function done(store: string | null, ...words: string[]): Promise<string> {
    const { exitCode, stdout, stderr } = await run(store, ...words);
    expect([words, exitCode, stderr, stdout]).toEqual([words, 0, '', stdout]);
    return stdout;
  }

  async function refused(store: string | null, ...words: string[]): Promise<string> {
    const { exitCode, stdout, stderr } = await run(store, ...words);
    expect([exitCode, stdout]).toEqual([2, '']);
    return stderr;
  }

  function file(name: string, text: string): string {
    writeFileSync(join(folder.path, name), text);
    return join(folder.path, name);
  }

  /** Command output that an operator sees for a store. */
  async function shown(store: string | null) {
    const words = [
      ['identity', 'list'],
      ['user', 'list'],
      ['datasets'],
      ['publication', 'list'],
      ['publication', 'show', '2'],
      ['audit', '--limit', '100'],
      ['key', 'list', '--identity', '1'],
      ['rule', 'list', '--identity', '1'],
      ['plan', 'list'],
      ['access', 'list'],
      ['usage', '--identity', '1'],
    ];
    const texts: string[] = [];
    for (const each of words) texts.push(await done(store, ...each, '--json'));
    return texts;
  }

  async function addRecords({
    accessRequests,
    enquiries,
    secondFactors,
  }: StoreTransaction): Promise<void> {
    const asked = { accountId: 2, datasetId: 'US1020', askedBy: 'second@example.com' };
    await accessRequests.add({ ...asked, note: 'für Tests', createdAtMs: 1_700_000_000_123 });
    await enquiries.add({ email: 'a@b.example', datasetId: null, note: 'für', createdAtMs: 1 }, 1);
    await secondFactors.put({
      ...{ personId: 1, secret: 'JBSWY3DPEHPK3PXP', isOn: true, lastStep: 57_000_000 },
      ...{ failureCount: 2, recoveryHashes: ['a'.repeat(64), 'b'.repeat(64)] },
    });
  }

  const bars = (day: string, close: number) =>
    `TradeDate,Ticker,ASID,ClosePrice\n${day},ABCD,7,${close}\n${day},ÄÖ,,0.1\n`;

  async function fillHome(): Promise<void> {
    const password = file('password', 'a long password that nobody guesses\n');
    const owner = ['--email', 'owner@example.com', '--account', 'Ä "first"\\'];
    await done(null, 'init', ...owner, '--password-file', password);
    await done(null, 'ingest', 'eq_daily_ohlc', file('a.csv', bars('2025-06-18', 10)));
    await done(null, 'ingest', 'eq_daily_ohlc', file('b.csv', bars('2024-06-18', 11.5)));
    await done(null, 'ingest', 'eq_daily_ohlc', file('a.csv', bars('2025-06-18', 12)));
    const withdrawal = ['eq_daily_ohlc', '--partition', '2024', '--reason', 'an error'];
    await done(null, 'publication', 'withdraw', ...withdrawal);
    await refused(null, 'ingest', 'eq_daily_ohlc', file('c.csv', bars('2025-06-18', -1)));
    await done(null, 'rule', 'add', '--identity', '1', '--dataset', 'eq_daily_ohlc');
    await done(null, 'identity', 'create', '--name', 'second');
    await done(null, 'plan', 'create', '--name', 'Daily bars');
    await done(null, 'plan', 'add-rules', '--plan', '1', '--dataset', 'eq_daily_ohlc');
    await done(null, 'plan', 'assign', '--plan', '1', '--identity', '2');
    const second = ['--email', 'second@example.com', '--identity', '2', '--role', 'member'];
    await done(null, 'user', 'invite', ...second);
    const store = await openControlStore({ home: folder.path });
    const amounts = { scannedBytes: 2 ** 40, returnedBytes: 123, durationMs: 1.25 };
    // This keeps it within the last minute, however late the home is copied.
    const late = usageOf(1, { ...amounts, answeredAtMs: Date.now() + HOUR_MS });
    await store.transaction(({ usage }) => usage.add([usageOf(1, amounts), late, late]), 'usage');
    await store.transaction(addRecords);
    await store.close();
  }

  test('every table is copied that is not of running servers alone or written by triggers', async () => {
    const name = await newDatabase();
    await done(postgres.url(name), 'store', 'migrate');
    const rows = await rowsOf<{ name: string }>(
      name,
      "SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'ticklake'",
    );
    const copied = (part?: string) =>
      COPIED_TABLES.filter((table) => part === undefined || table.part === part)
        .map((table) => table.name)
        .toSorted();
    const shared = rows.map((row) => row.name).filter((each) => !NOT_COPIED_SHARED.includes(each));
    expect(shared.toSorted()).toEqual(copied());
    for (const part of ['control', 'lake'] as const) {
      const database = new DatabaseSync(join(folder.path, `${part}.db`), { readOnly: true });
      const names = database
        .prepare("SELECT name FROM sqlite_master WHERE type = 'table'")
        .all()
        .map((row) => String(row.name));
      database.close();
      const own = names.filter((each) => !NOT_COPIED_IN_FILES.includes(each));
      expect(own.toSorted()).toEqual(copied(part));
    }
  });

  test('a home moves to PostgreSQL and back, with its numbers, secrets and history', async () => {
    const [name, again] = [await newDatabase(), await newDatabase()];
    await openReceiptKeys(folder.path).signingKey();
    const links = await openLinkSecret(folder.path, null);
    const secrets = await readHomeSecrets(folder.path);
    expect([...secrets.keys()].sort()).toEqual(['links', 'receipts']);
    const before = await shown(null);

    const text = await done(null, 'store', 'copy', 'files', postgres.url(name));
    expect(text).toMatch(/^identity: 2 rows$/m);
    const filled = ['offer', 'person_link', 'second_factor', 'access_request', 'enquiry'];
    for (const table of filled) expect(text).toMatch(new RegExp(`^${table}: [1-9]`, 'm'));
    expect(text).toMatch(/\nCopied and verified \d+ rows\. Set TICKLAKE_STORE .*\n$/);
    expect(await shown(null)).toEqual(before);
    expect(await shown(postgres.url(name))).toEqual(before);

    const store = await SharedControlStore.open(postgres.address(name));
    expect((await openLinkSecret(folder.path, store.sharedSecrets)).equals(links)).toBe(true);
    const sharedKeys = openReceiptKeys(folder.path, store.sharedSecrets);
    expect((await sharedKeys.published()).keys).toHaveLength(1);
    await store.close();

    // New ids continue after the copied ones.
    await done(postgres.url(name), 'identity', 'create', '--name', 'new');
    await done(
      postgres.url(name),
      'ingest',
      'eq_daily_ohlc',
      file('d.csv', bars('2023-06-20', 13)),
    );
    const after = await shown(postgres.url(name));
    expect(after).not.toEqual(before);

    expect(await refused(null, 'store', 'copy', postgres.url(name), 'files')).toMatch(
      /there is a store already: move .*control\.db away/,
    );
    for (const part of ['control', 'lake']) {
      for (const end of ['', '-wal', '-shm']) {
        const path = join(folder.path, `${part}.db${end}`);
        if (existsSync(path)) renameSync(path, `${path}.moved`);
      }
    }
    await done(null, 'store', 'copy', postgres.url(name), 'files');
    expect(await shown(null)).toEqual(after);
    expect(await done(null, 'lake', 'verify', '--rows')).toMatch(/all as they were published/);
    expect([...(await readHomeSecrets(folder.path))]).toEqual([...secrets]);
    await done(null, 'ingest', 'eq_daily_ohlc', file('e.csv', bars('2022-06-21', 14)));
    await done(null, 'store', 'copy', 'files', postgres.url(again));
    expect(await shown(postgres.url(again))).toEqual(await shown(null));
  });

  test('a key that was deleted keeps its number in the copy, and the last minute still counts', async () => {
    const name = await newDatabase();
    const key = ['key', 'create', '--identity', '1', '--name', 'short', '--expires-in', '1d'];
    const made = JSON.parse(await done(null, ...key, '--json')) as { key_id: number };
    await done(null, 'key', 'delete', '--key', `${made.key_id}`);
    await done(null, 'store', 'copy', 'files', postgres.url(name));
    const next = JSON.parse(await done(postgres.url(name), ...key, '--json')) as { key_id: number };
    expect(next.key_id).toBe(made.key_id + 1);
    const recent = await rowsOf(
      name,
      'SELECT identity_id AS id, requests FROM ticklake.usage_recent',
    );
    expect(recent).toEqual([{ id: 1, requests: 2 }]);
  });

  test('a copy that is interrupted leaves nothing, whichever way it goes', async () => {
    const [name, full] = [await newDatabase(), await newDatabase()];
    await done(null, 'store', 'copy', 'files', postgres.url(full));
    const control = join(folder.path, 'other-control.db');
    const files = { control, lake: join(folder.path, 'other-lake.db') };
    const home = { control: join(folder.path, 'control.db'), lake: join(folder.path, 'lake.db') };
    const belongings = { deploymentId: randomUUID(), secrets: new Map([['links', 'x']]) };
    const interrupted = () => {
      const controller = new AbortController();
      const onRows = (table: string) => {
        if (table === 'part_span') controller.abort(new Error('interrupted'));
      };
      return { nowMs: Date.now(), signal: controller.signal, onRows };
    };
    const toShared = readFileStore(home, (source) =>
      fillSharedStore(postgres.address(name), belongings, (target) =>
        copyTables(source, target, interrupted()),
      ),
    );
    await expect(toShared).rejects.toThrow('interrupted');
    const toFiles = readSharedStore(postgres.address(full), (source) =>
      makeFileStore(files, (target) => copyTables(source, target, interrupted())),
    );
    await expect(toFiles).rejects.toThrow('interrupted');
    const others = readdirSync(folder.path).filter((each) => each.startsWith('other-'));
    expect(others).toEqual([]);
    await done(null, 'store', 'copy', 'files', postgres.url(name));
  });

  test('a copy that cannot be made is refused in one line and changes nothing', async () => {
    const name = await newDatabase();
    const url = postgres.url(name);
    expect(await refused(null, 'store', 'copy')).toMatch(
      /^ticklake: ticklake store copy takes <from> <to>, but was given nothing$/m,
    );
    expect(await refused(null, 'store', 'copy', 'files', 'files')).toMatch(
      /one of the two must be files/,
    );
    expect(await refused(null, 'store', 'copy', url, url)).toMatch(/one of the two must be files/);
    expect(await refused(null, 'store', 'copy', 'files', 'mysql://a@b/c')).toMatch(
      /the address of the shared store must be postgres:\/\/USER@HOST/,
    );
    const lock = tryLockFile(join(folder.path, 'server.lock'));
    expect(await refused(null, 'store', 'copy', 'files', url)).toMatch(/a server uses .*; stop it/);
    lock?.release();
    await done(null, 'store', 'copy', 'files', url);
    expect(await refused(null, 'store', 'copy', 'files', url)).toMatch(
      /the store to copy to is not empty: its table \w+ has rows/,
    );
    await postgres.execute(
      name,
      "INSERT INTO ticklake.usage_server (server_id, heard_at) VALUES ('one', now())",
    );
    expect(await refused(null, 'store', 'copy', url, 'files')).toMatch(/there is a store already/);
  });

  test('while servers use the database, nothing is copied to it', async () => {
    const name = await newDatabase();
    await done(postgres.url(name), 'store', 'migrate');
    const hear = "INSERT INTO ticklake.usage_server (server_id, heard_at) VALUES ('one', now()";
    await postgres.execute(name, `${hear} - interval '1 second')`);
    expect(await refused(null, 'store', 'copy', 'files', postgres.url(name))).toMatch(
      /a server uses the database .*, or did within the last minute; stop all servers/,
    );
    await postgres.execute(
      name,
      "UPDATE ticklake.usage_server SET heard_at = now() - interval '2 minutes'",
    );
    await done(null, 'store', 'copy', 'files', postgres.url(name));
  });
});
