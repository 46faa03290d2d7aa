/**
 * A proxy to PostgreSQL that cuts the connection while a commit or another statement is under way.
 */
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestPostgres } from './start-postgres.ts';

const SOCKET = '.s.PGSQL.5432';

/**
 * Cuts the connection at the first commit, or other statement containing `mark`: the answer is
 * lost, or the statement itself unless `passes`, given its count from 1, lets it through.
 * `meanwhile` runs before the cut; by default it waits for the server's answer.
 */
export async function openLossy(
  server: TestPostgres,
  passes: (count: number) => boolean,
  meanwhile: (() => Promise<void>) | null = null,
  mark = 'COMMIT',
) {
  const folder = mkdtempSync(join(tmpdir(), 'ticklake-lossy-'));
  const sockets: Socket[] = [];
  let lostCount = 0;
  const listening = createServer((client) => {
    const behind = connect(join(server.folder, SOCKET));
    sockets.push(client, behind);
    for (const socket of [client, behind]) socket.on('error', () => undefined);
    let isLost = false;
    client.on('data', async (bytes) => {
      const isCommit = lostCount === 0 && bytes.includes(mark);
      if (!isCommit) return void behind.write(bytes);
      lostCount++;
      isLost = true;
      const isPassed = passes(lostCount);
      if (isPassed) behind.write(bytes);
      if (meanwhile) await meanwhile();
      else if (isPassed) await once(behind, 'data');
      client.destroy();
      behind.destroy();
    });
    behind.on('data', (bytes) => {
      if (!isLost) client.write(bytes);
    });
    client.on('close', () => behind.destroy());
    behind.on('close', () => isLost || client.destroy());
  });
  listening.listen(join(folder, SOCKET));
  await once(listening, 'listening');
  return {
    folder,
    get lostCount() {
      return lostCount;
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      listening.close();
      rmSync(folder, { recursive: true });
    },
  };
}
