/** Three servers with empty homes over one store in PostgreSQL and one lake in object storage. */
import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { demoKeyFile } from '@ticklake/demo/demo-account.ts';
import { openControlStore } from '../../src/open-home.ts';
import { readConfig } from '../../src/settings/config.ts';
import {
  type Home,
  makeHome,
  type ServerProcess,
  startServer,
} from '../operation/server-process.ts';
import { placeEnvironment, useStore } from '../place-of-tests.ts';
import { isPostgresMissing, TestPostgres } from '../postgres/start-postgres.ts';
import { writing } from '../writing.ts';
import { objectStoreProblem, TestObjectStore } from './start-object-store.ts';

const NODES = ['first', 'second', 'third'];

export const areNodesMissing = objectStoreProblem() !== null || isPostgresMissing();

export class ThreeNodes {
  /** For files of the test's own. */
  readonly folder = mkdtempSync(join(tmpdir(), 'ticklake-nodes-'));
  readonly homes: Home[] = [];
  readonly servers: ServerProcess[] = [];
  readonly #objects: TestObjectStore;
  readonly #postgres: TestPostgres;
  readonly #made: Home;

  private constructor(objects: TestObjectStore, postgres: TestPostgres, made: Home) {
    this.#objects = objects;
    this.#postgres = postgres;
    this.#made = made;
  }

  /** With the rows and the account of `makeHome`; the account administers, too. */
  static async start(): Promise<ThreeNodes> {
    const objects = await TestObjectStore.start();
    const postgres = await TestPostgres.start();
    Object.assign(process.env, objects.environment('nodes/lake'));
    useStore(postgres.url(await postgres.newDatabase()));
    const nodes = new ThreeNodes(objects, postgres, await makeHome(50, 5));
    const store = await openControlStore({
      ...readConfig(placeEnvironment()),
      home: nodes.#made.path,
    });
    await writing(store).identities.update(1, { isAdmin: true });
    await store.close();
    for (const name of NODES) {
      const path = join(nodes.folder, name);
      mkdirSync(path);
      // The client's own copy of the key, where the tool of the tests looks for it.
      copyFileSync(demoKeyFile(nodes.#made.path), join(path, basename(demoKeyFile(path))));
      const home = { path, remove: () => undefined };
      nodes.homes.push(home);
      nodes.servers.push(await startServer(home));
    }
    return nodes;
  }

  /** Asks one of them, by its number, which may be any. */
  fetch(at: number, path: string, init: RequestInit = {}): Promise<Response> {
    const { url, key } = this.servers[at % NODES.length] as ServerProcess;
    return fetch(`${url}${path}`, { ...init, headers: { 'x-api-key': key, ...init.headers } });
  }

  async kill(at: number): Promise<void> {
    const { child, ended } = this.servers[at] as ServerProcess;
    child.kill('SIGKILL');
    await ended;
  }

  async startAgain(at: number): Promise<void> {
    this.servers[at] = await startServer(this.homes[at] as Home);
  }

  async stop(): Promise<void> {
    for (const { child, ended } of this.servers) {
      child.kill('SIGTERM');
      await ended;
    }
    await this.#objects.stop();
    await this.#postgres.remove();
    this.#made.remove();
    rmSync(this.folder, { recursive: true });
  }
}
