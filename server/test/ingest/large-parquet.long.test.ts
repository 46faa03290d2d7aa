/** A Parquet file that is far larger than the memory that loading it may take. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { DuckDBInstance } from '@duckdb/node-api';
import { afterAll, expect, test } from 'vitest';
import { newFolder, publishedRows } from '../command-line/run-command.ts';
import { PROGRAM } from '../program.ts';
import { SAMPLED_SHARE } from '../repetitions.ts';

const ROWS = 6_000_000;
/** A stage fills 768 MiB before it uses the disk; the rest is for the program and its buffers. */
const MEMORY_MAX_BYTES = (768 + 384) * 1024 ** 2;
/** Has a program end with its peak of resident memory, in kilobytes. */
const TELL_PEAK =
  'data:text/javascript,process.on("exit",()=>process.stderr.write(String(process.resourceUsage().maxRSS)))';

const folder = newFolder();
afterAll(() => folder.remove());

/** Ticks of a day, out of order, so that they have to be sorted. */
async function writeTicks(path: string): Promise<void> {
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  await connection.run(
    `COPY (SELECT DATE '2024-03-11' AS TradeDate, 'T' || (i * 7919) % 500 AS Ticker,
       make_timestamp_ns(1710163800000000000 + (i * 7919) % ${ROWS} * 3000000 + 7) AS EventDateTime,
       'TRADE' AS EventType, (i % 9973) / 100 AS Price, i % 977 AS Quantity, 'NYSE' AS Exchange, i AS ASID
     FROM range(${ROWS}) AS numbers(i)) TO '${path}' (FORMAT parquet)`,
  );
  connection.closeSync();
  instance.closeSync();
}

// A sample leaves it out: fewer rows would fit into the memory.
test.skipIf(SAMPLED_SHARE < 1)(`${ROWS} rows of Parquet are loaded in bounded memory`, async () => {
  const [home, file] = [join(folder.path, 'home'), join(folder.path, 'ticks.parquet')];
  mkdirSync(home);
  await writeTicks(file);
  const words = ['--import', TELL_PEAK, PROGRAM, 'ingest', 'eq_taq', file, '--home', home];
  const env = { PATH: process.env.PATH };
  const child = spawn(process.execPath, words, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const [stdout, stderr, [exitCode]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ]);
  expect(exitCode, stderr).toBe(0);
  expect(stdout).toContain('6,000,000 rows');
  expect(Number(stderr) * 1024).toBeLessThan(MEMORY_MAX_BYTES);
  expect(await publishedRows(home, 'US1032', ['count(*)', 'sum(ASID)'])).toEqual([
    [`${ROWS}`, `${(ROWS * (ROWS - 1)) / 2}`],
  ]);
});
