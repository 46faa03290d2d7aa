import { describe, expect, it } from 'vitest';
import { ALERT_KINDS, type AlertState, alertsOf, type WatchedDataset } from './alerts.ts';

const GIB_BYTES = 1024 ** 3;
const DAY_MS = 86_400_000;
const NOW_MS = Date.parse('2026-11-20T12:00:00Z');

const WELL: AlertState = {
  nowMs: NOW_MS,
  datasets: [],
  notedLoads: [],
  problems: [],
  warnings: [],
  freeBytes: 50 * GIB_BYTES,
  diskBytes: 100 * GIB_BYTES,
  lastBackupMs: NOW_MS - DAY_MS,
  refused: [],
};

function datasetOf(code: WatchedDataset['status']['code'], publication: object): WatchedDataset {
  return {
    ...{ datasetId: 'US1', name: 'Trades' },
    status: { code, nextExpectedUpdate: '2026-11-19T01:00:00Z' },
    publication: {
      ...{ state: 'published', startedAt: '2026-11-18T00:00:00Z', finishedAt: null },
      ...{ message: null, isNoted: false },
      ...publication,
    },
  };
}

const found = (state: Partial<AlertState>) => alertsOf({ ...WELL, ...state });
const texts = (state: Partial<AlertState>) => found(state).map(({ text }) => text);

describe('alerts', () => {
  it('are none while all is well, and where no backup is noted or a dataset is empty', () => {
    expect(alertsOf(WELL)).toEqual([]);
    const states = (['current', 'updating', 'closed', 'empty'] as const).map((code) =>
      datasetOf(code, {}),
    );
    expect(found({ datasets: states, lastBackupMs: null })).toEqual([]);
  });

  it('tell of datasets whose last publication failed or was refused, why and since when', () => {
    const refused = datasetOf('failed', { state: 'refused', message: 'row 3: no date' });
    const failed = datasetOf('failed', { state: 'failed', finishedAt: '2026-11-18T01:00:00Z' });
    expect(found({ datasets: [refused, failed] })).toMatchObject([
      {
        severity: 'critical',
        kind: 'dataset_failed',
        text: 'Trades: its last publication was refused: row 3: no date',
        since: '2026-11-18T00:00:00Z',
        dataset_id: 'US1',
      },
      { text: 'Trades: its last publication failed', since: '2026-11-18T01:00:00Z' },
    ]);
  });

  it('tell of refused loads whose dates have not come, once, also after later loads', () => {
    const load = {
      ...{ publicationId: 7, datasetIds: ['US1'], file: 'mon.csv', message: 'bad rows: 1' },
      isRefused: true,
      finishedAt: '2026-11-18T01:00:00Z',
    };
    const [good, failed] = [
      datasetOf('current', {}),
      datasetOf('failed', {
        state: 'refused',
        isNoted: true,
      }),
    ];
    expect(found({ datasets: [good], notedLoads: [load] })).toEqual([
      {
        ...{ severity: 'critical', kind: 'load_refused', since: load.finishedAt },
        ...{ dataset_id: 'US1', identity_id: null },
        text: 'Trades: load 7 of mon.csv was refused, and not all of its dates have come since: bad rows: 1',
      },
    ]);
    expect(found({ datasets: [failed], notedLoads: [load] })).toMatchObject([
      { kind: 'load_refused', dataset_id: 'US1' },
    ]);
    expect(texts({ datasets: [failed] })).toEqual([]);
    expect(found({ notedLoads: [{ ...load, datasetIds: [] }] })).toMatchObject([
      { text: expect.stringMatching(/^Load 7 was refused: bad rows/), dataset_id: null },
    ]);
  });

  it('tell of late datasets since the update was expected', () => {
    expect(found({ datasets: [datasetOf('late', {})] })).toEqual([
      {
        severity: 'warning',
        kind: 'dataset_late',
        text: 'Trades: its update is late',
        since: '2026-11-19T01:00:00Z',
        ...{ dataset_id: 'US1', identity_id: null },
      },
    ]);
  });

  it.each([
    [5, 100, []],
    [4.9, 100, ['warning']],
    [1, 100, ['warning']],
    [0.99, 100, ['critical']],
    [1, 10, []],
  ])('judge a disk with %d of %d GiB free as %j', (free, all, severities) => {
    const state = { freeBytes: free * GIB_BYTES, diskBytes: all * GIB_BYTES };
    expect(found(state).map(({ severity }) => severity)).toEqual(severities);
  });

  it('say how much room the disk has, and how old the last backup is', () => {
    expect(texts({ freeBytes: 2 * GIB_BYTES, lastBackupMs: NOW_MS - 2 * DAY_MS })).toEqual([
      'Only 2,048 MiB (2%) of the disk that holds the home is free',
      'The last backup was taken 2 days ago',
    ]);
    expect(texts({ lastBackupMs: NOW_MS - 2 * DAY_MS + 1 })).toEqual([]);
  });

  it('count the refused requests of each account, also of one that is gone', () => {
    const lastAtMs = NOW_MS - 1000;
    const refused = [
      { accountId: 3, name: 'Acme', requestCount: 1200, lastAtMs },
      { accountId: 4, name: '', requestCount: 1, lastAtMs },
    ];
    expect(found({ refused })).toMatchObject([
      {
        text: 'Acme: a limit refused 1,200 requests today, the last one at 2026-11-20T11:59:59Z',
        identity_id: 3,
      },
      { text: 'Account 4: a limit refused 1 request today, the last one at 2026-11-20T11:59:59Z' },
    ]);
  });

  it('put what is critical first, and have a source for every kind', () => {
    const all = found({
      datasets: [datasetOf('late', {}), datasetOf('failed', { state: 'failed' })],
      notedLoads: [
        ...[true, false].map((isRefused) => {
          const load = { publicationId: 7, datasetIds: ['US1'], isRefused };
          return { ...load, file: '', message: 'no', finishedAt: null };
        }),
      ],
      problems: [{ part: 'store', text: 'it cannot be read' }],
      warnings: [{ part: 'engine', text: 'a shard is down' }],
      freeBytes: 0,
      lastBackupMs: 0,
      refused: [{ accountId: 3, name: 'Acme', requestCount: 1, lastAtMs: 0 }],
    });
    expect(all.map(({ kind }) => kind)).toEqual(ALERT_KINDS);
    expect(all.map(({ severity }) => severity)).toEqual([
      ...Array(4).fill('critical'),
      ...Array(5).fill('warning'),
    ]);
    expect(all[0]?.text).toBe('Store: it cannot be read');
  });
});
