/**
 * A real PostgreSQL for tests: Debian's, or the one at TICKLAKE_POSTGRES_PROGRAMS. It has its own
 * data folder and socket, and no network port unless asked for.
 */
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { addressOf, type PostgresAddress } from '../../src/store/postgres/address.ts';
import { PostgresDatabase } from '../../src/store/postgres/database.ts';
import { StoreUnavailableError } from '../../src/store/store-errors.ts';
import { until } from '../until.ts';

const DEBIAN = '/usr/lib/postgresql';
const MAJOR_MIN = 14;
/** In place of the minute of pg_ctl, which a busy machine may take. */
const PATIENCE = ['-t', '1800'];
const IS_REQUIRED = process.env.TICKLAKE_POSTGRES === 'required';

/** The program folder: the configured one, else the newest from Debian; null if there is none. */
function findPrograms(): string | null {
  const named = process.env.TICKLAKE_POSTGRES_PROGRAMS;
  if (named !== undefined) return named;
  const majors = existsSync(DEBIAN) ? readdirSync(DEBIAN).map(Number) : [];
  const newest = Math.max(0, ...majors.filter((major) => major >= MAJOR_MIN));
  return newest === 0 ? null : join(DEBIAN, `${newest}`, 'bin');
}

const PROGRAMS = findPrograms();

/** Tests of PostgreSQL are skipped where it is missing, unless `TICKLAKE_POSTGRES=required`. */
export function isPostgresMissing(): boolean {
  if (PROGRAMS !== null) return false;
  const text = `PostgreSQL ${MAJOR_MIN} or later is missing (Debian: apt-get install postgresql)`;
  if (IS_REQUIRED) throw new Error(text);
  console.warn(`skipped: ${text}`);
  return true;
}

/** PostgreSQL refuses to run as root; Debian's package has a user for it. */
function commandOf(program: string, words: readonly string[]): [string, string[]] {
  const path = join(PROGRAMS ?? '', program);
  if (userInfo().uid !== 0) return [path, [...words]];
  return ['runuser', ['-u', 'postgres', '--', path, ...words]];
}

/** Directly as that user, so that signals reach the server and nothing between. */
function userOfServer(): { readonly uid?: number; readonly gid?: number } {
  if (userInfo().uid !== 0) return {};
  const idOf = (option: string) =>
    Number(execFileSync('id', [option, 'postgres'], { encoding: 'utf8' }));
  return { uid: idOf('-u'), gid: idOf('-g') };
}

function runProgram(program: string, ...words: string[]): void {
  const [command, given] = commandOf(program, words);
  execFileSync(command, given, { stdio: ['ignore', 'ignore', 'inherit'] });
}

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'ticklake-postgres-'));
  if (userInfo().uid === 0) execFileSync('chown', ['postgres:', folder]);
  chmodSync(folder, 0o755);
  return folder;
}

let initialized: string | null = null;

/** The data folder of a server that has never run, made once for a process. */
function initializedData(): string {
  if (initialized !== null) return initialized;
  const home = newFolder();
  process.once('exit', () => rmSync(home, { recursive: true, force: true }));
  initialized = join(home, 'data');
  const words = ['--auth=trust', '--username=postgres', '--encoding=UTF8', '--no-sync'];
  runProgram('initdb', ...words, '--locale=C.UTF-8', '--pgdata', initialized);
  return initialized;
}

export interface StartOptions {
  /** Lines of `postgresql.conf`. Commits do not wait for the disk unless they say so. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Lines of `pg_hba.conf` that go before those that trust everybody. */
  readonly access?: readonly string[];
}

/** A server that can be stopped, killed and started again on the same data. */
export class TestPostgres {
  /** Folder of the server's socket. */
  readonly folder: string;
  readonly #home: string;
  readonly #settings: Readonly<Record<string, string>>;
  readonly #emptied: string[] = [];
  #child: ChildProcess | null = null;

