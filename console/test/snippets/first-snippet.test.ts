/** The program that a new account is led to, run as it is pasted. */
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import type { TestService } from '../../../server/test/harness.ts';
import { writing } from '../../../server/test/writing.ts';
import { frameSnippet } from '../../src/first-steps/first-snippet';
import { frameOf, runSnippet } from './run-snippet';
import { openSnippetService } from './snippet-data';

describe.skipIf(inject('python') === null)('the first program', () => {
  let service: TestService;
  let base = '';
  beforeAll(async () => {
    service = await openSnippetService();
    base = `${await service.app.listen({ host: '127.0.0.1', port: 0 })}/v1`;
  });
  afterAll(() => service.close());

  it.each([
    ['of the last date', [['1900-01-01', null]], '2024-11-04'],
    ['of the last date of a short trial', [['2024-11-01', '2024-11-02']], '2024-11-01'],
    [
      'of a trial beside a contract that begins later',
      [
        ['2024-10-31', '2024-10-31'],
        ['2025-01-01', null],
      ],
      '2024-10-31',
    ],
  ] as const)('ends with a frame of rows %s', async (which, windows, day) => {
    const { accountId, key } = await service.addAccount(which);
    for (const [startDate, endDate] of windows) {
      const rule = { accountId, datasetId: 'US1020', startDate, endDate, universe: [] };
      await writing(service.services.store).rules.add(rule);
    }
    const asked = { headers: { 'X-API-KEY': key } };
    const form = await fetch(`${base}/meta/datasets/US1020/query`, asked);
    const text = frameSnippet(base, await form.json()) ?? '';
    const ran = await runSnippet({ name: 'python-client', label: '', text }, key);
    const { rows, types } = frameOf(ran);
    expect(rows.length).toBeGreaterThan(0);
    expect(types).toMatchObject({ TradeDate: 'Date' });
    expect(new Set(rows.map(([date]) => date))).toEqual(new Set([day]));
  });
});
