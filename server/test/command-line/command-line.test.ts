import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { openControlStore } from '../../src/open-home.ts';
import { startServer } from '../operation/server-process.ts';
import { newFolder, runCommand, runWithSettings } from './run-command.ts';

const DEFINITIONS = join(import.meta.dirname, '../../../datasets');
const SHIPPED_COUNT = readdirSync(DEFINITIONS).filter((name) => name.endsWith('.yaml')).length;

const folder = newFolder();
beforeAll(() => openControlStore({ home: folder.path }).then((store) => store.close()));
afterAll(() => folder.remove());
const run = (...words: string[]) => runCommand(folder.path, ...words);

test('help names every command, and a command explains its options', async () => {
  const { exitCode, stdout } = await run('--help');
  expect(exitCode).toBe(0);
  expect(stdout).toMatch(/^ {2}ingest \[<dataset>\] <file or folder\.\.\.>\s+load files, folders/m);
  const ingest = await run('ingest', '--help');
  expect(ingest.stdout).toMatch(
    /^Usage: ticklake ingest \[<dataset>\] <file or folder\.\.\.> \[options\]/,
  );
  expect(ingest.stdout).toMatch(/^ {2}--max-bad-rows N +skip up to/m);
});

test('wrong words are one line on standard error and exit code 2, or one JSON object', async () => {
  expect(await run('ingets')).toEqual({
    exitCode: 2,
    stdout: '',
    stderr: expect.stringMatching(
      /^ticklake: unknown command ingets; commands begin with serve, .*\n$/,
    ),
  });
  expect(await run('datasets', 'x', '--json')).toEqual({
    exitCode: 2,
    stdout: '{"error":"ticklake datasets takes no arguments, but was given x"}\n',
    stderr: '',
  });
  expect((await run()).stderr).toBe('ticklake: name a command; ticklake --help lists them\n');
});

test('datasets lists the whole catalogue, aligned, also before anything is published', async () => {
  const { exitCode, stdout } = await run('datasets');
  const lines = stdout.trimEnd().split('\n');
  expect([exitCode, lines.length]).toEqual([0, 1 + SHIPPED_COUNT]);
  expect(lines[0]).toMatch(/^ID +TEXT ID +VERSION +ROWS +BYTES +FIRST +LAST +PUBLISHED +VENDOR$/);
  const end = lines[0]?.indexOf('VERSION') as number;
  for (const line of lines.slice(1)) expect(line.slice(end, end + 7)).toBe('      0');
  const json = JSON.parse((await run('datasets', '--json')).stdout);
  expect(json.datasets).toHaveLength(SHIPPED_COUNT);
  expect(json.datasets[0]).toEqual({
    dataset_id: 'US1001',
    text_id: 'eq_trades',
    version: 0,
    row_count: 0,
    byte_count: 0,
    first_date: null,
    last_date: null,
    published_at: null,
    vendor: null,
  });
});

test('datasets shows the published ones, if there are any, and how to see all', async () => {
  const home = newFolder();
  onTestFinished(home.remove);
  await openControlStore({ home: home.path }).then((store) => store.close());
  const file = join(home.path, 'prices.csv');
  writeFileSync(file, 'TradeDate,Ticker,ClosePrice\n2025-06-18,AAA,1\n');
  await runCommand(home.path, 'ingest', 'eq_daily_ohlc', file);
  const { stdout } = await runCommand(home.path, 'datasets');
  expect(stdout.split('\n').slice(1)).toEqual([
    expect.stringMatching(/^US1020 +eq_daily_ohlc +1 +1 /),
    '',
    `Not shown: ${SHIPPED_COUNT - 1} datasets without a version (ticklake datasets --all)`,
    '',
  ]);
  const all = await runCommand(home.path, 'datasets', '--all');
  expect(all.stdout.trimEnd().split('\n')).toHaveLength(1 + SHIPPED_COUNT);
  const { datasets } = JSON.parse((await runCommand(home.path, 'datasets', '--json')).stdout);
  expect(datasets).toHaveLength(SHIPPED_COUNT);
});

test('--home goes before the environment, and a mistyped one is refused and not made', async () => {
  const other = join(folder.path, 'other');
  for (const words of [['datasets'], ['derive', '--all'], ['symbols', 'assign']]) {
    expect(await run(...words, '--home', other)).toEqual({
      exitCode: 2,
      stdout: '',
      stderr: `ticklake: there is no home at ${other}; name another, or run ticklake init\n`,
    });
  }
  const file = join(folder.path, 'prices.csv');
  writeFileSync(file, 'TradeDate,Ticker,ClosePrice\n2025-06-18,AAA,1\n');
  const loading = [
    ['ingest', 'eq_daily_ohlc', file],
    ['ingest', 'eq_daily_ohlc', file, '--dry-run'],
    ['watch', folder.path, '--once'],
    ['import', 'mirror', folder.path],
    ['import', 'lean', folder.path],
  ];
  for (const words of loading) {
    expect(await run(...words, '--home', other), words.join(' ')).toEqual({
      exitCode: 2,
      stdout: '',
      stderr: `ticklake: there is no home at ${other}; name another, or run ticklake init\n`,
    });
  }
  expect(existsSync(other)).toBe(false);
});

test('serve says plainly that it has made a home, and once only', async () => {
  const path = join(folder.path, 'made');
  const told = [];
  for (let start = 0; start < 2; start++) {
    const server = await startServer({ path, remove: () => undefined });
    server.child.kill();
    await server.ended;
    told.push(/There was no home at (.*), so a new, empty one was made/.exec(server.stdout())?.[1]);
  }
  expect(told).toEqual([path, undefined]);
});

test('a setting that nobody knows is a warning, beside an answer in JSON as well', async () => {
  const settings = { TICKLAKE_ENGINE_MEMORY: '64' };
  const told = await runWithSettings(folder.path, settings, 'datasets', '--json');
  expect(told.stderr).toBe(
    'ticklake: warning: no such settings, so they change nothing: TICKLAKE_ENGINE_MEMORY\n',
  );
  expect(told.exitCode).toBe(0);
  expect(JSON.parse(told.stdout)).toBeInstanceOf(Object);
});
