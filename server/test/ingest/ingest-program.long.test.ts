/** `ticklake ingest` as a program of its own. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { afterAll, expect, test } from 'vitest';
import { tryLockFile } from '../../src/installed.ts';
import { anyMoment } from '../any-moment.ts';
import { leftovers, newFolder, publishedRows } from '../command-line/run-command.ts';
import { drawsOf } from '../seed.ts';

const PROGRAM = new URL('../../bin/ticklake.js', import.meta.url).pathname;
const TEXT = `Price,TradeDate,Ticker,EventDateTime
101.5,2024-03-11,MSFT,2024-03-11T09:30:00
7,2024-03-08,AAPL,2024-03-08T09:30:00
`;
const ROWS = [
  ['AAPL', '7.0'],
  ['MSFT', '101.5'],
];

const folder = newFolder();
afterAll(() => folder.remove());

test('the program loads many files with few descriptors, from any folder, and prints JSON alone', async () => {
  const files = join(folder.path, 'many-files');
  mkdirSync(files);
  for (let i = 0; i < 100; i++) {
    writeFileSync(join(files, `${i}.csv`), TEXT);
    writeFileSync(join(files, `${i}.csv.gz`), gzipSync(TEXT));
  }
  const home = join(folder.path, 'home');
  mkdirSync(home);
  const words = [PROGRAM, '--json', '--home', home, 'ingest', 'eq_taq', 'many-files'];
  const child = spawn('sh', ['-c', 'ulimit -n 128 && exec "$0" "$@"', process.execPath, ...words], {
    cwd: folder.path,
    env: { PATH: process.env.PATH },
  });
  const closed = once(child, 'close');
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  expect([(await closed)[0], stderr]).toEqual([0, '']);
  expect(JSON.parse(stdout)).toMatchObject({ version: 1, row_count: 400, bad_row_count: 0 });
  const expected = ROWS.flatMap((row) => Array(200).fill(row));
  expect(await publishedRows(home, 'US1032', ['Ticker', 'Price'])).toEqual(expected);
});

test.each(['SIGINT', 'SIGTERM'] as const)(
  '%s ends the program, which waits for another publication',
  async (signal) => {
    const home = join(folder.path, signal);
    mkdirSync(join(home, 'lake'), { recursive: true });
    const lock = tryLockFile(join(home, 'lake', 'publish.lock'));
    const file = join(folder.path, 'waiting.csv');
    writeFileSync(file, TEXT);
    const words = ['ingest', 'eq_taq', file, '--home', home];
    const child = spawn(process.execPath, [PROGRAM, ...words], {
      env: { PATH: process.env.PATH },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    const exit = once(child, 'exit');
    const said = text(child.stderr);
    await expect.poll(() => leftovers(home)).not.toEqual([]);
    await anyMoment(drawsOf(`${signal} during a wait`), 500);
    child.kill(signal);
    expect([(await exit)[0], await said]).toEqual([130, 'ticklake: interrupted\n']);
    lock?.release();
    expect(leftovers(home)).toEqual([]);
  },
);
