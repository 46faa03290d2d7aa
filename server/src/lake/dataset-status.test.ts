import { describe, expect, it } from 'vitest';
import type { Dataset } from '../catalog/dataset.ts';
import { datasetStatus } from './dataset-status.ts';
import type { DatasetSnapshot } from './snapshots.ts';

const dataset = {
  timeZone: 'America/New_York',
  calendar: 'XNYS',
  schedule: { days: 'trading', time: '20:30' },
  endDate: null,
} as unknown as Dataset;
const closed = { ...dataset, endDate: '2020-12-31' };
const unscheduled = { ...dataset, schedule: { days: 'none', time: '00:00' } } as Dataset;

/** Thursday evening in New York; the Friday is Independence Day. */
const publishedAt = '2025-07-04T00:45:00Z';
const snapshot = { publishedAt } as DatasetSnapshot;
const none = { state: 'none' } as const;
const running = { state: 'running' } as const;
const failed = { state: 'failed' } as const;
const refused = { state: 'refused' } as const;

const at = (iso: string) => Date.parse(iso);
const code = (...args: Parameters<typeof datasetStatus>) => datasetStatus(...args).code;

describe('datasetStatus', () => {
  it('expects the next update on the next trading day, past holiday and weekend', () => {
    const status = datasetStatus(dataset, snapshot, none, at('2025-07-04T12:00:00Z'));
    expect(status).toEqual({
      code: 'current',
      lastUpdate: publishedAt,
      nextExpectedUpdate: '2025-07-08T00:30:00Z',
    });
  });

  it('expects an update of the same day when the last one came before its time', () => {
    const early = { publishedAt: '2025-07-08T14:00:00Z' } as DatasetSnapshot;
    const status = datasetStatus(dataset, early, none, at('2025-07-08T15:00:00Z'));
    expect(status.nextExpectedUpdate).toBe('2025-07-09T00:30:00Z');
  });

  it('expects the update after next when the last one came at the very time', () => {
    const punctual = { publishedAt: '2025-07-09T00:30:00Z' } as DatasetSnapshot;
    const status = datasetStatus(dataset, punctual, none, at('2025-07-09T00:30:01Z'));
    expect(status.nextExpectedUpdate).toBe('2025-07-10T00:30:00Z');
  });

  it('is late an hour after the expected time, not before', () => {
    expect(code(dataset, snapshot, none, at('2025-07-08T01:30:00Z'))).toBe('current');
    expect(code(dataset, snapshot, none, at('2025-07-08T01:30:00.001Z'))).toBe('late');
  });

  it('says what a publication is doing before anything else', () => {
    expect(code(dataset, snapshot, running, at('2025-07-09T12:00:00Z'))).toBe('updating');
    expect(code(dataset, null, running, at('2025-07-09T12:00:00Z'))).toBe('updating');
    expect(code(dataset, snapshot, failed, at('2025-07-04T12:00:00Z'))).toBe('failed');
    expect(code(dataset, snapshot, refused, at('2025-07-04T12:00:00Z'))).toBe('failed');
  });

  it('is empty before the first publication, and closed when its end date is known', () => {
    expect(datasetStatus(dataset, null, none, at('2025-07-04T12:00:00Z'))).toMatchObject({
      code: 'empty',
      lastUpdate: null,
    });
    expect(datasetStatus(closed, snapshot, none, at('2030-01-01T00:00:00Z'))).toMatchObject({
      code: 'closed',
      nextExpectedUpdate: null,
    });
    expect(code(unscheduled, snapshot, none, at('2030-01-01T00:00:00Z'))).toBe('current');
  });
});
