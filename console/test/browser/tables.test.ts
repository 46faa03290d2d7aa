/** Lists: sorted, paged, with chosen columns, linked and saved. */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { graveFaults } from './accessibility.ts';
import { describe, startConsole } from './harness.ts';
import { waitForScreen } from './screens.ts';

const ACCOUNTS = 105;

const tested = startConsole();

describe('a list', () => {
  it('is sorted, paged and has the columns that its address says, and is saved as it is shown', async () => {
    const owner = await tested.signIn(tested.owner);
    for (let at = 1; at <= ACCOUNTS; at++) await owner.post('/identities', { name: `fund ${at}` });
    const { page, open } = await tested.visit({ person: tested.owner });
    await open('/accounts');
    await waitForScreen(page, 'Accounts');
    const table = page.getByRole('table', { name: 'List of accounts' });
    const names = table.getByRole('rowheader');
    const header = (name: string) => table.getByRole('columnheader', { name });
    await page.getByText('Page 1 of 2').waitFor();
    await header('Name').getByRole('button').click();
    await header('Name').getByRole('button').click();
    expect(await header('Name').getAttribute('aria-sort')).toBe('descending');
    // As people count: 105 is more than 99.
    await expect.poll(() => names.first().innerText()).toBe(`fund ${ACCOUNTS}`);
    await page.getByRole('button', { name: 'Columns' }).click();
    await page.getByRole('menuitemcheckbox', { name: 'Created' }).click();
    await page.keyboard.press('Escape');
    await header('Created').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Next' }).click();
    await page.getByText('Page 2 of 2').waitFor();
    expect(await graveFaults(page)).toEqual([]);

    await page.reload();
    await page.getByText('Page 2 of 2').waitFor();
    expect(await header('Created').count()).toBe(0);
    await expect.poll(() => names.last().innerText()).toBe('demo');
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'CSV' }).click(),
    ]);
    const lines = readFileSync(await download.path(), 'utf8')
      .trimEnd()
      .split('\r\n');
    expect(lines).toHaveLength(1 + ACCOUNTS + 1);
    expect(lines[0]).toMatch(/^\ufeff"Name","ID","Status"/);
    expect(lines[0]).not.toContain('Created');
    expect(lines[1]).toContain(`"fund ${ACCOUNTS}"`);

    await page.getByRole('searchbox', { name: 'Search' }).fill('fund 7');
    await expect.poll(() => names.first().innerText()).toBe('fund 97');
    await expect.poll(() => new URL(page.url()).searchParams.has('page')).toBe(false);
    await page.getByRole('searchbox', { name: 'Search' }).fill('');
    await page.getByText('Page 1 of 2').waitFor();
  });

  it('offers nothing to do where it has no rows', async () => {
    const { page, open } = await tested.visit({ person: tested.owner });
    await open('/home');
    await waitForScreen(page, 'Home');
    const undo = (name: string) =>
      page.getByRole('table', { name }).getByRole('columnheader', { name: 'Undo' });
    await undo('Latest publications').waitFor();
    await page.getByText('No dataset is late or failed.').waitFor();
    expect(await undo('Late or failed datasets').count()).toBe(0);
  });

  it('has the order and the columns of its own tab', async () => {
    const { page, open } = await tested.visit({ person: tested.owner });
    await open('/accounts/1?tab=keys&order=-Name&hide=Created');
    await waitForScreen(page, 'demo');
    await page.getByRole('tab', { name: 'People' }).click();
    await expect.poll(() => new URL(page.url()).search).toBe('?tab=people');
  });

  it('saves its columns with values, whatever its cells are made of', async () => {
    const { page, open } = await tested.visit({ person: tested.owner });
    await open('/catalogue/US1020?tab=columns');
    await page.getByRole('table', { name: 'Columns' }).waitFor();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'CSV' }).click(),
    ]);
    const lines = readFileSync(await download.path(), 'utf8').split('\r\n');
    expect(lines[0]).toBe('\ufeff"Column","Description"');
    expect(lines[1]).toMatch(/^"\w+",".+"$/);
  });

  it('says of how many rows it is where it has not read all', async () => {
    const owner = await tested.signIn(tested.owner);
    for (let at = 0; at < 60; at++) await owner.get('/data/us-equity/eq-daily-ohlc?limit=1');
    // The ledger is written after the answers.
    const counted = async () => (await owner.get('/account/my/requests?limit=60')).body.data.length;
    await expect.poll(counted).toBe(60);
    const { page, open } = await tested.visit({ person: tested.owner });
    await open('/usage');
    await page.getByRole('button', { name: 'Show older requests' }).waitFor();
    await page.getByText(/^Of the first \d+ rows, which are read$/).waitFor();
  });
});
