/** `ticklake mirror` as a process that is killed. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startFaultProxy } from '../../../client/test/fault-proxy.ts';
import type { TestService } from '../harness.ts';
import { PROGRAM } from '../program.ts';
import { DAYS, MirroredFolder, openTickService, plain, ticks } from './mirrored-folder.ts';
import { runRemote, urlOf } from './remote-commands.ts';

let service: TestService;
let folder: MirroredFolder;

/** Bytes received of each incomplete file. */
function arrivedBytes(): number[] {
  const paths = globSync(join(folder.path, 'eq_taq', '.arrived', '*.partial'));
  return paths.map((path) => statSync(path).size);
}

describe('a mirror that is killed', () => {
  const running: ChildProcess[] = [];
  beforeEach(async () => {
    service = await openTickService();
    folder = new MirroredFolder(service);
  });
  afterEach(async () => {
    for (const child of running.splice(0)) child.kill('SIGKILL');
    await service.close();
    folder.remove();
  });

  it('leaves the version before or after, and goes on where it ended', async () => {
    await folder.mirror();
    await service.publish('eq_taq', ticks(DAYS, 300, 3000));
    const proxy = await startFaultProxy(await urlOf(service));
    proxy.among = '/v1/files/';
    const env = { PATH: process.env.PATH, TICKLAKE_KEY: service.key, TICKLAKE_URL: proxy.url };
    try {
      // Each process gets some more bytes of the files, and then nothing until it is killed.
      for (let round = 1; round <= 2; round++) {
        // More than there are files, in case one is asked for again.
        const stalls = Array.from(
          { length: 100 },
          () => ({ kind: 'stall', atByte: 1500 }) as const,
        );
        proxy.faults.splice(0, proxy.faults.length, ...stalls);
        proxy.requests.length = 0;
        const child = spawn(process.execPath, [PROGRAM, 'mirror', folder.path, 'eq_taq'], { env });
        running.push(child);
        const ended = once(child, 'close');
        const fileRequests = () => proxy.requests.filter(({ path }) => path.includes('/files/'));
        await expect.poll(arrivedBytes).toEqual(Array(3).fill(1500 * round));
        if (round > 1) {
          for (const { headers } of fileRequests()) expect(headers.range).toMatch(/^bytes=\d+-$/);
        }
        child.kill('SIGKILL');
        await ended;
        expect(folder.note().dataset_version).toBe(1);
        expect(plain(await folder.rows())).toEqual(plain(ticks(DAYS)));
      }
    } finally {
      await proxy.close();
    }
    expect(await folder.mirror()).toMatchObject({ dataset_version: 2, previous_version: 1 });
    expect(plain(await folder.rows())).toEqual(plain(ticks(DAYS, 300, 3000)));
    expect(readdirSync(join(folder.path, 'eq_taq')).sort()).toEqual([
      '.lock',
      'current',
      'v1',
      'v2',
    ]);
  });

  it('is updated by one process at a time', async () => {
    await folder.mirror();
    const proxy = await startFaultProxy(await urlOf(service));
    proxy.among = '/v1/bulk/';
    proxy.faults.push({ kind: 'stall', atByte: 0 });
    const env = { PATH: process.env.PATH, TICKLAKE_KEY: service.key, TICKLAKE_URL: proxy.url };
    const child = spawn(process.execPath, [PROGRAM, 'mirror', folder.path, 'eq_taq'], { env });
    running.push(child);
    const ended = once(child, 'close');
    await expect.poll(() => proxy.requests.some(({ path }) => path.includes('/bulk/'))).toBe(true);
    const { exitCode, stderr } = await runRemote(service, 'mirror', folder.path, 'eq_taq');
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('another process')]);
    child.kill('SIGKILL');
    await ended;
    await proxy.close();
    await folder.mirror();
  });
});
