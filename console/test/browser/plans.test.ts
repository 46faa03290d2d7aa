/** An owner's work with plans, and the effects on accounts that have one. */
import { expect, it } from 'vitest';
import { graveFaults } from './accessibility.ts';
import { describe, NARROW, SCREENSHOTS, startConsole } from './harness.ts';
import { getWithKey } from './person.ts';
import { waitForScreen, waitUntilLoaded } from './screens.ts';

const tested = startConsole();
const DAILY = '/v1/data/us-equity/eq-daily-ohlc?limit=1';

const LAPTOP = { width: 1366, height: 768 };

describe('the dialog of a new plan', () => {
  it('is all seen in the window of a laptop; on phones, its title and buttons are', async () => {
    for (const viewport of [LAPTOP, NARROW]) {
      const { page, open } = await tested.visit({ person: tested.owner, viewport });
      await open('/plans');
      await waitForScreen(page, 'Plans');
      await page.getByRole('button', { name: 'New plan' }).click();
      const dialog = page.getByRole('dialog', { name: 'New plan' });
      const scrolled = await dialog.evaluate((popup) => popup.scrollHeight - popup.clientHeight);
      expect(scrolled > 0, `scrolled at ${viewport.width}`).toBe(viewport === NARROW);
      await dialog.getByLabel('Data returned', { exact: true }).last().scrollIntoViewIfNeeded();
      for (const part of [
        dialog.getByRole('heading', { name: 'New plan' }),
        dialog.getByRole('button', { name: 'Create' }),
      ]) {
        const { y, height } = (await part.boundingBox()) ?? { y: -1, height: 0 };
        expect(y).toBeGreaterThanOrEqual(0);
        expect(y + height).toBeLessThanOrEqual(viewport.height);
      }
    }
  });
});

describe('an owner', () => {
  it('makes a plan, gives it to accounts, and changes what all of them may read', async () => {
    const owner = await tested.signIn(tested.owner);
    const keys: string[] = [];
    for (const name of ['Alder Capital', 'Birch Partners']) {
      const { identity_id: id } = await owner.post('/identities', { name });
      const key = { name: 'k', expires_in: '1d' };
      keys.push((await owner.post(`/identities/${id}/api-keys`, key)).api_key);
    }
    const statuses = async () =>
      Promise.all(keys.map(async (key) => (await getWithKey(tested.url, key, DAILY)).status));
    const { page, open } = await tested.visit({ person: tested.owner });
    await open('/plans');
    await waitForScreen(page, 'Plans');
    await page.getByRole('button', { name: 'New plan' }).click();
    const dialog = page.getByRole('dialog', { name: 'New plan' });
    await dialog.getByLabel('Name').fill('Research');
    await dialog.getByRole('combobox', { name: 'End of contract' }).click();
    await page
      .getByRole('option', { name: 'A number of days after an account gets the plan' })
      .click();
    await dialog.getByLabel('Days').fill('30');
    const month = dialog.getByRole('group', { name: 'Per month' });
    await month.getByRole('checkbox', { name: 'Unlimited requests' }).click();
    await month.getByLabel('Requests', { exact: true }).fill('1,000');
    expect(await graveFaults(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Create' }).click();
    await waitForScreen(page, 'Research');

    await page.getByRole('button', { name: 'Add rules' }).click();
    const adding = page.getByRole('dialog', { name: 'Add rules' });
    await adding.getByRole('combobox', { name: 'Groups' }).fill('Equity');
    await page.getByRole('option', { name: 'Equity', exact: true }).click();
    // The dialog asks, and nothing that was chosen is lost.
    await page.getByRole('listbox').waitFor({ state: 'hidden' });
    await page.keyboard.press('Escape');
    const leaving = page.getByRole('dialog', { name: 'Leave without saving?' });
    await leaving.getByRole('button', { name: 'Cancel' }).click();
    await adding.getByRole('button', { name: 'Remove Equity' }).waitFor();
    await adding.getByRole('textbox', { name: 'First trade date' }).fill('2000-01-01');
    expect(await graveFaults(page)).toEqual([]);
    await adding.getByRole('button', { name: 'Add', exact: true }).click();
    await adding.waitFor({ state: 'hidden' });
    const rules = page.getByRole('table', { name: 'Rules' });
    await rules.getByRole('rowheader', { name: 'US Equities Daily OHLC' }).first().waitFor();

    expect(await statuses()).toEqual([403, 403]);
    const more = page.getByRole('combobox', { name: 'Add accounts' });
    for (const name of ['Alder', 'Birch']) {
      await more.fill(name);
      await page.getByRole('option', { name }).click();
    }
    await page.getByRole('button', { name: 'Assign this plan' }).click();
    const accounts = page.getByRole('table', { name: 'Accounts with this plan' });
    await accounts.getByRole('link', { name: 'Alder Capital' }).waitFor();
    // Without the toasts.
    await page.reload();
    await waitForScreen(page, 'Research');
    expect(await graveFaults(page)).toEqual([]);
    await page.screenshot({ path: `${SCREENSHOTS}/plan.png`, fullPage: true });
    expect(await statuses()).toEqual([200, 200]);

    const daily = rules.getByRole('row', { name: /US Equities Daily OHLC/ }).first();
    await daily.getByRole('button', { name: /^Edit the rule/ }).click();
    const editing = page.getByRole('dialog', { name: 'Edit the rule' });
    await editing.getByRole('textbox', { name: 'Last trade date' }).fill('2020-12-31');
    expect(await graveFaults(page)).toEqual([]);
    await editing.getByRole('button', { name: 'Save' }).click();
    await daily.getByText('2020-12-31').waitFor();

    await accounts.getByRole('link', { name: 'Alder Capital' }).click();
    await waitForScreen(page, 'Alder Capital');
    // Without the toasts.
    await page.reload();
    await waitForScreen(page, 'Alder Capital');
    await page.getByText('contract ends').waitFor();
    await page.getByRole('tab', { name: 'Rules' }).click();
    await rules.getByRole('link', { name: 'Research' }).first().waitFor();
    await page.getByRole('tab', { name: 'Limits' }).click();
    await page.getByRole('checkbox', { name: 'As in the plan requests' }).first().waitFor();
    await waitUntilLoaded(page);
    expect(await graveFaults(page)).toEqual([]);
    await page.screenshot({ path: `${SCREENSHOTS}/plan-account-limits.png`, fullPage: true });
  });
});
