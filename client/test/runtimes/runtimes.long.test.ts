/** The package in Node, Deno and Bun: the same program, over connections that break. */
import { execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer, text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { buildPackage } from '../../build-package.ts';
import { Ticklake } from '../../src/index.ts';
import { type FaultProxy, startFaultProxy } from '../fault-proxy.ts';
import { type ServedRows, serveRows } from '../served-rows.ts';
import { installedRuntimes, type Runtime } from './installed-runtimes.ts';

const ROWS = 400;
const folder = mkdtempSync(join(tmpdir(), 'ticklake-runtimes-'));
let served: ServedRows;
let proxy: FaultProxy;

beforeAll(async () => {
  buildPackage(join(folder, 'dist'));
  writeFileSync(join(folder, 'package.json'), '{"private":true}');
  execFileSync('npm', ['install', '--no-audit', '--no-fund', './dist'], {
    cwd: folder,
    stdio: 'pipe',
  });
  copyFileSync(join(import.meta.dirname, 'program.mjs'), join(folder, 'program.mjs'));
  served = await serveRows(ROWS);
  proxy = await startFaultProxy(served.url);
});
afterAll(async () => {
  await proxy.close();
  await served.service.close();
  rmSync(folder, { recursive: true });
});

async function run({ name, program, words }: Runtime): Promise<unknown> {
  const files = join(folder, name);
  mkdirSync(files);
  const env = { ...process.env, URL: proxy.url, KEY: served.service.key, FOLDER: files };
  const child = spawn(program, [...words, 'program.mjs'], { cwd: folder, env });
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  if (child.exitCode === null) await once(child, 'exit');
  if (child.exitCode !== 0) throw new Error(`${name} ended with ${child.exitCode}: ${stderr}`);
  return JSON.parse(stdout);
}

/** The rows as JSON of the program tells them, and the digest of the Arrow stream. */
async function expected() {
  const query = () =>
    new Ticklake({ url: served.url, key: served.service.key }).dataset('eq_trading_halts').read();
  const told = (_: string, value: unknown) => (typeof value === 'bigint' ? `${value}n` : value);
  const rows = JSON.parse(JSON.stringify(await query().toArray({ limit: ROWS }), told));
  const bytes = await buffer(query().arrow() as never);
  return { rows, arrow: createHash('sha256').update(bytes).digest('hex') };
}

it.each(installedRuntimes())(
  '$name reads exactly what there is, and tells its errors',
  async (runtime) => {
    proxy.among = '/v1/files/';
    proxy.faults.push(
      { kind: 'reset', atByte: 700 },
      { kind: 'stall', atByte: 100 },
      { kind: 'flip', atByte: 50 },
      { kind: 'no range' },
      { kind: 'refuse', status: 503 },
    );
    expect(await run(runtime)).toEqual({
      ...(await expected()),
      downloaded: [
        ['parquet', true],
        ['csv_gzip', true],
        ['arrow', true],
      ],
      refused: { name: 'AuthenticationError', status: 401 },
      unknown: { name: 'TicklakeError' },
      aborted: { name: 'AbortError' },
    });
    expect(proxy.faults).toEqual([]);
  },
);
