/**
 * What a story is told to: one server on a home or, as the environment of the test run says, several behind a
 * load balancer that have nothing of it.
 */
import { readFileSync } from 'node:fs';
import { demoKeyFile } from '@ticklake/demo/demo-account.ts';
import { type Home, startServer } from '../operation/server-process.ts';
import { BalancedServers } from './balanced-servers.ts';

/** A name of its own, as of the store of tests. */
const COUNT = 'TICKLAKE_TEST_SERVERS';

export interface Service {
  readonly url: string;
  /** Of the demo account of the home; throws in homes without it. */
  readonly key: string;
  /** Ends all of it. */
  end(signal: NodeJS.Signals): Promise<void>;
}

/** Has all that is started from now on be so many servers. */
export function useServers(count: number): void {
  process.env[COUNT] = `${count}`;
}

export async function startService(home: Home): Promise<Service> {
  const count = Number(process.env[COUNT] ?? 1);
  const { url, end } = count > 1 ? await startBalanced(count) : await startOne(home);
  return {
    url,
    end,
    get key() {
      return readFileSync(demoKeyFile(home.path), 'utf8').trim();
    },
  };
}

async function startOne(home: Home): Promise<Pick<Service, 'url' | 'end'>> {
  const { url, child, ended } = await startServer(home);
  return {
    url,
    end: async (signal) => {
      child.kill(signal);
      await ended;
    },
  };
}

async function startBalanced(count: number): Promise<Pick<Service, 'url' | 'end'>> {
  const balanced = await BalancedServers.start(count);
  return { url: balanced.url, end: (signal) => balanced.end(signal) };
}
