/** Loads: rows they refuse to lose, previews of changes, and loads into an open publication. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { afterAll, expect, test } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import type { Lake } from '../../src/lake/lake.ts';
import { openLake } from '../../src/open-home.ts';
import { newFolder, publishedRows, runCommand } from '../command-line/run-command.ts';

const folder = newFolder();
afterAll(() => folder.remove());

const DYING_LOAD = fileURLToPath(new URL('append-and-die.ts', import.meta.url));
const HEADER = 'TradeDate,Ticker,EventDateTime,Price';
const EQ_TAQ = 'US1032';
let count = 0;
const newHome = () => join(folder.path, `home-${count++}`);

/** `D A 1` for each row: day of March, ticker, price. */
function file(...rows: string[]): string {
  const path = join(folder.path, `rows-${count++}.csv`);
  const lines = rows.map((row) => {
    const [day, ticker, price] = row.split(' ');
    return `2024-03-${day},${ticker},2024-03-${day}T09:30:00,${price}`;
  });
  writeFileSync(path, `${[HEADER, ...lines].join('\n')}\n`);
  return path;
}

async function rowsIn(home: string): Promise<string[]> {
  const rows = await publishedRows(home, EQ_TAQ, ['TradeDate', 'Ticker', 'Price']);
  return rows.map(([date, ticker, price]) => `${`${date}`.slice(-2)} ${ticker} ${Number(price)}`);
}

const ingest = (home: string, path: string, ...options: string[]) =>
  runCommand(home, 'ingest', 'eq_taq', path, ...options);

/** A home with the rows. */
async function homeWith(...rows: string[]): Promise<string> {
  const home = newHome();
  expect((await ingest(home, file(...rows))).exitCode).toBe(0);
  return home;
}

async function inLake<T>(home: string, act: (lake: Lake) => Promise<T>): Promise<T> {
  const lake = await openLake({ home }, systemClock);
  return await act(lake).finally(() => lake.close());
}

const lastPublication = (home: string) =>
  inLake(home, async ({ ledger }) => (await ledger.publications({ limit: 1 }))[0]);

test('a replacement that loses identifiers is refused by name, unless it is allowed', async () => {
  const home = await homeWith('11 A 1', '11 B 1', '12 A 1');
  const correction = file('11 A 2');
  const refused = await ingest(home, correction);
  expect(refused).toMatchObject({ exitCode: 2, stdout: '' });
  expect(refused.stderr).toBe(
    'ticklake: partition 2024-03-11 of eq_taq would lose 1 identifier, such as B; ' +
      '--allow-loss publishes it all the same\n',
  );
  expect(await rowsIn(home)).toEqual(['11 A 1', '11 B 1', '12 A 1']);
  expect(await lastPublication(home)).toMatchObject({ state: 'refused' });
  expect((await ingest(home, correction, '--allow-loss')).exitCode).toBe(0);
  expect(await rowsIn(home)).toEqual(['11 A 2', '12 A 1']);
});

test('a replacement that loses more rows than the setting allows is refused', async () => {
  const rows = Array.from({ length: 20 }, (_, i) => `11 A ${i}`);
  const home = await homeWith(...rows);
  const refused = await ingest(home, file(...rows.slice(3)));
  expect(refused.stderr).toContain(
    'partition 2024-03-11 of eq_taq would have 17 rows in place of 20; --allow-loss',
  );
  expect((await ingest(home, file(...rows.slice(2)))).exitCode).toBe(0);
  expect(await rowsIn(home)).toHaveLength(18);
});

test('rows without a date do not vanish with the others of a list without a word', async () => {
  const home = newHome();
  const load = (...rows: string[]) => {
    const path = join(folder.path, `halts-${count++}.csv`);
    writeFileSync(path, ['TradeDate,Ticker,HaltDateTime', ...rows, ''].join('\n'));
    return runCommand(home, 'ingest', 'eq_trading_halts', path);
  };
  const dated = '2025-06-19,A,2025-06-19T10:00:00';
  const undated = ['B', 'C'].map((ticker) => `,${ticker},2025-06-19T10:00:00`);
  expect((await load(dated, ...undated)).exitCode).toBe(0);
  const refused = await load(dated, '2025-06-20,A,2025-06-20T10:00:00');
  expect(refused.stderr).toContain('would have 0 rows without a date in place of 2;');
});

test('an old delivery is refused though a loss is allowed, and tells that its rows are gone', async () => {
  const home = newHome();
  const [first, corrected] = [file('11 A 1'), file('11 A 2')];
  for (const path of [first, corrected]) expect((await ingest(home, path)).exitCode).toBe(0);
  const stale = await ingest(home, first, '--allow-loss');
  expect([stale.exitCode, stale.stderr]).toEqual([
    2,
    expect.stringMatching(
      /in eq_taq have been replaced or withdrawn since, or were read in another way; --again loads/,
    ),
  ]);
  expect(await rowsIn(home)).toEqual(['11 A 2']);
});

