/** Alerts that need an owner's attention, over HTTP and at the command line. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { noteBackup } from '../../src/backup/back-up.ts';
import type { CellValue } from '../../src/engine/columns.ts';
import { batchOfRows } from '../../src/engine/columns.ts';
import { UNLIMITED } from '../../src/store/accounts.ts';
import { runCommand } from '../command-line/run-command.ts';
import { eventually } from '../eventually.ts';
import { publishBatches } from '../publish-batches.ts';
import { writing } from '../writing.ts';
import { type AdminService, openAdminService } from './admin-service.ts';

interface Alert {
  readonly severity: string;
  readonly kind: string;
  readonly text: string;
  readonly dataset_id: string | null;
  readonly identity_id: number | null;
}

let service: AdminService;
/** The clock stands at noon of 2025-06-20 in New York, 16:00 UTC. */
beforeAll(async () => {
  service = await openAdminService();
});
afterAll(() => service.close());

/** The disk of the machine that runs the test is nobody's business here. */
const ofKinds = async (...kinds: string[]) =>
  (await service.done<Alert[]>('/admin/alerts')).filter(({ kind }) => kinds.includes(kind));

describe('alerts', () => {
  it('are none of a service in which nothing went wrong', async () => {
    expect(
      (await service.done<Alert[]>('/admin/alerts')).filter(({ kind }) => kind !== 'disk_low'),
    ).toEqual([]);
  });

  it('tell of a load that was refused, until one is published', async () => {
    const dataset = service.dataset('eq_daily_ohlc');
    const { lake } = service.services;
    const row = (date: string | null) =>
      dataset.columns.map(({ name, dataType }): CellValue => {
        if (name === 'TradeDate') return date;
        return dataType === 'string' ? 'AAA' : 1;
      });
    const publish = (date: string | null) =>
      publishBatches(lake, {
        ...{ dataset, mode: 'append', vendor: 'Test' },
        batches: (async function* () {
          yield batchOfRows(dataset.columns, [row(date)]);
        })(),
      });
    await expect(publish(null)).rejects.toThrow();
    expect(await ofKinds('dataset_failed')).toMatchObject([
      {
        severity: 'critical',
        dataset_id: dataset.datasetId,
        text: expect.stringMatching(/: its last publication (failed|was refused): ./),
      },
    ]);
    await publish('2025-06-18');
    expect(await ofKinds('dataset_failed')).toEqual([]);
  });

  it('tell of requests that a limit refused today, by account', async () => {
    const { accountId, key } = await service.addAccount('eager');
    await writing(service.services.store).accounts.update(accountId, {
      limits: { ...UNLIMITED, minute: { ...UNLIMITED.minute, requests: 1 } },
    });
    const statuses: number[] = [];
    for (let count = 0; count < 3; count++) {
      statuses.push((await service.get('/v1/meta/datasets', { 'x-api-key': key })).statusCode);
    }
    expect(statuses.at(-1)).toBe(429);
    const refused = statuses.filter((status) => status === 429).length;
    // Counts are saved a moment later.
    await eventually(async () =>
      expect(await ofKinds('quota_refusals')).toMatchObject([
        {
          severity: 'warning',
          identity_id: accountId,
          text: expect.stringMatching(`^eager: a limit refused ${refused} requests? today`),
        },
      ]),
    );
  });

  it('tell of a backup that is old, and are printed by a command', async () => {
    const { home } = service.services.config;
    const takenAt = '2025-06-10T00:00:00Z';
    noteBackup(home, { takenAt, folder: '/backups', snapshot: '1' });
    expect(await ofKinds('backup_old')).toMatchObject([
      { text: 'The last backup was taken 10 days ago', since: takenAt },
    ]);
    const { stdout, exitCode } = await runCommand(home, 'alerts');
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^SEVERITY {2,}SINCE {2,}ALERT\n/);
    expect(stdout).toContain('The last backup was taken');
    const json = JSON.parse((await runCommand(home, 'alerts', '--json')).stdout);
    expect(json.alerts.map(({ kind }: Alert) => kind)).toContain('backup_old');
  });
});
