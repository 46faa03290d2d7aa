import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { LAKE_OPERATIONS } from '../../src/admin/operations.ts';
import { fixedClock } from '../../src/base/clock.ts';
import { openLake } from '../../src/open-home.ts';
import { newFolder, publishedRows, runCommand } from '../command-line/run-command.ts';

const folder = newFolder();
afterAll(() => folder.remove());

const HEADER = 'Price,TradeDate,Ticker,EventDateTime,ASID';
const DATASET = 'US1032';
let homeCount = 0;
let home: string;

const line = (date: string, ticker: string, price: number) =>
  `${price},${date},${ticker},${date}T09:30:00.000000001,1`;

async function ingest(name: string, ...lines: string[]): Promise<void> {
  const path = join(folder.path, name);
  writeFileSync(path, `${[HEADER, ...lines].join('\n')}\n`);
  const { exitCode, stderr } = await runCommand(home, 'ingest', 'eq_taq', path, '--allow-loss');
  expect([exitCode, stderr]).toEqual([0, '']);
}

const run = (...words: string[]) => runCommand(home, 'publication', ...words);

async function json(...words: string[]) {
  const { exitCode, stdout } = await run(...words, '--json');
  expect(exitCode, stdout).toBe(0);
  return JSON.parse(stdout);
}

/** The one line that a refused command says. */
async function refusal(...words: string[]): Promise<string> {
  const { exitCode, stdout, stderr } = await run(...words);
  expect([exitCode, stdout], stderr).toEqual([2, '']);
  return stderr.replace('ticklake: ', '').trimEnd();
}

const prices = async () =>
  (await publishedRows(home, DATASET, ['TradeDate', 'Ticker', 'Price'])).map((row) =>
    row.join(' '),
  );

const GOOD = ['2024-03-08 AAPL 7.0', '2024-03-11 MSFT 101.5'];

beforeEach(async () => {
  homeCount += 1;
  home = join(folder.path, `home-${homeCount}`);
  await ingest('good.csv', line('2024-03-11', 'MSFT', 101.5), line('2024-03-08', 'AAPL', 7));
  await ingest('bad.csv', line('2024-03-11', 'BAD', 999));
});