test('an old delivery is refused in a file of other bytes, also beside other dates and corrections', async () => {
  const home = newHome();
  for (const rows of [['11 A 1'], ['11 A 2'], ['12 A 5']]) {
    expect((await ingest(home, file(...rows))).exitCode).toBe(0);
  }
  const packed = join(folder.path, 'old.csv.gz');
  writeFileSync(packed, gzipSync(readFileSync(file('11 A 1'))));
  const stale = await ingest(home, packed);
  const text =
    'partition 2024-03-11 of eq_taq would have rows again that publication 2 has replaced';
  expect([stale.exitCode, stale.stderr]).toEqual([2, expect.stringContaining(text)]);
  expect((await ingest(home, file('11 A 3'))).exitCode).toBe(0);
  const mixed = await ingest(home, file('11 A 1', '13 A 1'));
  expect([mixed.exitCode, mixed.stderr]).toEqual([2, expect.stringContaining(text)]);
  expect(await rowsIn(home)).toEqual(['11 A 3', '12 A 5']);
  expect((await ingest(home, packed, '--again')).exitCode).toBe(0);
  const taken = file('12 A 5', '14 A 1');
  const words = ['withdraw', 'eq_taq', '--date', '2024-03-12', '--reason', 'wrong'];
  expect(await runCommand(home, 'publication', ...words)).toMatchObject({ exitCode: 0 });
  expect((await ingest(home, taken)).stderr).toContain('partition 2024-03-12 of eq_taq would have');
});

test.each([
  ['opt_sec_master', ['no_such', 'x'], ['ASID,OptionTicker', '1,AAA']],
  [
    'eq_daily_ohlc',
    ['TradeDate,Ticker,ClosePrice', '1969-12-31,A,1', '2025-01-06,B,1'],
    ['TradeDate,Ticker,ClosePrice', '2025-01-06,A,1', '2025-01-06,B,1'],
  ],
])('a refused file of %s is told until a good one has come', async (dataset, bad, good) => {
  const home = newHome();
  const load = (lines: readonly string[]) => {
    const path = join(folder.path, `given-${count++}.csv`);
    writeFileSync(path, [...lines, ''].join('\n'));
    return runCommand(home, 'ingest', dataset, path);
  };
  const told = () =>
    inLake(home, async ({ ledger }) =>
      (await ledger.notedLoads()).map(({ publicationId }) => publicationId),
    );
  expect((await load(bad)).exitCode).toBe(2);
  expect(await told()).toEqual([1]);
  expect(await load(good)).toMatchObject({ exitCode: 0, stderr: '' });
  expect(await told()).toEqual([]);
});

test('--replace identifiers leaves the rows of all others', async () => {
  const home = await homeWith('11 A 1', '11 B 1', '11 B 2', '12 A 1');
  const { exitCode, stdout } = await ingest(home, file('11 B 9'), '--replace', 'identifiers');
  expect([exitCode, stdout]).toEqual([2, '']);
  const allowed = ['--replace', 'identifiers', '--allow-loss'];
  expect((await ingest(home, file('11 B 9'), ...allowed)).stdout).toBe(
    'US1032 eq_taq: version 2, 1 row in 1 partition, in place of 2 rows\n',
  );
  expect(await rowsIn(home)).toEqual(['11 A 1', '11 B 9', '12 A 1']);
});

test('datasets whose rows are asked for by a query are compared by what access rules name', async () => {
  const home = newHome();
  const load = (path: string, ...options: string[]) =>
    runCommand(home, 'ingest', 'eq_daily_ohlc', path, ...options);
  const bars = (name: string, ...rows: string[]) => {
    const path = join(folder.path, name);
    writeFileSync(path, ['TradeDate,Ticker,ClosePrice', ...rows, ''].join('\n'));
    return path;
  };
  const both = bars('both.csv', '2024-03-11,A,1', '2024-03-11,B,1');
  expect((await load(both)).exitCode).toBe(0);
  const one = bars('one.csv', '2024-03-11,B,2');
  expect((await load(one)).stderr).toContain('would lose 1 identifier, such as A on 2024-03-11;');
  expect((await load(one, '--replace', 'identifiers')).exitCode).toBe(0);
  expect(await publishedRows(home, 'US1020', ['Ticker', 'ClosePrice'])).toEqual([
    ['A', '1.0'],
    ['B', '2.0'],
  ]);
});

