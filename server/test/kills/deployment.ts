/** Two nodes and a publisher, each a process with a home of its own, that share what they store. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generateKey, hashKey, keyReference } from '../../src/access/api-key.ts';
import { openControlStore } from '../../src/open-home.ts';
import { readConfig } from '../../src/settings/config.ts';
import { UNLIMITED } from '../../src/store/accounts.ts';
import type { ControlStore } from '../../src/store/control-store.ts';
import { type ServerProcess, startServer, withLimits } from '../operation/server-process.ts';
import { placeEnvironment } from '../place-of-tests.ts';
import { DATASET_IDS } from './loads.ts';

const PROGRAM = join(import.meta.dirname, 'publish-loads.ts');
const DAY_MS = 86_400_000;
/** A publisher that was killed may have begun some that it could not tell of. */
const LOADS_APART = 100;
/** A request of these accounts passes so often in a minute, over all nodes. */
export const LIMIT_OF_MINUTE = 30;

export const ACCOUNTS = ['operator', 'reader', 'changed', 'limited'] as const;
export type AccountName = (typeof ACCOUNTS)[number];

export interface Account {
  readonly accountId: number;
  readonly key: string;
}

/** Reports of a publisher. */
export class Loads {
  begun = 0;
  published = 0;
  readonly failed = new Set<number>();

  read(line: string): void {
    const [word, number] = line.split(' ');
    const load = Number(number);
    if (word === 'began') this.begun = load;
    if (word === 'published') this.published = load;
    if (word === 'failed') this.failed.add(load);
  }
}

async function endOf(child: ChildProcess): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
}

export class Deployment {
  readonly loads = new Loads();
  /** Null: it is dead. */
  readonly nodes: (ServerProcess | null)[] = [null, null];
  readonly #folder = mkdtempSync(join(tmpdir(), 'ticklake-kills-'));
  #accounts: Readonly<Record<string, Account>> = {};
  #publisher: ChildProcess | null = null;
  #isClosed = false;

  /** The places that nodes share must be running, with their addresses in the environment. */
  static async open(): Promise<Deployment> {
    const made = new Deployment();
    mkdirSync(join(made.#folder, 'lake'));
    for (const name of ['0', '1', 'publisher']) {
      const home = made.#home(name);
      mkdirSync(home);
      // As on a share of the network, unless parts lie in object storage.
      if (process.env.TICKLAKE_LAKE === undefined) {
        symlinkSync(join(made.#folder, 'lake'), join(home, 'lake'));
      }
    }
    made.#accounts = await made.#makeAccounts();
    await made.startNode(0);
    await made.startNode(1);
    made.startPublisher();
    return made;
  }

  #home(name: string): string {
    return join(this.#folder, name);
  }

  account(name: AccountName): Account {
    const account = this.#accounts[name];
    if (!account) throw new Error(`there is no account ${name}`);
    return account;
  }

  /** The store, as another process sees it. */
  async withStore<T>(work: (store: ControlStore) => Promise<T>): Promise<T> {
    const home = this.#home('publisher');
    const store = await openControlStore({ ...readConfig(placeEnvironment()), home });
    try {
      return await work(store);
    } finally {
      await store.close();
    }
  }

  async startNode(at: number): Promise<void> {
    const home = { path: this.#home(`${at}`), remove: () => undefined };
    this.nodes[at] = await startServer(home, {
      // A slow answer is none that is wrong.
      TICKLAKE_QUERY_TIMEOUT_MS: '3600000',
      ...withLimits({
        // No past reading of the store is good enough: every answer needs its current contents.
        storeGraceMs: 0,
        // One of them reads each part from where it lies.
        ...(at === 0 ? {} : { lakeCacheBytesMax: 0 }),
      }),
    });
  }

  async killNode(at: number): Promise<void> {
    const node = this.nodes[at];
    this.nodes[at] = null;
    node?.child.kill('SIGKILL');
    await node?.ended;
  }

  startPublisher(): void {
    const first = this.loads.begun + LOADS_APART;
    const { PATH } = process.env;
    const home = this.#home('publisher');
    const child = spawn(process.execPath, [PROGRAM, `${first}`], {
      env: { PATH, TICKLAKE_HOME: home, ...placeEnvironment() },
      // The publisher exits with a message if its storage is away.
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    this.#publisher = child;
    let rest = '';
    child.stdout.on('data', (chunk) => {
      const lines = `${rest}${chunk}`.split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) this.loads.read(line);
    });
    child.once('exit', (code) => {
      // The publisher could not open its storage: restart it, as a supervisor would.
      if (code !== null && this.#publisher === child && !this.#isClosed) this.startPublisher();
    });
  }

  async killPublisher(): Promise<void> {
    const child = this.#publisher;
    this.#publisher = null;
    if (!child) return;
    child.kill('SIGKILL');
    await endOf(child);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.killPublisher();
    for (const at of this.nodes.keys()) await this.killNode(at);
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async #makeAccounts(): Promise<Record<string, Account>> {
    return await this.withStore((store) =>
      store.transaction(async ({ accounts, keys, rules }) => {
        const made: Record<string, Account> = {};
        const createdAtMs = Date.now();
        for (const name of ACCOUNTS) {
          const minute = { ...UNLIMITED.minute, requests: LIMIT_OF_MINUTE };
          const accountId = await accounts.create({
            ...{ name, createdAtMs, isAdmin: name === 'operator', ipSubnets: [] },
            maxActiveApiKeys: 1000,
            limits: name === 'limited' ? { ...UNLIMITED, minute } : UNLIMITED,
          });
          const key = generateKey();
          await keys.create({
            ...{ accountId, name, createdAtMs, expiresAtMs: createdAtMs + DAY_MS },
            ...{ hash: hashKey(key), reference: keyReference(key) },
          });
          if (name !== 'changed') {
            for (const datasetId of DATASET_IDS) {
              const always = { startDate: '1900-01-01', endDate: null, universe: [] };
              await rules.add({ accountId, datasetId, ...always });
            }
          }
          made[name] = { accountId, key };
        }
        return made;
      }),
    );
  }
}