describe('ticklake publication', () => {
  it('rolls back a bad load, and says in the ledger and the audit log who did and why', async () => {
    expect(await prices()).not.toEqual(GOOD);
    const made = await json('rollback', '2', '--reason', 'prices of a wrong day');
    expect(await prices()).toEqual(GOOD);
    expect(made).toMatchObject({
      publication_id: 3,
      kind: 'rollback',
      state: 'published',
      reason: 'prices of a wrong day',
      datasets: [{ dataset_id: DATASET, version: 3, replaced_partition_count: 1 }],
    });
    expect(await json('show', '2')).toMatchObject({
      state: 'rolled_back',
      datasets: [{ rolled_back_by: 3 }],
    });
    const audit = await runCommand(home, 'audit', '--json', '--operation', 'rollBackPublication');
    expect(JSON.parse(audit.stdout).data).toMatchObject([
      {
        target: `dataset:${DATASET}`,
        after: {
          publication_id: 3,
          rolled_back_publication_id: 2,
          reason: made.reason,
          version: 3,
        },
      },
    ]);
  });

  it('lists publications by dataset and state, page by page', async () => {
    await run('rollback', '2');
    const ids = (page: { data: { publication_id: number }[] }) =>
      page.data.map((each) => each.publication_id);
    expect(ids(await json('list'))).toEqual([3, 2, 1]);
    expect(ids(await json('list', '--state', 'rolled_back'))).toEqual([2]);
    expect(ids(await json('list', '--dataset', 'eq_daily_ohlc'))).toEqual([]);
    const page = await json('list', '--limit', '2');
    expect([ids(page), page.pagination]).toEqual([[3, 2], { limit: 2, next_before: 2 }]);
    expect(ids(await json('list', '--limit', '2', '--before', '2'))).toEqual([1]);
    const { stdout } = await run('list');
    expect(stdout.split('\n')[0]).toMatch(/^ID {2}STATE +KIND +DATASETS +ROWS +STARTED +WHO/);
  });

  it('tells what a publication or the step between versions made of each partition', async () => {
    const { datasets } = await json('diff', '2');
    const totals = { row_count: 1, content_digest: expect.stringMatching(/^[0-9a-f]{32}$/) };
    expect(datasets).toMatchObject([
      {
        ...{ dataset_id: DATASET, from_version: 1, to_version: 2, partition_count: 1 },
        partitions: [{ key: '2024-03-11', change: 'replaced', before: totals, after: totals }],
      },
    ]);
    expect((await json('diff', 'eq_taq', '1', '2')).datasets).toEqual(datasets);
    await run('rollback', '2');
    expect((await json('diff', 'eq_taq', '1', '3')).datasets).toMatchObject([{ partitions: [] }]);
    const [first] = (await json('diff', '1', '--limit', '1')).datasets;
    expect(first).toMatchObject({ partition_count: 2, next_after: '2024-03-08' });
    expect((await json('diff', '1', '--after', '2024-03-08')).datasets).toMatchObject([
      { partitions: [{ key: '2024-03-11', change: 'added', before: null }], next_after: null },
    ]);
  });

  it('withdraws a day, an identifier or all, and says beforehand what would go', async () => {
    await run('rollback', '2');
    const day = ['withdraw', 'eq_taq', '--date', '2024-03-11', '--reason', 'wrong day'];
    expect(await json(...day, '--dry-run')).toMatchObject({
      ...{ is_dry_run: true, removed_row_count: 1, partitions: ['2024-03-11'] },
      publication: { state: 'unchanged', message: 'dry run' },
    });
    expect(await prices()).toEqual(GOOD);
    expect(await json(...day)).toMatchObject({ publication: { kind: 'withdrawal' } });
    expect(await prices()).toEqual(GOOD.slice(0, 1));
    const nothing = await run(...day);
    expect([nothing.exitCode, nothing.stderr]).toEqual([
      3,
      'Nothing to withdraw: there are no such rows.\n',
    ]);
    await json('withdraw', 'eq_taq', '--identifier', 'AAPL', '--reason', 'x');
    expect(await prices()).toEqual([]);
    await json('rollback', '--dataset', 'eq_taq', '--to', '1');
    expect(await prices()).toEqual(GOOD);
    await json('withdraw', 'eq_taq', '--all', '--reason', 'x');
    expect(await prices()).toEqual([]);
  });

  it('prunes by the settings of retention, which keep all at first', async () => {
    for (const words of [['prune', '--dry-run'], ['prune']]) {
      expect((await run(...words)).exitCode).toBe(3);
    }
    expect(await json('diff', 'eq_taq', '1', '2')).toMatchObject({ datasets: [{}] });
  });

  it('begins a publication that any process may write into, until it is committed', async () => {
    const { publication_id: id } = await json('begin', 'eq_taq', '--reason', 'two files');
    expect(await json('show', `${id}`)).toMatchObject({ state: 'running', is_open: true });
    const listed = async (state: string) => {
      const { data } = await json('list', '--state', state);
      return data.map((each: { publication_id: number }) => each.publication_id);
    };
    expect([await listed('open'), await listed('running')]).toEqual([[id], [id]]);
    const clock = fixedClock('2025-06-20T16:00:00Z');
    const lake = await openLake({ home }, clock);
    await lake.publication({ into: id, datasets: [], command: 'test' }, async (open) =>
      open.rollBack({ publicationId: 2 }).catch(() => undefined),
    );
    await lake.close();
    expect(await prices()).not.toEqual(GOOD);
    expect(await json('commit', `${id}`)).toMatchObject({ state: 'published', is_open: false });
    expect(await prices()).toEqual(GOOD);
    expect(await listed('open')).toEqual([]);
    expect(await refusal('commit', `${id}`)).toBe(`publication ${id} is not open`);
    const other = await json('begin', 'eq_taq', 'eq_daily_ohlc');
    expect(await json('abandon', `${other.publication_id}`, '--reason', 'late')).toMatchObject({
      ...{ state: 'refused', message: 'abandoned: late' },
    });
  });

  it('withdraws rows in an open publication, together with what is loaded into it', async () => {
    await run('rollback', '2');
    const { publication_id: id } = await json('begin', 'eq_taq');
    const day = ['withdraw', 'eq_taq', '--date', '2024-03-11', '--reason', 'moved'];
    const withdrawn = await run(...day, '--into', `${id}`);
    expect(withdrawn.stdout).toBe(
      `1 row in 1 partition will go when publication ${id} is committed.\n`,
    );
    const path = join(folder.path, 'moved.csv');
    writeFileSync(path, `${[HEADER, line('2024-03-13', 'MOVED', 5)].join('\n')}\n`);
    await runCommand(home, 'ingest', 'eq_taq', path, '--into', `${id}`);
    expect(await prices()).toEqual(GOOD);
    await json('commit', `${id}`);
    expect(await prices()).toEqual([GOOD[0], '2024-03-13 MOVED 5.0']);
    expect(await refusal(...day, '--into', `${id}`)).toBe(`publication ${id} is not open`);
    expect(await refusal(...day, '--into', `${id}`, '--dry-run')).toContain('--into');
  });

  it('says what is wrong of its words, and which are legal', async () => {
    expect(await refusal('rollback')).toBe(
      '--publication is missing; give it, or --dataset and --to',
    );
    expect(await refusal('rollback', '2', '--to', '1')).toContain('--publication should not be');
    expect(await refusal('rollback', '77')).toBe('There is no publication 77');
    expect(await refusal('rollback', '1')).toMatch(
      /^publication 2 changed 2024-03-11 of US1032 after publication 1/,
    );
    expect(await refusal('show', '1', '2')).toContain('publication show takes <id>');
    expect(await refusal('show', 'x')).toContain('--publication should be a whole number from 1');
    expect(await refusal('list', '--state', 'x')).toContain('one of running, published');
    expect(await refusal('list', '--limit', '501')).toContain('a whole number from 1 to 500');
    expect(await refusal('diff', 'eq_taq', '1', '9')).toBe('Version 9 of US1032 does not exist');
    expect(await refusal('begin', 'nothing')).toContain('--dataset should be ids or text ids');
    const withdraw = (...words: string[]) => refusal('withdraw', 'eq_taq', ...words);
    expect(await withdraw('--all')).toBe('--reason is missing');
    expect(await withdraw('--reason', 'x')).toMatch(/^--all is missing; give it, or --date/);
    expect(await withdraw('--reason', 'x', '--from', '2024-03-08')).toContain('--to is missing');
    expect(await withdraw('--reason', 'x', '--all', '--date', '2024-03-08')).toContain('--all');
    expect(await withdraw('--reason', 'x', '--date', '2024-13-08')).toContain('a calendar date');
    expect(await withdraw('--reason', 'x', '--partition', 'March')).toContain('2026-11-20');
    const later = ['--from', '2024-03-08', '--to', '2024-03-07'];
    expect(await withdraw('--reason', 'x', ...later)).toBe('--to should not be before 2024-03-08');
    home = join(folder.path, 'mistyped');
    expect(await refusal('list')).toMatch(
      /^there is no home at .*mistyped; name another, or run ticklake init$/,
    );
  });
});

it('the operations say what each field and each option is for', () => {
  for (const { name, fields } of LAKE_OPERATIONS) {
    for (const [field, { help, options }] of Object.entries(fields)) {
      expect(help, `${name}.${field}`).toMatch(/^\w.+[^.]$/);
      for (const { description } of options)
        expect(description ?? help, name).toMatch(/^\w.+[^.]$/);
    }
  }
});

it('the recipe tells of every state of a publication', () => {
  const page = readFileSync(join(import.meta.dirname, '../../../docs/publications.md'), 'utf8');
  const states = page.matchAll(/^\| `(\w+)` \|/gm).map(([, state]) => state);
  expect([...states].sort()).toEqual([
    'failed',
    'published',
    'refused',
    'rolled_back',
    'running',
    'unchanged',
  ]);
});
