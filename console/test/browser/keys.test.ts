/** API keys as a manager makes, uses, rotates and revokes them. */
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { graveFaults } from './accessibility.ts';
import { describe, NARROW, startConsole } from './harness.ts';
import { getWithKey } from './person.ts';
import { overflowOf, waitForScreen } from './screens.ts';

const tested = startConsole();

const ACCOUNT = '/v1/account/my';
const FORBIDDEN_WITHOUT =
  'Only account managers can generate and change keys. Ask a manager of your account, or the owner of this service.';

const statusWith = async (key: string) => (await getWithKey(tested.url, key, ACCOUNT)).status;

/** A new account with a manager, so that its ceiling can be met. */
async function newAccount(name: string, keysMax: number) {
  const owner = await tested.signIn(tested.owner);
  const { identity_id: id } = await owner.post('/identities', {
    name,
    max_active_api_keys: keysMax,
  });
  return { id, manager: await tested.addPerson(`manager@${name}.test`, 'manager', id) };
}

async function generateKey(page: Page, name: string): Promise<string> {
  await page.getByRole('button', { name: 'Generate key' }).click();
  await page.getByLabel('Name').fill(name);
  await page.getByRole('dialog').getByRole('button', { name: 'Generate' }).click();
  const shown = page.getByRole('dialog', { name: `Store the key “${name}” now` });
  const key = await shown.getByRole('definition').innerText();
  await shown.getByRole('button', { name: 'I have stored it' }).click();
  await shown.waitFor({ state: 'hidden' });
  return key;
}

const rowOf = (page: Page, name: string) =>
  page.getByRole('row').filter({ has: page.getByRole('rowheader', { name, exact: true }) });

async function act(page: Page, name: string, action: string): Promise<void> {
  await rowOf(page, name)
    .getByRole('button', { name: `Actions for ${name}` })
    .click();
  await page.getByRole('menuitem', { name: `${action}…` }).click();
}

async function actAndConfirm(page: Page, name: string, action: string): Promise<void> {
  await act(page, name, action);
  await page.getByRole('button', { name: `${action} key` }).click();
  await page.getByText(`The key “${name}” was ${action.toLowerCase()}d`).first().waitFor();
}

