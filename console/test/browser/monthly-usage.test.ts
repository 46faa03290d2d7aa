/** The figures of invoices, as an owner sees and stores them. */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { graveFaults } from './accessibility.ts';
import { describe, SCREENSHOTS, startConsole } from './harness.ts';
import { getWithKey } from './person.ts';
import { waitForScreen } from './screens.ts';

const tested = startConsole();

describe('usage by month', () => {
  it('tells what an account used, and is stored as CSV with the same figures', async () => {
    const path = '/v1/data/us-equity/eq-daily-ohlc?Ticker.in=AVQX,BZOQ&limit=5';
    expect((await getWithKey(tested.url, tested.key, path)).status).toBe(200);
    const { page, open } = await tested.visit({ person: tested.owner });
    const row = page
      .getByRole('table', { name: 'Usage by month' })
      .getByRole('row')
      .filter({ has: page.getByRole('rowheader', { name: 'demo' }) });
    await expect
      .poll(async () => {
        await open('/usage-by-month');
        await waitForScreen(page, 'Usage by month');
        return (await row.count()) > 0 ? await row.innerText() : '';
      })
      .toMatch(/demo\s+\d+\s+5\s+2\s/);
    expect(await graveFaults(page)).toEqual([]);
    await page.screenshot({ path: `${SCREENSHOTS}/usage-by-month.png`, fullPage: true });
    const storing = page.waitForEvent('download');
    await page.getByRole('link', { name: 'Download CSV' }).click();
    const [titles, ...rows] = readFileSync(await (await storing).path(), 'utf8').split('\r\n');
    expect(titles).toBe(
      'month,identity_id,name,requests,data_scanned,data_returned,row_count,symbol_count',
    );
    expect(rows.find((each) => each.includes(',demo,'))).toMatch(/,5,2$/);
  });

  it('takes months as they are shown, and says what is wrong with others', async () => {
    const { page, open } = await tested.visit({ person: tested.owner });
    await open('/usage-by-month?from=2026-01&to=2026-02');
    await waitForScreen(page, 'Usage by month');
    const first = page.getByRole('textbox', { name: 'First month' });
    await expect.poll(() => first.inputValue()).toBe('2026-01');
    await first.fill('2026-03');
    await page.getByText('Must not be after the last month').waitFor();
    const last = page.getByRole('textbox', { name: 'Last month' });
    expect((await first.boundingBox())?.y).toBe((await last.boundingBox())?.y);
    await expect.poll(() => first.inputValue()).toBe('2026-03');
    await expect.poll(() => page.getByRole('link', { name: 'Download CSV' }).count()).toBe(0);
    await last.fill('202604');
    await page.waitForURL('**/usage-by-month?from=2026-03&to=2026-04');
    await page.getByText('No account used anything in these months.').waitFor();
    await first.fill('March');
    await first.blur();
    await page.getByText('Enter a month as YYYY-MM, such as 2026-11').waitFor();
  });
});
