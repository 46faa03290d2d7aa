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
    await page.getByRole('button', { name: 'Menu' }).click();
    await page.getByRole('button', { name: 'Find' }).click();
    await dialog.waitFor();
  });
});
