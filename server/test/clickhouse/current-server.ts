/** The current release of ClickHouse, which runs in a process of the tests, behind HTTP. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ClickHouseOptions } from '../../src/engine/clickhouse/engine.ts';
import { freePort } from '../free-port.ts';
import { untilAnswers } from '../until.ts';
import { optionsOf } from './cluster.ts';

const PROGRAM = join(import.meta.dirname, 'current-server.py');

/** A Python that has the package `chdb-core`; without one, these tests are left out. */
export const currentPython = process.env.TICKLAKE_CHDB_PYTHON ?? null;

/** Its only user. */
export const CURRENT_LOGIN = { username: 'default', password: '' };

export const currentOptions = (url: string): ClickHouseOptions => ({
  ...optionsOf([[url]]),
  reader: CURRENT_LOGIN,
  writer: CURRENT_LOGIN,
});

export class CurrentServer {
  url = '';
  readonly #folder = mkdtempSync(join(tmpdir(), 'ticklake-chdb-'));
  #process: ChildProcess | null = null;

  async start(): Promise<void> {
    const port = await freePort();
    this.url = `http://127.0.0.1:${port}`;
    const args = [PROGRAM, this.#folder, String(port)];
    this.#process = spawn(`${currentPython}`, args, { stdio: ['ignore', 'ignore', 'inherit'] });
    await untilAnswers(this.url, this.#process);
  }

  async stop(): Promise<void> {
    if (this.#process?.kill('SIGKILL')) await once(this.#process, 'exit');
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
