/** Parameters and helpers that the tests of every kind of control store share. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach } from 'vitest';
import type { ControlStore } from '../../../src/store/control-store.ts';

export interface ControlStoreKind {
  /** Exports `openStore`, for other processes: absolute path of a module. */
  readonly module: string;
  /** Another connection to the store at a location, which is made where there is none. */
  openStore(location: string): Promise<ControlStore>;
  /** A location without a store. */
  newLocation(): Promise<string>;
  remove(location: string): Promise<void>;
}

const WORKER = join(import.meta.dirname, 'store-worker.ts');

/** Another process that has the store open. */
export class StoreProcess {
  readonly child: ChildProcess;
  readonly #output: Promise<string>;

  constructor(words: readonly string[]) {
    this.child = spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'inherit'] });
    if (!this.child.stdout) throw new Error('there is no output');
    this.#output = text(this.child.stdout);
  }

  /** The task's result, once the process has ended. */
  async result<T>(): Promise<T> {
    const output = await this.#output;
    if (output === '') throw new Error('another process failed');
    return JSON.parse(output);
  }

  async end(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    this.child.kill('SIGKILL');
    await once(this.child, 'exit');
  }
}

/** Stores of a kind, closed and removed after each test. */
export function storesOf(kind: ControlStoreKind) {
  const opened: ControlStore[] = [];
  const locations: string[] = [];
  const processes: StoreProcess[] = [];

  afterEach(async () => {
    for (const one of processes.splice(0)) await one.end();
    for (const store of opened.splice(0)) await store.close();
    for (const location of locations.splice(0)) await kind.remove(location);
  });

  const open = async (location: string): Promise<ControlStore> => {
    const store = await kind.openStore(location);
    opened.push(store);
    return store;
  };
  const newLocation = async (): Promise<string> => {
    const location = await kind.newLocation();
    locations.push(location);
    return location;
  };
  return {
    open,
    newLocation,
    /** A fresh store as two clients have it open. */
    openTwice: async (): Promise<{ store: ControlStore; other: ControlStore }> => {
      const location = await newLocation();
      return { store: await open(location), other: await open(location) };
    },
    /** Does a task of `store-worker.ts` on the last store, in a process of its own. */
    begin: (task: string, ...words: (string | number)[]): StoreProcess => {
      const place = locations.at(-1) ?? '';
      const one = new StoreProcess([WORKER, kind.module, place, task, ...words.map(String)]);
      processes.push(one);
      return one;
    },
  };
}

export type Stores = ReturnType<typeof storesOf>;
