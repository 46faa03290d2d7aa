/** The program that a new account is led to, run as it is pasted. */
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import type { TestService } from '../../../server/test/harness.ts';
import { frameSnippet, lastDates } from '../../src/first-steps/first-snippet';
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

  it('ends with a frame of rows', async () => {
    const asked = { headers: { 'X-API-KEY': service.key } };
    const status = await fetch(`${base}/meta/datasets/US1020/status`, asked);
    const { last_trade_date: last } = await status.json();
    const dates = lastDates({ date_column: 'TradeDate', rules: [] }, last);
    const text = frameSnippet(base, 'US1020', dates);
    const ran = await runSnippet({ name: 'python-client', label: '', text }, service.key);
    const { rows, types } = frameOf(ran);
    expect(rows.length).toBeGreaterThan(0);
    expect(types).toMatchObject({ TradeDate: 'Date' });
  });
});
