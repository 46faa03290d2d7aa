/** The ClickHouse engine over the current release, which runs in a process of the tests, behind HTTP. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe } from 'vitest';
import { clickHouseEngine } from '../../src/engine/clickhouse/engine.ts';
import { describeEngine } from '../../src/engine/conformance/suite.ts';
import { freePort } from '../free-port.ts';
import { deferredEngine, optionsOf } from './cluster.ts';

const PROGRAM = join(import.meta.dirname, 'current-server.py');
const START_MS = 60_000;
const POLL_MS = 100;

/** A Python that has the package `chdb-core`; without one, these tests are left out. */
const python = process.env.TICKLAKE_CHDB_PYTHON ?? null;

let folder = '';
let server: ChildProcess | null = null;

async function start(port: number): Promise<string> {
  const url = `http://127.0.0.1:${port}`;
  folder = mkdtempSync(join(tmpdir(), 'ticklake-chdb-'));
  const args = [PROGRAM, folder, String(port)];
  server = spawn(python as string, args, { stdio: ['ignore', 'ignore', 'inherit'] });
  for (let waitedMs = 0; waitedMs < START_MS; waitedMs += POLL_MS) {
    const isUp = await fetch(url).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isUp) return url;
    await sleep(POLL_MS);
  }
  throw new Error('the current release did not start');
}

const { engine, open } = deferredEngine();
const login = { username: 'default', password: '' };

describe.skipIf(python === null)('on the current release', () => {
  beforeAll(async () => {
    const url = await start(await freePort());
    open(clickHouseEngine({ ...optionsOf([[url]]), reader: login, writer: login }));
  });
  afterAll(async () => {
    if (server?.kill('SIGKILL')) await once(server, 'exit');
    if (folder !== '') rmSync(folder, { recursive: true, force: true });
  });
  describeEngine('the ClickHouse engine', engine, { queriesMax: 3 });
});
