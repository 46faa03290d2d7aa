/** Without a mouse: only keys are pressed here, and what has the focus is asked for by its name. */
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { rowsRead } from './explorer-page.ts';
import { describe, startConsole } from './harness.ts';
import { focused, focusOn, tabTo } from './keyboard.ts';
import { getWithKey } from './person.ts';
import { waitForScreen } from './screens.ts';

const tested = startConsole();

const tabBackTo = (page: Page, wanted: RegExp) => tabTo(page, wanted, 'Shift+Tab');

async function signInByKeys(page: Page): Promise<void> {
  await page.getByRole('heading', { name: 'Sign in to Ticklake' }).waitFor();
  await page.keyboard.type(tested.owner.email);
  await tabTo(page, /^input Password/);
  await page.keyboard.type(tested.owner.password);
  await page.keyboard.press('Enter');
  await waitForScreen(page, 'Overview');
}

describe('with the keyboard alone', () => {
  it('one signs in, generates a key and copies it', async () => {
    const { page, open } = await tested.visit();
    await open('/');
    await signInByKeys(page);
    await tabTo(page, /^a API keys/);
    await page.keyboard.press('Enter');
    await waitForScreen(page, 'API keys');
    await tabTo(page, /^button Generate key/);
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Generate an API key' }).waitFor();
    await focusOn(page, /^input Name/);
    await page.keyboard.type('by keyboard');
    await tabTo(page, /^combobox Expires after/);
    await page.keyboard.press('Enter');
    // The list takes the focus only when it is drawn, and gives it back when it is gone.
    await page.getByRole('option').and(page.locator(':focus')).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.getByRole('option').first().waitFor({ state: 'hidden' });
    await focusOn(page, /^combobox Expires after/);
    await tabTo(page, /^button Generate/);
    await page.keyboard.press('Enter');
    const shown = page.getByRole('dialog', { name: 'Store the key “by keyboard” now' });
    const key = await shown.getByRole('definition').innerText();
    expect((await getWithKey(tested.url, key, '/v1/account/my')).status).toBe(200);
    await focusOn(page, /^button Copy/);
    await page.keyboard.press('Enter');
    await shown.getByText('Copied').waitFor();
    await tabTo(page, /^button I have stored it/);
    await page.keyboard.press('Enter');
    await shown.waitFor({ state: 'hidden' });
    await expect.poll(() => focused(page)).toMatch(/Generate key/);
  });

  it('one runs a query, moves through its rows and opens the chart', async () => {
    const { page, open } = await tested.visit({ person: tested.owner });
    await open('/explorer');
    await waitForScreen(page, 'Explorer');
    await tabTo(page, /^combobox Dataset/);
    await page.keyboard.type('eq_daily_ohlc');
    await page.getByRole('option').first().waitFor();
    await page.keyboard.press('Enter');
    await tabTo(page, /^combobox Identifiers/);
    await page.keyboard.type('AVQX');
    await tabTo(page, /^input From/);
    await page.keyboard.type('20260901');
    await page.keyboard.press('Enter');
    await rowsRead(page);
    await tabTo(page, /^grid Result rows/);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('End');
    await page.getByText(/^Row 2, /).waitFor();
    await page.keyboard.press('Control+End');
    await page.getByText(/^Row \d{2,}, /).waitFor();
    await tabBackTo(page, /^tab Rows/);
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Enter');
    await page.getByRole('img', { name: /^Candles with volume/ }).waitFor();
  });

  it('one skips the navigation', async () => {
    const { page, open } = await tested.visit({ person: tested.owner });
    await open('/catalogue');
    await waitForScreen(page, 'Catalogue');
    await page.keyboard.press('Tab');
    expect(await focused(page)).toBe('a Skip to the content');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    expect(await focused(page)).not.toMatch(/Overview|API keys/);
    expect(await page.evaluate(() => document.activeElement?.closest('main') !== null)).toBe(true);
  });

  it('one revokes a key from the menu of its row', async () => {
    const owner = await tested.signIn(tested.owner);
    await owner.post('/account/my/api-keys', { name: 'to be revoked', expires_in: '1d' });
    const { page, open } = await tested.visit({ person: tested.owner });
    await open('/keys');
    await waitForScreen(page, 'API keys');
    await tabTo(page, /Actions for to be revoked/);
    await page.keyboard.press('Enter');
    // The menu takes the focus only when it is drawn, and a key before that goes nowhere.
    const focused = page.locator(':focus');
    await page.getByRole('menuitem').and(focused).waitFor();
    await page.keyboard.press('End');
    await page.getByRole('menuitem', { name: 'Delete…' }).and(focused).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').getByRole('button', { name: 'Delete key' }).waitFor();
    await tabTo(page, /^button Delete key/);
    await page.keyboard.press('Enter');
    await page.getByRole('rowheader', { name: 'to be revoked' }).waitFor({ state: 'detached' });
  });
});
