/** Whole tasks without a mouse: a prospect, an invited person, an owner, the API reference. */
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { describe, startConsole, withSite } from './harness.ts';
import { focused, focusOn, tabTo } from './keyboard.ts';
import { waitForScreen, waitUntilLoaded } from './screens.ts';

const PASSWORD = 'several unrelated words';

const tested = startConsole(
  withSite({
    contact: 'sales@example.com',
    public_catalogue: true,
    public_samples: ['eq_daily_ohlc'],
  }),
);

/** Goes to a tab of those that are shown; tabs are chosen with the arrows. */
async function openTab(page: Page, name: RegExp, key = 'Tab'): Promise<void> {
  await tabTo(page, /^tab /, key);
  const count = await page.getByRole('tab').count();
  for (let at = 0; at < count && !name.test(await focused(page)); at += 1) {
    await page.keyboard.press('ArrowRight');
  }
  expect(await focused(page)).toMatch(name);
  await page.keyboard.press('Enter');
}

/** Types into a field that suggests, and takes the option of that name. */
async function takeOption(page: Page, name: string): Promise<void> {
  await page.keyboard.type(name);
  const option = page.getByRole('option', { name, exact: true });
  await option.waitFor();
  const highlighted = page.locator('[role="option"][data-highlighted]');
  // The first one is, at the latest a moment after it is shown.
  await highlighted.waitFor();
  if ((await highlighted.and(option).count()) === 0) await page.keyboard.press('ArrowDown');
  await highlighted.and(option).waitFor();
  await page.keyboard.press('Enter');
}

describe('with the keyboard alone', () => {
  it('a prospect finds a dataset, sees a sample of it, and learns how to get access', async () => {
    const { page } = await tested.visit();
    await page.goto(`${tested.url}/`);
    await page.getByRole('searchbox', { name: 'Search' }).waitFor();
    await tabTo(page, /^input Search/);
    await page.keyboard.type('vwap');
    await tabTo(page, /^a US Equities Daily OHLC/);
    await page.keyboard.press('Enter');
    await page.getByRole('table', { name: 'Sample of US Equities Daily OHLC' }).waitFor();
    await tabTo(page, /^button Ask for access/);
    await page.keyboard.press('Enter');
    await page.getByRole('textbox', { name: 'Your e-mail address' }).waitFor();
  });

  it('somebody who is invited chooses a password, signs in, and is led to a key', async () => {
    const owner = await tested.signIn(tested.owner);
    const { identity_id: id } = await owner.post('/identities', { name: 'Invited' });
    const invited = { email: 'new@invited.test', role: 'manager', identity_id: id };
    const { link } = await owner.post('/people/invite', invited);
    const { page } = await tested.visit();
    await page.goto(link);
    await page.getByRole('heading', { name: 'Choose your password' }).waitFor();
    await page.getByLabel('New password', { exact: true }).waitFor();
    await focusOn(page, /^input New password/);
    await page.keyboard.type(PASSWORD);
    await tabTo(page, /^input Confirm new password/);
    await page.keyboard.type(PASSWORD);
    await page.keyboard.press('Enter');
    await page.getByText('Your password is set. Sign in with it.').waitFor();
    await focusOn(page, /^input Password/);
    await page.keyboard.type(PASSWORD);
    await page.keyboard.press('Enter');
    await waitForScreen(page, 'Overview');
    await page.getByRole('heading', { name: 'Get started' }).waitFor();
    await tabTo(page, /^a Generate key/);
    await page.keyboard.press('Enter');
    await waitForScreen(page, 'API keys');
  });

  it('an owner makes an account, lets it read a group of datasets, and invites its manager', async () => {
    const { page, open } = await tested.visit({ person: tested.owner });
    await open('/accounts');
    await waitForScreen(page, 'Accounts');
    await tabTo(page, /^button New account/);
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'New account' }).waitFor();
    await focusOn(page, /^input Name/);
    await page.keyboard.type('Keyboard Fund');
    await page.keyboard.press('Enter');
    await waitForScreen(page, 'Keyboard Fund');

    await openTab(page, /^tab Rules/);
    await waitUntilLoaded(page);
    await tabTo(page, /^button Add rules/);
    await page.keyboard.press('Enter');
    const adding = page.getByRole('dialog', { name: 'Add rules' });
    await adding.getByRole('combobox', { name: 'Groups' }).waitFor();
    await focusOn(page, /^combobox Groups/);
    await takeOption(page, 'Equity');
    await tabTo(page, /^button Add$/);
    await page.keyboard.press('Enter');
    await adding.waitFor({ state: 'hidden' });
    const rules = page.getByRole('table', { name: 'Rules' });
    await rules.getByRole('rowheader', { name: 'US Equities Daily OHLC' }).first().waitFor();

    await openTab(page, /^tab People/, 'Shift+Tab');
    await waitUntilLoaded(page);
    await tabTo(page, /^button New person/);
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'New person' }).waitFor();
    await focusOn(page, /^input E-mail address/);
    await page.keyboard.type('manager@keyboard.test');
    await page.keyboard.press('Enter');
    const made = page.getByRole('dialog', { name: 'Invitation for manager@keyboard.test' });
    await made.waitFor();
    await tabTo(page, /^button Done/);
    await page.keyboard.press('Enter');
    await made.waitFor({ state: 'hidden' });
  });

  it('a reader of the API reference copies the command of a request', async () => {
    const { page } = await tested.visit();
    await page.goto(`${tested.url}/reference#read_eq_daily_ohlc`);
    await page.getByRole('region', { name: 'Command' }).waitFor();
    await waitUntilLoaded(page);
    await tabTo(page, /^button Copy/);
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toContain('curl ');
  });
});