  private constructor(home: string, folder: string, settings: Readonly<Record<string, string>>) {
    this.#home = home;
    this.folder = folder;
    this.#settings = settings;
  }

  static async start({ settings = {}, access = [] }: StartOptions = {}): Promise<TestPostgres> {
    const folder = newFolder();
    const server = new TestPostgres(folder, folder, settings);
    execFileSync('cp', ['-a', initializedData(), server.dataFolder]);
    const file = join(server.dataFolder, 'pg_hba.conf');
    writeFileSync(file, [...access, readFileSync(file, 'utf8')].join('\n'));
    await server.start();
    return server;
  }

  /**
   * A standby of this server, not started, at the same address. Copied while the server is stopped,
   * as not all builds can copy a running one.
   */
  async newStandby(): Promise<TestPostgres> {
    const { port = '5432' } = this.#settings;
    const standby = new TestPostgres(newFolder(), this.folder, {
      ...this.#settings,
      primary_conninfo: `host=${this.folder} port=${port} user=postgres`,
    });
    await this.stop();
    execFileSync('cp', ['-a', this.dataFolder, standby.dataFolder]);
    writeFileSync(join(standby.dataFolder, 'standby.signal'), '');
    await this.start();
    return standby;
  }

  get dataFolder(): string {
    return join(this.#home, 'data');
  }

  /** The address of a database for `TICKLAKE_STORE`. */
  url(database: string, user = 'postgres'): string {
    const { port = '5432' } = this.#settings;
    return `postgres://${user}@socket:${port}/${database}?host=${this.folder}`;
  }

  address(database: string, user = 'postgres'): PostgresAddress {
    return addressOf(this.url(database, user)) as PostgresAddress;
  }

  /** Runs statements one by one, as the user who may do everything. */
  async execute(database: string, ...statements: readonly string[]): Promise<void> {
    const connected = new PostgresDatabase(this.address(database), 1);
    try {
      for (const sql of statements) await connected.run(sql);
    } finally {
      await connected.close();
    }
  }

  /** The name of a database that nobody else has. */
  async newDatabase(): Promise<string> {
    const name = `test_${randomUUID().replaceAll('-', '')}`;
    const free = this.#emptied.pop();
    // Renaming fails where a process of an earlier test is still connected.
    const making = free ? `ALTER DATABASE ${free} RENAME TO ${name}` : `CREATE DATABASE ${name}`;
    await this.execute('postgres', making);
    return name;
  }

  /** Restores a dump of a database into another one, as `docs/postgresql.md` says. */
  async copyDatabase(name: string): Promise<string> {
    const copy = await this.newDatabase();
    const file = join(this.folder, `${copy}.dump`);
    const to = ['--host', this.folder, '--port', this.#settings.port ?? '5432', '-U', 'postgres'];
    runProgram('pg_dump', ...to, '--format=custom', '--schema=ticklake', `--file=${file}`, name);
    runProgram('pg_restore', ...to, '--dbname', copy, file);
    return copy;
  }

  /** Removes the store, for another one: making a database takes longer than emptying it. */
  async emptyDatabase(name: string): Promise<void> {
    // Connections of killed processes may still hold locks.
    const others = 'datname = current_database() AND pid <> pg_backend_pid()';
    const ending = `SELECT pg_terminate_backend(pid, 300000) FROM pg_stat_activity WHERE ${others}`;
    await this.execute(name, ending, 'DROP SCHEMA IF EXISTS ticklake CASCADE');
    this.#emptied.push(name);
  }

  /** Nothing happens where it runs. `more`: further lines of `postgresql.conf`. */
  async start(more: Readonly<Record<string, string>> = {}): Promise<void> {
    if (this.#child) return;
    const settings = {
      ...{ listen_addresses: '', unix_socket_directories: this.folder, fsync: 'off' },
      ...{ shared_buffers: '32MB', max_connections: '100', log_min_messages: 'panic' },
      ...{ ...this.#settings, ...more },
    };
    const words = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    this.#child = spawn(join(PROGRAMS ?? '', 'postgres'), ['-D', this.dataFolder, ...words], {
      ...{ cwd: '/', stdio: 'ignore', ...userOfServer() },
    });
    await this.#answers();
  }

  /** Makes a standby that runs the one that takes changes. */
  async promote(): Promise<void> {
    runProgram('pg_ctl', 'promote', '-D', this.dataFolder, '-s', '-w', ...PATIENCE);
  }

  /** Ends it at once, as a machine that loses its power does. */
  async kill(): Promise<void> {
    await this.#end('SIGQUIT');
  }

  /** Kills every process of it, without a chance to do anything more. */
  async killAll(): Promise<void> {
    const child = this.#child;
    this.#child = null;
    if (!child || child.exitCode !== null) return;
    const ended = once(child, 'exit');
    const killed = this.#signalAll('SIGKILL');
    await ended;
    // The next start is refused while one of them holds the shared memory.
    await until(() => !runs(killed));
  }

  /**
   * Kills a process that serves a connection. The server then ends all others and recovers by
   * itself.
   */
  async killOne(choose: (processes: readonly number[]) => number): Promise<void> {
    const connected = new PostgresDatabase(this.address('postgres'), 1);
    try {
      await until(async () => {
        const rows = await connected.all<{ readonly pid: number }>(
          `SELECT pid FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()`,
        );
        return rows.length > 0 && isKilled(choose(rows.map(({ pid }) => pid)));
      });
    } finally {
      await connected.close();
    }
  }

  /** Ends connections and then the server. */
  async stop(): Promise<void> {
    await this.#end('SIGINT');
  }

  /** Keeps it from doing anything, as a network does that swallows everything. */
  freeze(): void {
    this.#signalAll('SIGSTOP');
  }

  thaw(): void {
    this.#signalAll('SIGCONT');
  }

  /** The processes that got it. */
  #signalAll(signal: NodeJS.Signals): readonly string[] {
    const [main = ''] = readFileSync(join(this.dataFolder, 'postmaster.pid'), 'utf8').split('\n');
    // From here on, it makes no new ones, and whoever ends keeps its number.
    process.kill(Number(main), 'SIGSTOP');
    const listed = execFileSync('ps', ['-o', 'pid=', '--ppid', main], { encoding: 'utf8' });
    const ids = [main, ...listed.trim().split(/\s+/)];
    for (const id of ids) process.kill(Number(id), signal);
    return ids;
  }

  async remove(): Promise<void> {
    await this.stop();
    rmSync(this.#home, { recursive: true, force: true });
  }

  async #end(signal: 'SIGINT' | 'SIGQUIT'): Promise<void> {
    const child = this.#child;
    this.#child = null;
    if (!child || child.exitCode !== null) return;
    const ended = once(child, 'exit');
    const name = signal === 'SIGQUIT' ? 'immediate' : 'fast';
    runProgram('pg_ctl', 'stop', '-D', this.dataFolder, '-m', name, '-s', ...PATIENCE);
    await ended;
  }

  async #answers(): Promise<void> {
    await until(async () => {
      try {
        await this.execute('postgres', 'SELECT 1');
        return true;
      } catch (error) {
        if (error instanceof StoreUnavailableError && error.reason.endsWith('a standby'))
          return true;
        if (this.#child?.exitCode !== null) throw error;
        return false;
      }
    });
  }
}

/** False if it has ended by itself meanwhile. */
function isKilled(id: number): boolean {
  try {
    return process.kill(id, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
    throw error;
  }
}

/** True while one of the processes runs. A zombie holds no memory and does not count. */
function runs(ids: readonly string[]): boolean {
  const listed = spawnSync('ps', ['-o', 'stat=', '-p', ids.join()], { encoding: 'utf8' });
  return listed.stdout.split('\n').some((state) => state && !state.startsWith('Z'));
}
