/** Measures a server while clients ask very often and read nothing. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { ROWS_PATH, type ServerProcess } from './server-process.ts';

const CLIENT = join(import.meta.dirname, 'flood-client.ts');
const PROBE_EVERY_MS = 20;

export interface Flood {
  readonly connectionCount: number;
  /** Requests of each connection, all sent at once. */
  readonly requestCount: number;
  readonly target: string;
  /** Time that it is watched for after everything was sent. */
  readonly watchMs: number;
}

export interface FloodReport {
  /** Peak of the resident memory, in bytes, since the server was started. */
  readonly peakBytes: number;
  /** Time within which the operation listener gave nine of ten answers. */
  readonly usualHealthMs: number;
  /** Answers that another client got meanwhile, by status. */
  readonly otherStatuses: ReadonlyMap<number, number>;
}

/** Peak of a process's resident memory, in bytes; as Linux tells it. */
function peakBytesOf(pid: number | undefined): number {
  const [, kilobytes] =
    /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes) * 1024;
}

async function probeHealth({ operationUrl }: ServerProcess): Promise<number> {
  const startMs = performance.now();
  await (await fetch(`${operationUrl}/healthz`)).text();
  return performance.now() - startMs;
}

async function askForRows({ url, key }: ServerProcess): Promise<number> {
  const answer = await fetch(`${url}${ROWS_PATH}?limit=10`, { headers: { 'x-api-key': key } });
  await answer.text();
  return answer.status;
}

/** The least time that nine of ten did not exceed: one pause of a busy machine is not the server's. */
function usualOf(durationsMs: readonly number[]): number {
  return durationsMs.toSorted((a, b) => a - b)[Math.floor(durationsMs.length * 0.9)] ?? Infinity;
}

/** Repeats `work` until the signal is aborted. */
async function repeat(work: () => Promise<void>, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await work();
    await wait(PROBE_EVERY_MS);
  }
}

/** Floods the server and watches how it bears it; the flood's connections are closed at the end. */
export async function flood(server: ServerProcess, attack: Flood): Promise<FloodReport> {
  const { connectionCount, requestCount, target, watchMs } = attack;
  const { port } = new URL(server.url);
  const healthMs: number[] = [];
  const otherStatuses = new Map<number, number>();
  const end = new AbortController();
  const probes = [
    repeat(async () => {
      healthMs.push(await probeHealth(server));
    }, end.signal),
    repeat(async () => {
      const status = await askForRows(server);
      otherStatuses.set(status, (otherStatuses.get(status) ?? 0) + 1);
    }, end.signal),
  ];
  const words = [CLIENT, port, `${connectionCount}`, `${requestCount}`, target];
  const client = spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    await once(client.stdout, 'data');
    await wait(watchMs);
  } finally {
    client.kill('SIGKILL');
    end.abort();
    await Promise.all(probes);
  }
  const peakBytes = peakBytesOf(server.child.pid);
  return { peakBytes, usualHealthMs: usualOf(healthMs), otherStatuses };
}