describe('a key', () => {
  it('works as soon as it is made, not while it is deactivated, and never again once deleted', async () => {
    const { manager } = await newAccount('keys-story', 5);
    const { page, open } = await tested.visit({ person: manager });
    await open('/keys');
    await waitForScreen(page, 'API keys');
    await page.getByText('This account has no API keys yet.').waitFor();
    const key = await generateKey(page, 'nightly load');
    expect(await statusWith(key)).toBe(200);
    const row = rowOf(page, 'nightly load');
    await row.getByText(`…${key.slice(-4)}`).waitFor();
    await page.getByText('1 active key of 5 allowed.').waitFor();

    await actAndConfirm(page, 'nightly load', 'Deactivate');
    await row.getByText('Deactivated', { exact: true }).waitFor();
    expect(await statusWith(key)).toBe(401);
    await actAndConfirm(page, 'nightly load', 'Activate');
    await row.getByText('Active', { exact: true }).waitFor();
    expect(await statusWith(key)).toBe(200);
    await actAndConfirm(page, 'nightly load', 'Delete');
    await row.waitFor({ state: 'detached' });
    expect(await statusWith(key)).toBe(401);
  });

  it('is shown once, can be copied, and is lost neither by a stray click nor by Escape', async () => {
    const { manager } = await newAccount('keys-secret', 5);
    const { page, open } = await tested.visit({ person: manager });
    await open('/keys');
    await page.getByRole('button', { name: 'Generate key' }).click();
    await page.getByLabel('Name').fill('reporting');
    expect(await graveFaults(page)).toEqual([]);
    await page.getByRole('dialog').getByRole('button', { name: 'Generate' }).click();
    const shown = page.getByRole('dialog', { name: 'Store the key “reporting” now' });
    const key = await shown.getByRole('definition').innerText();
    expect(await graveFaults(page)).toEqual([]);
    await page.setViewportSize(NARROW);
    expect(await overflowOf(page)).toBe(0);
    await page.mouse.click(4, 4);
    await page.keyboard.press('Escape');
    await expect.poll(() => shown.isVisible()).toBe(true);
    await shown.getByRole('button', { name: 'Copy' }).click();
    await shown.getByText('Copied').waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(key);
    await shown.getByRole('button', { name: 'I have stored it' }).click();
    await shown.waitFor({ state: 'hidden' });
    await page.reload();
    await waitForScreen(page, 'API keys');
    expect(await page.content()).not.toContain(key);
  });

  it('needs a name and a date in the future, says so beside the field and keeps what was typed', async () => {
    const { manager } = await newAccount('keys-form', 5);
    const { page, open } = await tested.visit({ person: manager });
    await open('/keys');
    await page.getByRole('button', { name: 'Generate key' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Generate' }).click();
    await page.getByText('Enter a name').waitFor();
    const name = page.getByLabel('Name');
    await expect.poll(() => name.getAttribute('aria-invalid')).toBe('true');
    await name.and(page.locator(':focus')).waitFor();
    await name.fill('until yesterday');
    await page.getByRole('combobox', { name: 'Expires after' }).click();
    await page.getByRole('option', { name: 'Until a date' }).click();
    await page.getByRole('textbox', { name: 'Expiration date' }).fill('2020-01-01');
    await page.getByRole('dialog').getByRole('button', { name: 'Generate' }).click();
    await expect
      .poll(() =>
        page.getByRole('textbox', { name: 'Expiration date' }).getAttribute('aria-invalid'),
      )
      .toBe('true');
    await expect.poll(() => name.inputValue()).toBe('until yesterday');
    const owner = await tested.signIn(manager);
    expect((await owner.get('/account/my/api-keys')).body).toEqual([]);
  });

  it('is found among many by its name, last characters or status', async () => {
    const { manager } = await newAccount('keys-many', 12);
    const signedIn = await tested.signIn(manager);
    for (let at = 0; at < 10; at++) {
      await signedIn.post('/account/my/api-keys', { name: `job-${at}`, expires_in: '1d' });
    }
    const { page, open } = await tested.visit({ person: manager });
    await open('/keys');
    const rows = page.getByRole('table', { name: 'API keys' }).getByRole('row');
    await page.getByRole('searchbox', { name: 'Search' }).fill('ACTIVE job-7');
    await page.getByText('1 of 10 API keys').waitFor();
    await expect.poll(() => rows.count()).toBe(2);
    expect(await graveFaults(page)).toEqual([]);
    await page.getByRole('searchbox', { name: 'Search' }).fill('nightly');
    await page.getByText('No API keys match.').waitFor();
  });

  it('cannot be generated past the ceiling, which is shown', async () => {
    const { manager } = await newAccount('keys-ceiling', 2);
    const { page, open } = await tested.visit({ person: manager });
    await open('/keys');
    await generateKey(page, 'one');
    await generateKey(page, 'two');
    await page.getByText('2 active keys of 2 allowed. To generate another').waitFor();
    const button = page.getByRole('button', { name: 'Generate key' });
    await expect.poll(() => button.isDisabled()).toBe(true);
    await actAndConfirm(page, 'one', 'Deactivate');
    await expect.poll(() => button.isEnabled()).toBe(true);
  });

  it('is rotated without a moment in which no key works, and the old one is not forgotten', async () => {
    const { manager } = await newAccount('keys-rotation', 5);
    const { page, open } = await tested.visit({ person: manager });
    await open('/keys');
    const old = await generateKey(page, 'feed');
    await act(page, 'feed', 'Rotate');
    await page.getByRole('button', { name: 'Create second key' }).click();
    const shown = page.getByRole('dialog', { name: 'Store the key “feed” now' });
    const next = await shown.getByRole('definition').innerText();
    await shown.getByRole('button', { name: 'I have stored it' }).click();
    expect([await statusWith(old), await statusWith(next)]).toEqual([200, 200]);
    await page.getByRole('button', { name: 'Later' }).click();
    await page.reload();
    await page.getByText('The rotation of “feed” is not finished').waitFor();
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('button', { name: 'All programs use the new key' }).click();
    await page.getByRole('button', { name: 'Delete old key' }).click();
    await page.getByText('The rotation of “feed” is not finished').waitFor({ state: 'detached' });
    expect([await statusWith(old), await statusWith(next)]).toEqual([401, 200]);
  });

  it('can be seen but not changed by a member', async () => {
    const { id, manager } = await newAccount('keys-member', 5);
    await (await tested.signIn(manager)).post('/account/my/api-keys', {
      name: 'of the manager',
      expires_in: '30d',
    });
    const member = await tested.addPerson('member@keys-member.test', 'member', id);
    const { page, open } = await tested.visit({ person: member });
    await open('/keys');
    await page.getByText(FORBIDDEN_WITHOUT).waitFor();
    await page.getByRole('rowheader', { name: 'of the manager' }).waitFor();
    await expect.poll(() => page.getByRole('button', { name: /Generate|Actions/ }).count()).toBe(0);
  });
});
