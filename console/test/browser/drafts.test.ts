/** Drafts: kept when the session ends, and asked about before they are left. */
import { expect, it } from 'vitest';
import { describe, startConsole } from './harness.ts';
import { waitForScreen } from './screens.ts';
import { signInByForm } from './sign-in-form.ts';

const tested = startConsole();

describe('a half-finished form', () => {
  it('is there again after the session has ended and the person has signed in', async () => {
    const { page, context, watch, open } = await tested.visit({ person: tested.owner });
    watch.announce(401, /^\/v1\//);
    await open('/keys');
    await waitForScreen(page, 'API keys');
    await page.getByRole('button', { name: 'Generate key' }).click();
    await page.getByLabel('Name').fill('typed before the end');
    await context.clearCookies();
    await page.getByRole('dialog').getByRole('button', { name: 'Generate' }).click();
    await page.getByRole('heading', { name: 'Sign in to Ticklake' }).waitFor();
    await signInByForm(page, tested.owner);
    await page.getByRole('dialog', { name: 'Generate an API key' }).waitFor();
    await expect.poll(() => page.getByLabel('Name').inputValue()).toBe('typed before the end');
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Generate key' }).click();
    await expect.poll(() => page.getByLabel('Name').inputValue()).toBe('');
  });

  it('asks before it is left, and stays when that is not wanted', async () => {
    const { page, open } = await tested.visit({ person: tested.owner });
    await open('/network');
    await waitForScreen(page, 'Network');
    await page.getByRole('button', { name: 'Add subnet' }).click();
    const subnet = page.getByRole('textbox', { name: /subnet/i }).last();
    await subnet.fill('203.0.113.0/24');
    await page.getByRole('link', { name: 'Usage', exact: true }).click();
    const question = page.getByRole('dialog', { name: 'Leave without saving?' });
    await question.getByRole('button', { name: 'Cancel' }).click();
    await expect.poll(() => subnet.inputValue()).toBe('203.0.113.0/24');
    await page.getByRole('link', { name: 'Usage', exact: true }).click();
    await question.getByRole('button', { name: 'Leave' }).click();
    await waitForScreen(page, 'Usage');
    await page.getByRole('link', { name: 'Network' }).click();
    await waitForScreen(page, 'Network');
    await expect.poll(() => page.getByText('203.0.113.0/24').count()).toBe(0);
  });

  it('asks before another tab of its screen is opened', async () => {
    const { page, open } = await tested.visit({ person: tested.owner });
    await open('/accounts/1');
    const name = page.getByRole('tabpanel').getByLabel('Name');
    const before = await name.inputValue();
    await name.fill('typed and not saved');
    await page.getByRole('tab', { name: 'Limits' }).click();
    const question = page.getByRole('dialog', { name: 'Leave without saving?' });
    await question.getByRole('button', { name: 'Cancel' }).click();
    await expect.poll(() => name.inputValue()).toBe('typed and not saved');
    await page.getByRole('tab', { name: 'Limits' }).click();
    await question.getByRole('button', { name: 'Leave' }).click();
    await page.waitForURL('**/accounts/1?tab=limits');
    await page.getByRole('tab', { name: 'Settings' }).click();
    await expect.poll(() => name.inputValue()).toBe(before);
  });

  it('asks before its dialog is dismissed', async () => {
    const { page, open } = await tested.visit({ person: tested.owner });
    await open('/keys');
    await waitForScreen(page, 'API keys');
    await page.getByRole('button', { name: 'Generate key' }).click();
    const dialog = page.getByRole('dialog', { name: 'Generate an API key' });
    const question = page.getByRole('dialog', { name: 'Leave without saving?' });
    await dialog.waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'hidden' });
    await page.getByRole('button', { name: 'Generate key' }).click();
    await dialog.getByLabel('Name').fill('typed and not sent');
    await page.keyboard.press('Escape');
    await question.waitFor();
    await page.keyboard.press('Escape');
    await question.waitFor({ state: 'hidden' });
    await expect.poll(() => dialog.getByLabel('Name').inputValue()).toBe('typed and not sent');
    await dialog.getByRole('button', { name: 'Close' }).click();
    await question.getByRole('button', { name: 'Leave' }).click();
    await dialog.waitFor({ state: 'hidden' });
    await page.getByRole('button', { name: 'Generate key' }).click();
    await expect.poll(() => dialog.getByLabel('Name').inputValue()).toBe('');
  });
});

describe('the notice about the initial password', () => {
  it('is put away for good', async () => {
    const person = await tested.addPerson('new@demo.test', 'member');
    const { page, open } = await tested.visit({ person });
    await open('/');
    await waitForScreen(page, 'Overview');
    const notice = page.getByText('You are still using your initial password.');
    await notice.waitFor();
    await page.getByRole('button', { name: 'Dismiss', exact: true }).click();
    await notice.waitFor({ state: 'hidden' });
    await page.reload();
    await waitForScreen(page, 'Overview');
    await expect.poll(() => notice.count()).toBe(0);
  });
});