test('options that cannot be used together are refused, and values that there are not', async () => {
  const home = newHome();
  const path = file('11 A 1');
  const both = await ingest(home, path, '--replace', 'identifiers', '--append');
  expect(both).toMatchObject({
    ...{ exitCode: 2, stderr: 'ticklake: --append and --replace cannot be used together\n' },
  });
  const two = await ingest(home, path, '--into', '1', '--reason', 'x');
  expect(two.stderr).toBe(
    'ticklake: --into and --reason cannot be used together: a publication has one reason\n',
  );
  const other = await ingest(home, path, '--replace', 'rows');
  expect(other.stderr).toBe(
    'ticklake: --replace must be dates, partitions, identifiers or dataset, not rows\n',
  );
});

test('a file is not appended twice, as long as its rows are there, unless it is wanted', async () => {
  const home = newHome();
  const path = file('11 A 1');
  expect((await ingest(home, path, '--append')).exitCode).toBe(0);
  const again = await ingest(home, path, '--append');
  expect(again.exitCode).toBe(2);
  expect(again.stderr).toBe(
    'ticklake: partition 2024-03-11 of eq_taq has all of these rows already; ' +
      '--again loads them once more\n',
  );
  expect(await rowsIn(home)).toEqual(['11 A 1']);
  expect((await ingest(home, path, '--append', '--again')).exitCode).toBe(0);
  expect(await rowsIn(home)).toEqual(['11 A 1', '11 A 1']);
  expect((await ingest(home, file('11 A 7', '11 A 8'))).exitCode).toBe(0);
  expect((await ingest(home, path, '--append')).exitCode).toBe(0);
});

test('identical files under two names are appended in one load only if wanted', async () => {
  const home = newHome();
  const [path, copy, other] = [file('11 A 1'), file('11 A 1'), file('11 A 2')];
  const load = (...options: string[]) => ingest(home, path, other, copy, ...options);
  const refused = `ticklake: ${copy}: has the same bytes as ${path}, whose rows are loaded already; --again loads them once more\n`;
  for (const dryRun of [['--dry-run'], []]) {
    const { exitCode, stderr } = await load('--append', ...dryRun);
    expect([exitCode, stderr]).toEqual([2, refused]);
  }
  expect(await lastPublication(home)).toMatchObject({ state: 'refused' });
  expect((await load('--append', '--again')).exitCode).toBe(0);
  expect(await rowsIn(home)).toEqual(['11 A 1', '11 A 2', '11 A 1']);
});

test('a dry run says what would change, and changes nothing', async () => {
  const home = await homeWith('11 A 1', '11 B 1', '12 A 1');
  const path = file('11 A 2', '13 A 1');
  const { exitCode, stdout, stderr } = await ingest(home, path, '--dry-run');
  expect([exitCode, stdout]).toEqual([2, '']);
  expect(stderr).toBe(
    [
      'US1032 eq_taq: 2 rows in 2 partitions, in place of 2 rows',
      '  2024-03-11: 1 row in place of 2; 1 identifier would vanish: B',
      '  2024-03-13: 1 row, new',
      'this would be refused: partition 2024-03-11 of eq_taq would lose 1 identifier, such as B; ' +
        '--allow-loss publishes it all the same',
      '',
    ].join('\n'),
  );
  const allowed = await ingest(home, path, '--dry-run', '--allow-loss', '--json');
  expect(allowed.exitCode).toBe(0);
  expect(JSON.parse(allowed.stdout)).toMatchObject({
    ...{ dataset_id: 'US1032', row_count: 2, replaced_row_count: 2 },
    ...{ refusal: null, allowed_by: null },
    partitions: [
      { key: '2024-03-11', row_count_before: 2, row_count_after: 1, lost_identifiers: ['B'] },
      { key: '2024-03-13', row_count_before: 0, row_count_after: 1, lost_identifiers: [] },
    ],
  });
  expect(await rowsIn(home)).toEqual(['11 A 1', '11 B 1', '12 A 1']);
  expect(await lastPublication(home)).toMatchObject({ publicationId: 1 });
});

test('the ledger and JSON tell a refusal without the option that lifts it, which JSON names apart', async () => {
  const home = await homeWith('11 A 1', '11 B 1');
  const lost = 'partition 2024-03-11 of eq_taq would lose 1 identifier, such as B';
  const path = file('11 A 2');
  const refused = await ingest(home, path, '--json');
  expect(JSON.parse(refused.stdout)).toEqual({ error: lost, allowed_by: 'allow_loss' });
  expect(await lastPublication(home)).toMatchObject({ state: 'refused', message: lost });
  const rehearsed = await ingest(home, path, '--dry-run', '--json');
  expect(JSON.parse(rehearsed.stdout)).toMatchObject({ refusal: lost, allowed_by: 'allow_loss' });
  expect((await ingest(home, path, '--append')).exitCode).toBe(0);
  const repeated = await ingest(home, path, '--append', '--json');
  const held = expect.stringMatching(/eq_taq has all of these rows already$/);
  expect(JSON.parse(repeated.stdout)).toEqual({ error: held, allowed_by: 'again' });
  expect(await lastPublication(home)).toMatchObject({ state: 'refused', message: held });
});

