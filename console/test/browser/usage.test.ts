/** Usage of an account in any period, as a file, and request by request. */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { graveFaults } from './accessibility.ts';
import { describe, startConsole } from './harness.ts';
import { getWithKey } from './person.ts';
import { waitForScreen } from './screens.ts';

const tested = startConsole();
const DAILY = '/v1/data/us-equity/eq-daily-ohlc';

describe('usage', () => {
  it('is summed up by day, dataset and key, saved as CSV, and told request by request', async () => {
    const owner = await tested.signIn(tested.owner);
    const { identity_id: id } = await owner.post('/identities', { name: 'using' });
    const person = await tested.addPerson('member@using.test', 'member', id);
    await owner.post(`/identities/${id}/data-access-rules`, { dataset_id: 'eq_daily_ohlc' });
    const made = { name: 'nightly', expires_in: '1d' };
    const { api_key: key } = await owner.post(`/identities/${id}/api-keys`, made);
    for (const limit of [1, 2]) await getWithKey(tested.url, key, `${DAILY}?limit=${limit}`);
    await getWithKey(tested.url, key, `${DAILY}?limit=none`);
    const member = await tested.signIn(person);
    const requests = async () => (await member.get('/account/my/requests')).body.data.length;
    await expect.poll(requests).toBe(3);

    const { page, open } = await tested.visit({ person });
    await open('/usage');
    await waitForScreen(page, 'Usage');
    await page.getByRole('button', { name: 'By key' }).click();
    const sums = page.getByRole('table', { name: 'Usage', exact: true });
    await sums
      .getByRole('row')
      .filter({ hasText: 'nightly' })
      .getByText('3', { exact: true })
      .waitFor();
    expect(await graveFaults(page)).toEqual([]);
    const saving = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download CSV' }).click();
    const download = await saving;
    expect(download.suggestedFilename()).toMatch(/^usage_\d{4}-\d\d-01_\d{4}-\d\d-\d\d\.csv$/);
    const csv = readFileSync(await download.path(), 'utf8');
    expect(csv.split('\r\n')[0]).toBe(
      '\ufeff"day","dataset_id","dataset","key_id","key","requests","data_scanned","data_returned"',
    );
    expect(csv).toContain(',"US1020","US Equities Daily OHLC",');

    const recent = page.getByRole('table', { name: 'Recent requests' });
    await expect.poll(() => recent.getByRole('row').count()).toBe(4);
    await page.getByRole('button', { name: 'Refused or failed' }).click();
    await expect.poll(() => recent.getByRole('row').count()).toBe(2);
    await recent.getByText('Bad request (422)').waitFor();
    await recent.getByText(`${DAILY}?limit=none`, { exact: true }).waitFor();
    await recent.getByText(/^Input should be a valid integer \(in 'limit'\) · /).waitFor();
    await page.getByRole('button', { name: 'Last 90 days' }).click();
    await expect.poll(() => new URL(page.url()).searchParams.get('from')).not.toBeNull();
    await sums.getByRole('row').filter({ hasText: 'nightly' }).waitFor();
  });
});
