import { createHash } from 'node:crypto';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { newFolder, runCommand } from '../command-line/run-command.ts';
import { type LeanContent, marketHours, writeLeanFolder } from './lean-folder.ts';

const made: (() => void)[] = [];
afterEach(() => {
  for (const remove of made.splice(0)) remove();
});

function newHome(): string {
  const folder = newFolder();
  made.push(() => folder.remove());
  return folder.path;
}

function leanFolder(files: Readonly<Record<string, LeanContent>>): string {
  const folder = writeLeanFolder(files);
  made.push(() => rmSync(folder, { recursive: true }));
  return folder;
}

const GOOD = {
  'equity/usa/daily/aaa.zip': {
    'aaa.csv': '20010102 00:00,1,1,1,1,5\n20020102 00:00,1,1,1,1,5\n',
  },
  'equity/usa/hour/aaa.zip': {},
  'market-hours/market-hours-database.json': marketHours(['12/25/2020']),
};
const BAD = { 'equity/usa/daily/aaa.zip': { 'aaa.csv': '20010102 00:00,1,1,1,x,5\n' } };

test('the commands of the page lead from a new home to rows, derived ones too, that an account may read', async () => {
  const page = readFileSync(join(import.meta.dirname, '../../../docs/import-lean.md'), 'utf8');
  const [, block = ''] = /```sh\n(.*?)```/s.exec(page) ?? [];
  const commands = block.trim().split('\n');
  expect(commands.pop()).toBe('ticklake serve');
  const home = newHome();
  const folder = leanFolder({
    ...GOOD,
    'equity/usa/map_files/aaa.csv': '20010102,aaa,Q\n20501231,aaa,Q\n',
  });
  await runCommand(home, 'identity', 'create', '--name', 'own');
  for (const command of commands) {
    const [program, ...words] = command.replace('~/Lean/Data', folder).split(' ');
    const { exitCode, stderr } = await runCommand(home, ...words);
    expect([program, exitCode, stderr], command).toEqual(['ticklake', 0, '']);
  }
  const { stdout } = await runCommand(home, 'datasets', '--json');
  const { stdout: ruleText } = await runCommand(home, 'rule', 'list', '1', '--json');
  const published = JSON.parse(stdout).datasets.filter(
    ({ row_count }: { row_count: number }) => row_count > 0,
  );
  const names = published.map(({ text_id }: { text_id: string }) => text_id);
  const rules: { dataset_text_id: string }[] = JSON.parse(ruleText);
  expect(names).toContain('eq_daily_ohlc_adj');
  const readable = rules.map(({ dataset_text_id }) => dataset_text_id);
  expect(readable).toEqual(expect.arrayContaining(names));
});

test('prints what each dataset got and what was not read', async () => {
  const home = newHome();
  const folder = leanFolder(GOOD);
  const first = await runCommand(home, 'import', 'lean', folder);
  expect(first).toEqual({
    exitCode: 0,
    stderr: '',
    stdout:
      'US1020 eq_daily_ohlc: 2 rows in 2 partitions\n' +
      'US2007 eq_market_holidays: 1 row in 1 partition\n' +
      '1 file not imported, such as equity/usa/hour/aaa.zip: no dataset holds bars of this length\n',
  });
  const second = await runCommand(home, 'import', 'lean', folder);
  expect(second.stdout).toMatch(/2 rows in 2 partitions, in place of 2 rows\n/);
});

const sha256 = (bytes: string | Buffer) => createHash('sha256').update(bytes).digest('hex');

/** The one digest of the files that are imported, as `sha256sum * | sha256sum` has it. */
function manifestOf(folder: string, names: readonly string[]) {
  const files = names.map((name) => readFileSync(join(folder, name)));
  const lines = files.map((bytes, i) => `${sha256(bytes)}  ${names[i]}\n`);
  const byteCount = files.reduce((sum, bytes) => sum + bytes.length, 0);
  return { name: folder, byte_count: byteCount, sha256: sha256(lines.join('')) };
}

test('prints one JSON object when asked for', async () => {
  const folder = leanFolder(GOOD);
  const { stdout } = await runCommand(newHome(), 'import', 'lean', folder, '--json');
  const imported = ['equity/usa/daily/aaa.zip', 'market-hours/market-hours-database.json'];
  expect(JSON.parse(stdout)).toMatchObject({
    sources: [manifestOf(folder, imported)],
    is_published: true,
    file_count: 2,
    datasets: [
      {
        dataset_id: 'US1020',
        text_id: 'eq_daily_ohlc',
        row_count: 2,
        partitions: ['2001', '2002'],
      },
      { dataset_id: 'US2007', row_count: 1, replaced_row_count: 0 },
    ],
    skipped: [{ count: 1 }],
    bad_row_count: 0,
    bad_values: [],
  });
});

test('bad rows are shown, and published around only when allowed', async () => {
  const home = newHome();
  const folder = leanFolder(BAD);
  expect(await runCommand(home, 'import', 'lean', folder)).toEqual({
    exitCode: 2,
    stdout: '',
    stderr:
      '1 bad row:\n' +
      '  equity/usa/daily/aaa.zip/aaa.csv:1: close "x" is not a price in dollars times 10000\n' +
      'nothing was published; --max-bad-rows 1 would skip the bad rows\n',
  });
  const allowed = await runCommand(home, 'import', 'lean', folder, '--max-bad-rows', '1');
  expect(allowed).toMatchObject({
    exitCode: 0,
    stdout: expect.stringMatching(/1 bad row left out/),
  });
});

test.each([
  [[], 'ticklake import lean takes <dir>, but was given nothing'],
  [['a', 'b'], 'ticklake import lean takes <dir>, but was given a b'],
  [['/nowhere'], '/nowhere does not exist; check the path'],
  [['/nowhere', '--max-bad-rows', '-1'], '--max-bad-rows must be a whole number, 0 or more'],
  [['/nowhere', '--max-bad-rows=many'], '--max-bad-rows must be a whole number'],
])('wrong words %j get one plain line and exit code 2', async (words, message) => {
  const { exitCode, stderr } = await runCommand(newHome(), 'import', 'lean', ...words);
  expect(exitCode).toBe(2);
  expect(stderr.split('\n')).toHaveLength(2);
  expect(stderr).toContain(message);
});
