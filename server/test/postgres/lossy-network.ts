/** A way to a PostgreSQL that ends the connection when a commit, or another statement, is on its way. */
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestPostgres } from './start-postgres.ts';

const SOCKET = '.s.PGSQL.5432';

/**
 * Ends the connection at the first commit, or what else has the `mark` in its text: its answer is lost or, unless
 * `passes` lets it through by its count from 1 on, the statement itself. `meanwhile`: what happens before the end, by
 * default until the server has answered.
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
