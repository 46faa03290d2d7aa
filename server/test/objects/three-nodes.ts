/** Three servers with empty homes over one store in PostgreSQL and one lake in object storage. */
import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { demoKeyFile } from '@ticklake/demo/demo-home.ts';
import { openControlStore } from '../../src/open-home.ts';
import { readConfig } from '../../src/settings/config.ts';
import {
  type Home,
  makeHome,
  type ServerProcess,
  startServer,
} from '../operation/server-process.ts';
import { placeEnvironment } from '../place-of-tests.ts';
import { writing } from '../writing.ts';
import { SharedPlaces } from './shared-places.ts';

const NODES = ['first', 'second', 'third'];

export class ThreeNodes {
  /** For files of the test's own. */
  readonly folder = mkdtempSync(join(tmpdir(), 'ticklake-nodes-'));
  readonly homes: Home[] = [];
  readonly servers: ServerProcess[] = [];
  readonly #places: SharedPlaces;
  readonly #made: Home;

  private constructor(places: SharedPlaces, made: Home) {
    this.#places = places;
    this.#made = made;
  }

  /** With the rows and the account of `makeHome`; the account administers, too. */
  static async start(): Promise<ThreeNodes> {
    const places = await SharedPlaces.start('nodes/lake');
    const nodes = new ThreeNodes(places, await makeHome(50, 5));
    const store = await openControlStore({
      ...readConfig(placeEnvironment()),
      home: nodes.#made.path,
    });
    await writing(store).accounts.update(1, { isAdmin: true });
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
    await this.#places.stop();
    this.#made.remove();
    rmSync(this.folder, { recursive: true });
  }
}