test('several loads into an open publication count when it is committed', async () => {
  const home = await homeWith('11 A 1');
  const open = { datasets: [{ datasetId: EQ_TAQ }], command: 'test' };
  const id = await inLake(home, ({ publications }) => publications.open(open));
  const staged = await ingest(home, file('12 A 1'), '--into', `${id}`);
  expect(staged.stdout).toBe(
    `US1032 eq_taq: 1 row in 1 partition, for publication ${id}, which is not committed yet\n`,
  );
  await ingest(home, file('12 B 1'), '--append', '--into', `${id}`);
  expect(await rowsIn(home)).toEqual(['11 A 1']);
  await inLake(home, ({ publications }) => publications.commit(id));
  expect(await rowsIn(home)).toEqual(['11 A 1', '12 A 1', '12 B 1']);
  const late = await ingest(home, file('12 C 1'), '--into', `${id}`);
  expect(late).toMatchObject({
    ...{ exitCode: 2, stderr: `ticklake: publication ${id} is not open\n` },
  });
});

test('a file that an open publication refused is not among its sources, and can come again', async () => {
  const home = await homeWith('11 A 1');
  const open = { datasets: [{ datasetId: EQ_TAQ }], command: 'test' };
  const id = await inLake(home, ({ publications }) => publications.open(open));
  const into = ['--append', '--into', `${id}`];
  const path = file('12 A 1', '12 A bad');
  expect((await ingest(home, path, ...into)).stderr).toContain('bad');
  const sourcesOf = () =>
    inLake(home, async ({ ledger }) => (await ledger.publication(id))?.sources);
  expect(await sourcesOf()).toEqual([]);
  expect((await ingest(home, path, ...into, '--max-bad-rows', '1')).exitCode).toBe(0);
  expect(await sourcesOf()).toHaveLength(1);
  const again = await ingest(home, path, ...into, '--max-bad-rows', '1');
  expect(again.stderr).toContain('has all of these rows already');
});

test('rows that a load staged before it was killed have their source, and are not appended again', async () => {
  const home = await homeWith('11 A 1');
  const open = { datasets: [{ datasetId: EQ_TAQ }], command: 'test' };
  const id = await inLake(home, ({ publications }) => publications.open(open));
  const path = file('12 A 1');
  const load = spawn(process.execPath, [DYING_LOAD, home, `${id}`, path], { stdio: 'ignore' });
  expect(await once(load, 'exit')).toEqual([null, 'SIGKILL']);
  const { sources } = (await inLake(home, ({ ledger }) => ledger.publication(id))) as {
    sources: readonly object[];
  };
  expect(sources).toMatchObject([{ datasetId: EQ_TAQ, name: path }]);
  const again = await ingest(home, path, '--append', '--into', `${id}`);
  expect(again.stderr).toContain('has all of these rows already');
  await inLake(home, ({ publications }) => publications.commit(id));
  expect(await rowsIn(home)).toEqual(['11 A 1', '12 A 1']);
});

test('one of two commands that append the same file at the same time is refused', async () => {
  const home = await homeWith('11 A 1');
  const path = file('12 A 1');
  const ends = await inLake(home, async (lake) => {
    let loads: ReturnType<typeof ingest>[] = [];
    const open = { datasets: [{ datasetId: EQ_TAQ }], command: 'test' };
    await lake.publication(open, async (publication) => {
      // Takes the turn, so that both files are read before the first of them is published.
      await expect(publication.rollBack({ publicationId: 99 })).rejects.toThrow('no publication');
      publication.publishNothing('test');
      loads = [ingest(home, path, '--append'), ingest(home, path, '--append')];
      await expect
        .poll(async () => {
          const all = await lake.ledger.publications({ limit: 2 });
          return all.filter(({ command, sources }) => command === 'ingest' && sources.length === 1);
        })
        .toHaveLength(2);
    });
    return await Promise.all(loads);
  });
  expect(ends.map(({ exitCode }) => exitCode).sort()).toEqual([0, 2]);
  expect(ends.map(({ stderr }) => stderr).join('')).toContain('has all of these rows already');
  expect(await rowsIn(home)).toEqual(['11 A 1', '12 A 1']);
});
