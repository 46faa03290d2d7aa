/**
 * The deployment that runs a story: one server on a home or, as the environment of the test run
 * says, several behind a load balancer that share no home.
 */
import { readFileSync } from 'node:fs';
import { demoKeyFile } from '@ticklake/demo/demo-home.ts';
import { type Home, type ServerProcess, startServer } from '../operation/server-process.ts';
import { until } from '../until.ts';
import { BalancedServers } from './balanced-servers.ts';

/** A name of its own, as of the store of tests. */
const COUNT = 'TICKLAKE_TEST_SERVERS';

export interface Service {
  readonly url: string;
  /** The demo account's key; throws in homes without it. */
  readonly key: string;
  /** Resolves once the store has all that was counted before. */
  settled(): Promise<void>;
  /** Ends all of it. */
  end(signal: NodeJS.Signals): Promise<void>;
}

/** Has all that is started from now on be so many servers. */
export function useServers(count: number): void {
  process.env[COUNT] = `${count}`;
}

export async function startService(home: Home): Promise<Service> {
  const count = Number(process.env[COUNT] ?? 1);
  const started = count > 1 ? await startBalanced(count) : await startOne(home);
  return {
    ...started,
    get key() {
      return readFileSync(demoKeyFile(home.path), 'utf8').trim();
    },
  };
}

async function isSettled({ operationUrl }: ServerProcess): Promise<boolean> {
  const metrics = await (await fetch(`${operationUrl}/metrics`)).text();
  return /^ticklake_usage_pending_requests 0$/m.test(metrics);
}

async function startOne(home: Home): Promise<Omit<Service, 'key'>> {
  const server = await startServer(home);
  const { url, child, ended } = server;
  return {
    url,
    settled: () => until(() => isSettled(server)),
    end: async (signal) => {
      child.kill(signal);
      await ended;
    },
  };
}

async function startBalanced(count: number): Promise<Omit<Service, 'key'>> {
  const balanced = await BalancedServers.start(count);
  return {
    url: balanced.url,
    settled: async () => {
      for (const server of balanced.servers) await until(() => isSettled(server));
    },
    end: (signal) => balanced.end(signal),
  };
}
