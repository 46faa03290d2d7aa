/** The product's own server in a process of its own, as its package ships it. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { builtProgram } from '../../scripts/built-program.ts';
import type { Config } from '../src/settings/config.ts';
import { Client } from './client.ts';
import { demoKey } from './data/data-set.ts';

/**
 * `reading`: what is measured is reading, so no page that was sent before is kept.
 */
type Measured = 'reading' | 'default';
const READING: Partial<Config> = { pageCacheBytes: 0 };
const PROGRAM_WITH_LIMITS = join(import.meta.dirname, '../test/program-with-limits.ts');

export interface Service {
  /** With the version prefix. */
  readonly url: string;
  readonly key: string;
  readonly process: ChildProcess;
  /** Bytes that the process has in memory; NaN where the system does not tell. */
  residentBytes(): number;
  /** Processor time that all its threads have taken so far, in steps of 10 ms; NaN likewise. */
  cpuMs(): number;
  stop(): Promise<void>;
}

function residentBytes(pid: number | undefined): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) * 1024;
  } catch {
    return Number.NaN;
  }
}

const CLOCK_TICK_MS = 10;

function cpuMs(pid: number | undefined): number {
  try {
    // The program's name, in brackets, may hold anything; user and system time come after it.
    const [, after = ''] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ');
    const [user, system] = after.split(' ').slice(11);
    return (Number(user) + Number(system)) * CLOCK_TICK_MS;
  } catch {
    return Number.NaN;
  }
}

async function addressOf(child: ChildProcess): Promise<string> {
  let said = '';
  for await (const chunk of child.stdout ?? []) {
    said += chunk;
    const address = /listening on (http:\S+)/.exec(said)?.[1];
    if (address) return address;
  }
  throw new Error(`the server ended before it listened: ${said}`);
}

/** Resolves when the server listens. */
export async function startService(
  home: string,
  measured: Measured,
  more: Readonly<Record<string, string>> = {},
): Promise<Service> {
  const settings = { HOST: '127.0.0.1', PORT: '0', TICKLAKE_HOME: home };
  const program = measured === 'reading' ? PROGRAM_WITH_LIMITS : builtProgram();
  const child = spawn(process.execPath, [program, 'serve'], {
    // As the launcher starts it.
    env: {
      MALLOC_ARENA_MAX: `${cpus().length}`,
      DUCKDB_JE_MALLOC_CONF: `narenas:${Math.ceil(cpus().length / 2)},oversize_threshold:327680`,
      ...process.env,
      TEST_LIMITS: JSON.stringify(READING),
      ...settings,
      ...more,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const address = await addressOf(child);
  child.stdout?.resume();
  return {
    url: `${address}/v1`,
    key: demoKey(home),
    process: child,
    residentBytes: () => residentBytes(child.pid),
    cpuMs: () => cpuMs(child.pid),
    stop: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const exited = once(child, 'exit');
      child.kill('SIGTERM');
      await exited;
    },
  };
}

/**
 * Runs `use` against a server without earlier requests, then stops it: a home has one server at a
 * time.
 */
export async function withService<T>(
  home: string,
  measured: Measured,
  use: (service: Service, client: Client) => Promise<T>,
  more: Readonly<Record<string, string>> = {},
): Promise<T> {
  const service = await startService(home, measured, more);
  const client = new Client(service);
  try {
    return await use(service, client);
  } finally {
    client.close();
    await service.stop();
  }
}
