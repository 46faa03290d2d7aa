/**
 * A ClickHouse cluster for tests: servers of the current release, each with its own process, folder
 * and port, that know nothing of each other.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { prepareInterpreter } from '../../../scripts/python-environment.ts';
import type { ClickHouseOptions } from '../../src/engine/clickhouse/engine.ts';
import type { Engine, EngineConfig } from '../../src/engine/engine.ts';
import { ENGINE_DEFAULTS, INSTALLED_ENGINE, tryLockFile } from '../../src/installed.ts';
import type { Certificate } from '../certificates.ts';
import { freePort } from '../free-port.ts';
import { untilAnswers } from '../until.ts';

const PROGRAM = join(import.meta.dirname, 'front.py');
const CACHE = fileURLToPath(
  new URL('../../../node_modules/.cache/ticklake-clickhouse', import.meta.url),
);
/** About 530 MB. What it would need beside it is for other uses of it. */
const PACKAGE = 'chdb-core==26.9.0';

interface Installed {
  readonly interpreter: string;
  readonly problem: string | null;
}

const installed: Installed = await prepareInterpreter(CACHE, PACKAGE, ['--no-deps', PACKAGE]).then(
  (interpreter) => ({ interpreter, problem: null }),
  ({ message }) => ({ interpreter: '', problem: `${PACKAGE} cannot be installed: ${message}` }),
);

const DATABASE = 'lake';
const WRITER = { username: 'ticklake_writer', password: 'writes' };
const READER = { username: 'ticklake_reader', password: 'reads' };

/** In the environment of programs that ask a server. */
export const PASSWORDS = {
  TICKLAKE_CLICKHOUSE_WRITER_PASSWORD: WRITER.password,
  TICKLAKE_CLICKHOUSE_READER_PASSWORD: READER.password,
};

/** Why its tests are left out; null: they run. Throws where they have to. */
export function missingClickHouse(): string | null {
  const { problem } = installed;
  if (problem !== null && process.env.TICKLAKE_CLICKHOUSE === 'required') throw new Error(problem);
  return problem;
}

/** A port of its own for HTTPS, with the files of its certificate. */
export interface Encryption extends Certificate {
  readonly port: number;
}

export class ClickHouseServer {
  readonly url: string;
  readonly #args: readonly string[];
  #process: ChildProcess | null = null;

  constructor(folder: string, port: number, encryption: Encryption | null = null) {
    this.url = `http://127.0.0.1:${port}`;
    const { certificate, key, port: encrypted } = encryption ?? {};
    const forHttps = encryption ? [encrypted, certificate, key] : [];
    this.#args = [PROGRAM, folder, port, ...forHttps].map(String);
  }

  async start(): Promise<void> {
    this.#process = spawn(installed.interpreter, this.#args, {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    await untilAnswers(this.url, this.#process);
  }

  /** Runs a statement as its owner would; the text of the answer. */
  async query(sql: string): Promise<string> {
    const login = new URLSearchParams({ user: 'owner', password: 'owns' });
    const answer = await fetch(`${this.url}/?${login}`, { method: 'POST', body: sql });
    const text = await answer.text();
    if (!answer.ok) throw new Error(text);
    return text.trim();
  }

  /** How many clients have left before all of their answer was sent. */
  async hungUp(): Promise<number> {
    return Number(await (await fetch(this.url)).text());
  }

  /** Ends it at once, as when a machine dies. */
  async kill(): Promise<void> {
    const running = this.#process;
    this.#process = null;
    if (!running || running.exitCode !== null || running.signalCode !== null) return;
    running.kill('SIGKILL');
    await once(running, 'exit');
  }
}

/** Options to open the engine with; the installed engine stages its rows. */
function optionsOf(shards: readonly (readonly string[])[]): ClickHouseOptions {
  return {
    ...{ shards, database: DATABASE, writer: WRITER, reader: READER },
    ...{ connectionsMax: 8, timeoutMs: 1_800_000 },
    openStaging: (home) => ({
      storage: INSTALLED_ENGINE.openStorage({ home }, tryLockFile),
      openReader: () => INSTALLED_ENGINE.openReader({ ...ENGINE_DEFAULTS, home, queriesMax: 3 }),
    }),
  };
}

/** An engine whose servers are known only once they run. */
export function deferredEngine(): {
  readonly engine: Engine<EngineConfig>;
  readonly open: (opened: Engine<EngineConfig>) => void;
} {
  let opened: Engine<EngineConfig> | null = null;
  const known = () => opened as Engine<EngineConfig>;
  return {
    engine: {
      openReader: (config) => known().openReader(config),
      openStorage: (config, tryLock) => known().openStorage(config, tryLock),
    },
    open: (engine) => {
      opened = engine;
    },
  };
}

export class ClickHouseCluster {
  #folder = '';
  /** By shard, then by replica. */
  readonly shards: ClickHouseServer[][] = [];

  async start(shardCount: number, replicaCount: number): Promise<void> {
    this.#folder = mkdtempSync(join(tmpdir(), 'ticklake-clickhouse-'));
    for (let shard = 0; shard < shardCount; shard++) {
      const replicas: ClickHouseServer[] = [];
      for (let replica = 0; replica < replicaCount; replica++) {
        const folder = join(this.#folder, `${shard}-${replica}`);
        replicas.push(new ClickHouseServer(folder, await freePort()));
      }
      this.shards.push(replicas);
    }
    await Promise.all(this.servers.map((server) => server.start()));
    await Promise.all(this.servers.map((server) => server.query(`CREATE DATABASE ${DATABASE}`)));
  }

  get servers(): ClickHouseServer[] {
    return this.shards.flat();
  }

  get options(): ClickHouseOptions {
    return optionsOf(this.shards.map((replicas) => replicas.map(({ url }) => url)));
  }

  /** The environment of a program whose lake lies here. */
  get environment(): Record<string, string> {
    const hosts = this.shards.map((replicas) =>
      replicas.map(({ url }) => new URL(url).host).join(),
    );
    return {
      TICKLAKE_LAKE: `clickhouse://${hosts.join(';')}/${DATABASE}`,
      ...PASSWORDS,
    };
  }

  async close(): Promise<void> {
    await Promise.all(this.servers.map((server) => server.kill()));
    if (this.#folder !== '') rmSync(this.#folder, { recursive: true, force: true });
  }
}
