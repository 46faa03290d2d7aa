/** Watches a server while clients ask very often, and mostly read nothing. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sampledRuns } from '../repetitions.ts';
import { ROWS_PATH, type ServerProcess } from './server-process.ts';

const CLIENT = join(import.meta.dirname, 'flood-client.ts');

/** Requests that others make during the flood, one after another; the server keeps serving them. */
const ROUNDS = sampledRuns(200);

export interface Flood {
  readonly connectionCount: number;
  /** Requests of each connection, all sent at once. */
  readonly requestCount: number;
  readonly target: string;
  /** Reads, and asks the same on a new connection for each that was answered. */
  readonly reads?: boolean;
  /** Addresses that the connections come from; one unless given. */
  readonly addressCount?: number;
}

export interface FloodReport {
  /** Peak of the resident memory, in bytes, since the server was started. */
  readonly peakBytes: number;
  /** Statuses that others received during the flood. */
  readonly otherStatuses: ReadonlySet<number>;
}

/** Peak of a process's resident memory, in bytes; as Linux tells it. */
export function peakBytesOf(pid: number | undefined): number {
  const [, kilobytes] =
    /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes) * 1024;
}

async function statusOf(url: string, key: string): Promise<number> {
  const answer = await fetch(url, { headers: { 'x-api-key': key } });
  await answer.text();
  return answer.status;
}

/** Resolves once a process of its own asks on all connections; killing it closes them. */
export async function startFlood(port: string, attack: Flood, key = ''): Promise<ChildProcess> {
  const words = [CLIENT, port, JSON.stringify(attack), key];
  const client = spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(client.stdout, 'data');
  return client;
}

/** Floods the server and watches how it bears it; the flood's connections are closed at the end. */
export async function flood(
  server: ServerProcess,
  attack: Flood,
  key?: string,
): Promise<FloodReport> {
  const client = await startFlood(new URL(server.url).port, attack, key);
  const otherStatuses = new Set<number>();
  const urls = [`${server.operationUrl}/healthz`, `${server.url}${ROWS_PATH}?limit=10`];
  try {
    for (let round = 0; round < ROUNDS; round++) {
      for (const url of urls) otherStatuses.add(await statusOf(url, server.key));
    }
  } finally {
    client.kill('SIGKILL');
  }
  return { peakBytes: peakBytesOf(server.child.pid), otherStatuses };
}
