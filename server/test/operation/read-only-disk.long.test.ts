/** A disk that turns read-only under a running server, as ext4 does after an error of the disk. */

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openControlStore } from '../../src/open-home.ts';
import { writing } from '../writing.ts';
import { type FailingDisk, mountFailingDisk } from './failing-disk.ts';
import {
  type Home,
  makeHome,
  ROWS_PATH,
  type ServerProcess,
  startServer,
} from './server-process.ts';

const UNAVAILABLE = { status: 503, body: '{"detail":"Service unavailable"}' };

const probe = mountFailingDisk(16);
probe?.remove();
if (probe === null) {
  console.warn('not tested: a disk that turns read-only; only root on Linux can make one fail');
}

describe.skipIf(probe === null)('on a disk that turns read-only', () => {
  let disk: FailingDisk;
  let home: Home;
  let server: ServerProcess;
  beforeEach(async () => {
    disk = mountFailingDisk(1024) as FailingDisk;
    home = await makeHome(3000, 20, disk.path);
    const store = await openControlStore({ home: home.path });
    for (const { accountId } of await store.accounts.list(0, 10)) {
      await writing(store).accounts.update(accountId, { isAdmin: true });
    }
    await store.close();
    server = await startServer(home);
  });
  afterEach(async () => {
    server.child.kill('SIGKILL');
    await server.ended;
    disk.remove();
  });

  const ask = async (path: string, body?: object) => {
    const answer = await fetch(`${server.url}${path}`, {
      headers: { 'x-api-key': server.key, 'content-type': 'application/json' },
      ...(body ? { method: 'POST', body: JSON.stringify(body) } : {}),
    });
    return { status: answer.status, body: await answer.text() };
  };
  const readiness = async () => {
    const answer = await fetch(`${server.operationUrl}/readyz`);
    const { problems } = (await answer.json()) as { problems: string[] };
    return { status: answer.status, problems };
  };

  it('data is served, changes are 503, and the operator is told why', async () => {
    await expect.poll(readiness).toEqual({ status: 200, problems: [] });
    disk.fail();
    for (const query of ['', '?sort=-Ticker&limit=500', '?sort=-Ticker&limit=500&offset=500']) {
      expect((await ask(`${ROWS_PATH}${query}`)).status).toBe(200);
    }
    expect(await ask('/v1/identities', { name: 'new' })).toEqual(UNAVAILABLE);
    await expect.poll(readiness).toEqual({
      status: 503,
      problems: [
        expect.stringMatching(/^store: the disk (is read-only|cannot be read or written)$/),
      ],
    });
    await expect.poll(server.stderr).toContain('The control store failed: the disk ');
    expect(server.stderr()).not.toContain('database.ts');
  });

  it('no server can be started, and it says why', async () => {
    server.child.kill('SIGKILL');
    await server.ended;
    disk.fail();
    await expect(startServer(home)).rejects.toThrow(
      `ticklake: cannot serve ${home.path}: the disk is read-only; make it writable, or use another one\n`,
    );
  });

  it('a server stops at once, and says that it could not keep everything', async () => {
    disk.fail();
    expect((await ask(ROWS_PATH)).status).toBe(200);
    server.child.kill('SIGTERM');
    expect(await server.ended).toBe(1);
    expect(server.stderr()).toMatch(/^ticklake: stopped, but .*read-only/im);
    expect(server.stderr()).not.toContain('interrupted');
  });
});
