/**
 * A real ClickHouse cluster for tests: servers of this machine's package, each with a folder and ports of its
 * own, that know nothing of each other.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ClickHouseOptions } from '../../src/engine/clickhouse/engine.ts';
import type { Engine, EngineConfig } from '../../src/engine/engine.ts';
import { ENGINE_DEFAULTS, INSTALLED_ENGINE, tryLockFile } from '../../src/installed.ts';
import type { Certificate } from '../certificates.ts';
import { freePort } from '../free-port.ts';
import { untilAnswers } from '../until.ts';

const PROGRAM = 'clickhouse-server';
const DATABASE = 'lake';
const WRITER = { username: 'ticklake_writer', password: 'writes' };
const READER = { username: 'ticklake_reader', password: 'reads' };

/** In the environment of programs that ask a server. */
export const PASSWORDS = {
  TICKLAKE_CLICKHOUSE_WRITER_PASSWORD: WRITER.password,
  TICKLAKE_CLICKHOUSE_READER_PASSWORD: READER.password,
};

function isInstalled(): boolean {
  try {
    execFileSync('which', [PROGRAM], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** Why its tests are left out; null: they run. Throws where they have to. */
export function missingClickHouse(): string | null {
  if (isInstalled()) return null;
  if (process.env.TICKLAKE_CLICKHOUSE === 'required') throw new Error(`no ${PROGRAM} is installed`);
  return `no ${PROGRAM} is installed`;
}

/** A port of its own for HTTPS, with the files of its certificate. */
export interface Encryption extends Certificate {
  readonly port: number;
}

const encryptionText = ({ port, certificate, key }: Encryption) => `
  <https_port>${port}</https_port>
  <openSSL><server>
    <certificateFile>${certificate}</certificateFile>
    <privateKeyFile>${key}</privateKeyFile>
    <verificationMode>none</verificationMode>
  </server></openSSL>`;

const configText = (folder: string, port: number, encryption: Encryption | null) => `<yandex>
  <logger><level>warning</level><log>${folder}/log</log><errorlog>${folder}/errors</errorlog></logger>
  <http_port>${port}</http_port>
  <listen_host>127.0.0.1</listen_host>
  <path>${folder}/data/</path>
  <tmp_path>${folder}/tmp/</tmp_path>
  <users_config>users.xml</users_config>
  <default_profile>default</default_profile>
  <default_database>default</default_database>
  <mark_cache_size>67108864</mark_cache_size>${encryption ? encryptionText(encryption) : ''}
</yandex>`;

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

/** Sees and does everything, as the owner of the servers. */
const OWNER = `<owner>
  <password>owns</password>
  <networks><ip>127.0.0.1</ip></networks>
  <profile>default</profile>
  <quota>default</quota>
</owner>`;

/** The users that the page for operators has. */
function usersText(): string {
  const page = readFileSync(join(import.meta.dirname, '../../../docs/clickhouse.md'), 'utf8');
  const [, documented = ''] = /```xml\n([\s\S]*?)```/.exec(page) ?? [];
  return documented
    .replace('>WRITER<', `>${sha256(WRITER.password)}<`)
    .replace('>READER<', `>${sha256(READER.password)}<`)
    .replace('<profiles>', '<quotas><default></default></quotas><profiles><default></default>')
    .replaceAll('</database>', '</database><database>other</database><database>missing</database>')
    .replace('<users>', `<users>${OWNER}`);
}

export class ClickHouseServer {
  readonly url: string;
  readonly #folder: string;
  #process: ChildProcess | null = null;

  constructor(folder: string, port: number, encryption: Encryption | null = null) {
    this.url = `http://127.0.0.1:${port}`;
    this.#folder = folder;
    mkdirSync(folder);
    writeFileSync(join(folder, 'config.xml'), configText(folder, port, encryption));
    writeFileSync(join(folder, 'users.xml'), usersText());
  }

  async start(): Promise<void> {
    const config = `--config-file=${join(this.#folder, 'config.xml')}`;
    this.#process = spawn(PROGRAM, [config], { cwd: this.#folder, stdio: 'ignore' });
    try {
      await untilAnswers(this.url, this.#process);
    } catch (cause) {
      const told = readFileSync(join(this.#folder, 'errors'), 'utf8');
      throw new Error(`${PROGRAM} did not start: ${told}`, { cause });
    }
  }

  /** Runs a statement as its owner would; the text of the answer. */
  async query(sql: string): Promise<string> {
    const login = new URLSearchParams({ user: 'owner', password: 'owns' });
    const answer = await fetch(`${this.url}/?${login}`, { method: 'POST', body: sql });
    const text = await answer.text();
    if (!answer.ok) throw new Error(text);
    return text.trim();
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

/** What the engine is opened with, whose rows the installed engine stages. */
export function optionsOf(shards: readonly (readonly string[])[]): ClickHouseOptions {
  return {
    ...{ shards, database: DATABASE, writer: WRITER, reader: READER },
    ...{ connectionsMax: 8, timeoutMs: 60_000 },
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
