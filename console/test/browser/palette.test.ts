/** The palette, for a member, who may find no other people. */
import { expect, it } from 'vitest';
import { describe, startConsole } from './harness.ts';
import { inspectLooks } from './looks.ts';
import { waitForScreen } from './screens.ts';

const tested = startConsole();

describe('the palette', () => {
  it('finds what the person may see alone, is accessible, and ends by Escape', async () => {
    const owner = await tested.signIn(tested.owner);
    const { identity_id: id } = await owner.post('/identities', { name: 'others' });
    await tested.addPerson('zzqx@others.test', 'member', id);
    const member = await tested.addPerson('member@palette.test', 'member');
    const { page, open } = await tested.visit({ person: member });
    await open('/');
    await waitForScreen(page, 'Overview');
    await page.keyboard.press('Control+k');
    const dialog = page.getByRole('dialog', { name: 'Find' });
    const field = dialog.getByRole('combobox');
    await expect.poll(() => field.evaluate((shown) => shown === document.activeElement)).toBe(true);
    const pages = dialog.getByRole('group', { name: 'Pages' }).getByRole('option');
    expect(await pages.allInnerTexts()).not.toContain('Accounts');
    await inspectLooks(page, 'palette');
    await field.fill('zzqx');
    await dialog.getByText('Nothing is called “zzqx”').waitFor();
    await field.fill('versions');
    await dialog.getByRole('group', { name: 'Documentation' }).waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    // On a phone, behind the menu.
    const menu = page.getByRole('button', { name: 'Menu' });
    await menu.click();
    await page.getByRole('button', { name: 'Find' }).click();
    await dialog.getByRole('option', { name: 'Usage' }).click();
    await waitForScreen(page, 'Usage');
    expect(await menu.getAttribute('aria-expanded')).toBe('false');
  });

  it('shows the tickers of what is typed, never those of its beginning', async () => {
    const { page, open } = await tested.visit({ person: tested.owner });
    await open('/');
    await waitForScreen(page, 'Overview');
    const isAnswered = Promise.withResolvers<void>();
    await page.route('**/symbology/search?q=AVQX&*', async (route) => {
      await isAnswered.promise;
      await route.continue();
    });
    await page.keyboard.press('Control+k');
    const field = page.getByRole('combobox');
    const tickers = page.getByRole('group', { name: 'Tickers' });
    await field.fill('AV');
    await tickers.waitFor();
    const asked = page.waitForRequest('**/symbology/search?q=AVQX&*');
    await field.fill('AVQX');
    await asked;
    expect(await tickers.count()).toBe(0);
    isAnswered.resolve();
    await tickers.getByRole('option', { name: 'AVQX' }).first().waitFor();
  });

  it('never covers a key that is shown once, nor takes Ctrl+Shift+K', async () => {
    const { page, open } = await tested.visit({ person: tested.owner });
    await open('/keys');
    await waitForScreen(page, 'API keys');
    await page.keyboard.press('Control+Shift+K');
    await page.getByRole('button', { name: 'Generate key' }).click();
    await page.getByRole('dialog').getByLabel('Name').fill('shown once');
    await page.getByRole('dialog').getByRole('button', { name: 'Generate' }).click();
    const shown = page.getByRole('dialog', { name: 'Store the key' });
    await shown.waitFor();
    await page.keyboard.press('Control+k');
    await shown.getByRole('button', { name: 'I have stored it' }).click();
    await shown.waitFor({ state: 'detached' });
    expect(await page.getByRole('dialog').count()).toBe(0);
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox').fill('generate');
    await page.getByRole('option', { name: 'Generate an API key' }).click();
    await page.getByRole('dialog', { name: 'Generate an API key' }).waitFor();
    // Once: a reload does not ask again.
    expect(new URL(page.url()).search).toBe('');
  });
});
