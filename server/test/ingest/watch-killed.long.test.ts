import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { anyMoment } from '../any-moment.ts';
import { newFolder, publishedRows } from '../command-line/run-command.ts';
import { PROGRAM } from '../program.ts';
import { repetitions, sampledRuns } from '../repetitions.ts';
import { drawsOf } from '../seed.ts';

const folder = newFolder();
afterAll(() => folder.remove());

const EQ_TAQ = 'US1032';
const KILLS = repetitions('TICKLAKE_WATCH_KILLS', sampledRuns(4));
const FILES_PER_RUN = 3;

const home = join(folder.path, 'home');
mkdirSync(home);
const watched = join(folder.path, 'watched');
const dataset = join(watched, 'eq_taq');

/** A file of one row that no other file has, renamed into place. */
function drop(number: number): void {
  const path = join(dataset, `${String(number).padStart(4, '0')}.csv`);
  const text = `Price,TradeDate,Ticker,EventDateTime\n${number},2024-03-11,AAPL,2024-03-11T09:30:00\n`;
  writeFileSync(`${path}.tmp`, text);
  renameSync(`${path}.tmp`, path);
}

function startWatch(...words: string[]) {
  const given = ['watch', watched, '--append', '--settle', '0', '--home', home, ...words];
  const env = { PATH: process.env.PATH };
  return spawn(process.execPath, [PROGRAM, ...given], { env, stdio: ['ignore', 'ignore', 'pipe'] });
}

/** Starts a watcher and resolves once it has said that it watches. */
async function startedWatch() {
  const child = startWatch();
  const exited = once(child, 'exit') as Promise<[number | null]>;
  await new Promise((resolve) => child.stderr.on('data', resolve));
  return { child, exited };
}

test('a watcher that is killed again and again loads every file once', async () => {
  mkdirSync(dataset, { recursive: true });
  const draws = drawsOf('watch killed');
  let dropped = 0;
  for (let kill = 0; kill < KILLS; kill++) {
    for (let count = 0; count < FILES_PER_RUN; count++) drop(dropped++);
    const { child, exited } = await startedWatch();
    await anyMoment(draws, 600);
    child.kill('SIGKILL');
    await exited;
  }
  const [exitCode] = (await once(startWatch('--once'), 'exit')) as [number];
  expect(exitCode).toBe(0);
  const prices = (await publishedRows(home, EQ_TAQ, ['Price::INTEGER'])).flat();
  expect(prices.map(Number).sort((a, b) => a - b)).toEqual(
    Array.from({ length: dropped }, (_, number) => number),
  );
  expect(readdirSync(join(dataset, 'done'))).toHaveLength(2 * dropped);
});

test('a watcher that is asked to stop ends cleanly and leaves what it has not loaded', async () => {
  const { child, exited } = await startedWatch();
  child.kill('SIGTERM');
  expect((await exited)[0]).toBe(0);
});
