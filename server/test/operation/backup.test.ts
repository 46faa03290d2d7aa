/** Does what the page on backups says, beside a running server, and looks at what comes back. */
import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { demoPasswordFile } from '@ticklake/demo/demo-account.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { dumpOf } from '../admin/admin-service.ts';
import { runCommand } from '../command-line/run-command.ts';
import { Browser } from '../people/people-service.ts';
import {
  type Home,
  makeHome,
  ROWS_PATH,
  type ServerProcess,
  startServer,
} from './server-process.ts';

const PAGE = readFileSync(join(import.meta.dirname, '../../../docs/backup.md'), 'utf8');
const hasSqlite = spawnSync('sqlite3', ['--version']).status === 0;
if (!hasSqlite) process.stderr.write('SKIPPED: no sqlite3, which backups are made with\n');

const folder = mkdtempSync(join(tmpdir(), 'ticklake-backup-'));
const backup = join(folder, 'backup copy');
const restored = join(folder, 'restored');
let home: Home;
let key: string;
let password: string;

const dayOf = (ms: number) => new Date(ms).toISOString().slice(0, 10);
/** The commands run by a clock that stands still in the past, the server by the real one. */
const USAGE = `usage 1 --from ${dayOf(Date.now() - 86_400_000)} --to ${dayOf(Date.now() + 86_400_000)}`;

/** Runs the commands of a section of the page, as pasted into a shell that goes on after failures. */
function paste(title: string, variables: Readonly<Record<string, string>>) {
  const [, commands] = new RegExp(`\n## ${title}\n[^]*?\`\`\`sh\n([^]*?)\`\`\``).exec(PAGE) ?? [];
  return spawnSync('sh', ['-c', commands as string], {
    cwd: folder,
    env: { PATH: process.env.PATH, ...variables },
    encoding: 'utf8',
  });
}

function follow(title: string, homePath: string): string {
  const { status, stdout, stderr } = paste(title, { BACKUP: backup, TICKLAKE_HOME: homePath });
  expect([status, stderr]).toEqual([0, '']);
  return stdout;
}

async function ask({ url }: ServerProcess, path: string): Promise<string> {
  const answer = await fetch(`${url}${path}`, { headers: { 'x-api-key': key } });
  return `${answer.status} ${await answer.text()}`;
}

async function stop({ child, ended }: ServerProcess): Promise<void> {
  child.kill('SIGTERM');
  expect(await ended).toBe(0);
}

async function ticklake(home: string, command: string): Promise<unknown> {
  const { exitCode, stdout } = await runCommand(home, ...command.split(' '), '--json');
  expect(exitCode, stdout).toBe(0);
  return JSON.parse(stdout);
}

beforeAll(async () => {
  home = await makeHome(500, 20);
  password = readFileSync(demoPasswordFile(home.path), 'utf8').trim();
  await ticklake(home.path, 'quota set 1 --month-requests 1000');
  const shipped = join(import.meta.dirname, '../../../datasets/eq_trading_halts.yaml');
  const own = readFileSync(shipped, 'utf8').replace(/^name: .*$/m, 'name: Our own halts');
  mkdirSync(join(home.path, 'datasets'));
  writeFileSync(join(home.path, 'datasets', 'halts.yaml'), own);
});
afterAll(() => {
  home.remove();
  rmSync(folder, { recursive: true, force: true });
});

describe.skipIf(!hasSqlite)('a home that was restored from a backup of the page', () => {
  it('answers as before: accounts, keys, rules, usage, people and rows', async () => {
    const server = await startServer(home);
    ({ key } = server);
    const rows = await ask(server, `${ROWS_PATH}?limit=500`);
    expect(rows).toMatch(/^200 \{"data":\[\{/);
    const catalog = await ask(server, '/v1/meta/datasets');
    expect(catalog).toContain('"Our own halts"');
    // Usage is written within a second.
    await expect
      .poll(() => ticklake(home.path, USAGE), { timeout: 10_000 })
      .toMatchObject({ total: { requests: 2 } });
    follow('Making a backup', home.path);
    const kept = dumpOf(home.path);
    const lists = [
      'identity list',
      'key list 1',
      'rule list 1',
      'user list',
      'quota show 1',
      USAGE,
      'audit',
      'datasets',
    ];
    const before = await Promise.all(lists.map((list) => ticklake(home.path, list)));
    // Later changes are not in the backup.
    await ticklake(home.path, 'key delete 1');
    await stop(server);
    expect(follow('Checking a backup', home.path)).toBe('');
    expect(statSync(join(backup, 'control.db')).mode & 0o077).toBe(0);

    follow('Restoring', restored);
    expect(dumpOf(restored)).toBe(kept);
    expect(await Promise.all(lists.map((list) => ticklake(restored, list)))).toEqual(before);
    const again = await startServer({ path: restored, remove: () => undefined });
    expect(again.stdout()).not.toContain('Not ready');
    expect(await ask(again, `${ROWS_PATH}?limit=500`)).toBe(rows);
    expect(await ask(again, '/v1/meta/datasets')).toBe(catalog);
    const owner = new Browser(again.url);
    expect((await owner.signIn('owner@demo.localhost', password)).status).toBe(200);
    await stop(again);
  }, 180_000);

  it.each<[string, Record<string, string>]>([
    ['without TICKLAKE_HOME', {}],
    ['of a home that is not there', { TICKLAKE_HOME: join(folder, 'none') }],
  ])('is not made %s, which is told', (_, variables) => {
    const BACKUP = join(folder, 'no backup');
    const { status, stderr } = paste('Making a backup', { ...variables, BACKUP });
    expect(status).not.toBe(0);
    expect(stderr).not.toBe('');
    expect(existsSync(join(BACKUP, 'control.db'))).toBe(false);
    rmSync(BACKUP, { recursive: true, force: true });
  });

  it('is checked: a file that is missing is named', () => {
    const files = spawnSync('find', [join(backup, 'lake'), '-name', '*.parquet'], {
      encoding: 'utf8',
    });
    const [first = ''] = files.stdout.trim().split('\n');
    rmSync(first);
    expect(follow('Checking a backup', home.path)).toMatch(/^missing: \S+\.parquet\n$/);
  });
});
