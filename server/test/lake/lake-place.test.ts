/** The parts of a lake are in one place, and nobody writes into another one. */
import { afterEach, expect, it } from 'vitest';
import { fixedClock } from '../../src/base/clock.ts';
import { openHomeIndex, openLake } from '../../src/open-home.ts';
import { readinessProbe } from '../../src/operation/readiness.ts';
import { newFolder, runCommand } from '../command-line/run-command.ts';
import { openTestService } from '../harness.ts';

const AWAY = 's3://bucket/lake';
const TOLD = `its parts are in ${AWAY}, not in the home; correct TICKLAKE_LAKE, or move them with ticklake engine copy`;

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const clean of cleanups.splice(0).reverse()) await clean();
});

async function moveAway(home: string): Promise<void> {
  const index = openHomeIndex(home);
  const lock = await index.publishers.tryLock();
  await index.moves.changePlace(AWAY);
  await lock?.release();
  await index.close();
}

it('a lake is refused to whoever opens it in another place', async () => {
  const folder = newFolder();
  cleanups.push(folder.remove);
  const open = () => openLake({ home: folder.path }, fixedClock('2025-06-20T12:00:00Z'));
  await (await open()).close();
  await (await open()).close();
  await moveAway(folder.path);
  await expect(open()).rejects.toThrow(`the lake cannot be opened: ${TOLD}`);
  const { exitCode, stderr } = await runCommand(folder.path, 'ingest', 'eq_taq', '-');
  expect([exitCode, stderr]).toEqual([2, `ticklake: the lake cannot be opened: ${TOLD}\n`]);
});

it('a server that looks for the lake in its old place publishes nothing and is not ready', async () => {
  const service = await openTestService();
  cleanups.push(() => service.close());
  const { config, lake } = service.services;
  const readiness = readinessProbe(service.services, () => 'ok');
  const { columns } = service.dataset('eq_daily_ohlc');
  const day: Readonly<Record<string, string>> = { TradeDate: '2025-06-16', Ticker: 'AVQX' };
  const publish = () =>
    service.publish('eq_daily_ohlc', [columns.map(({ name }) => day[name] ?? null)]);
  await publish();
  await expect.poll(readiness).toMatchObject({ ready: true });
  await moveAway(config.home);
  await expect(publish()).rejects.toThrow(TOLD);
  await expect(lake.publisher.sweep()).rejects.toThrow(TOLD);
  await expect.poll(readiness).toMatchObject({
    ready: false,
    problems: [{ part: 'lake', text: TOLD }],
  });
});
