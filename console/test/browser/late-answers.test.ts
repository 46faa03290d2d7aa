/** Answers to changes that come after the person has gone on, or has gone. */
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { describe, startConsole } from './harness.ts';
import { waitForScreen } from './screens.ts';
import { signInByForm } from './sign-in-form.ts';

const tested = startConsole();

/** Holds back what the server answers to a change, which it has made once `made` is resolved. */
async function holdAnswer(page: Page, path: string) {
  const [made, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  await page.route(path, async (route) => {
    if (route.request().method() !== 'POST') return route.fallback();
    const response = await route.fetch();
    made.resolve();
    await released.promise;
    await route.fulfill({ response });
  });
  return { made: made.promise, release: released.resolve };
}

describe('an answer that comes late', () => {
  it('shows no key to whoever has signed in since', async () => {
    const other = await tested.addPerson('next@late.test', 'manager');
    const { page, open } = await tested.visit({ person: tested.owner });
    await open('/keys');
    const { made, release } = await holdAnswer(page, '**/account/my/api-keys');
    await page.getByRole('button', { name: 'Generate key' }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill('slow');
    await page.getByRole('dialog').getByRole('button', { name: 'Generate' }).click();
    await made;
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in to Ticklake' }).waitFor();
    const answered = page.waitForEvent('requestfinished', (request) =>
      request.url().endsWith('/account/my/api-keys'),
    );
    release();
    await answered;
    await signInByForm(page, other);
    // A dialog would hide it.
    await page.getByRole('heading', { name: 'Overview', includeHidden: true }).waitFor();
    expect(await page.getByRole('dialog').count()).toBe(0);
  });

  it('says why the change of a dialog that was dismissed has failed', async () => {
    const { page, open, watch } = await tested.visit({ person: tested.owner });
    watch.announce(422, /^\/v1\/account\/my\/api-keys$/);
    await open('/keys');
    const failing = Promise.withResolvers<void>();
    const asked = page.waitForRequest((request) => request.method() === 'POST');
    await page.route('**/account/my/api-keys', async (route) => {
      if (route.request().method() !== 'POST') return route.fallback();
      await failing.promise;
      await route.fulfill({ status: 422, json: { detail: 'No more keys for now' } });
    });
    await page.getByRole('button', { name: 'Generate key' }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill('failing');
    await page.getByRole('dialog').getByRole('button', { name: 'Generate' }).click();
    await asked;
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    failing.resolve();
    await page.getByText('No more keys for now').waitFor();
  });

  it('shows its key also when the dialog that asked for it was dismissed', async () => {
    const { page, open } = await tested.visit({ person: tested.owner });
    await open('/keys');
    const { made, release } = await holdAnswer(page, '**/account/my/api-keys');
    await page.getByRole('button', { name: 'Generate key' }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill('dismissed');
    await page.getByRole('dialog').getByRole('button', { name: 'Generate' }).click();
    await made;
    await page.keyboard.press('Escape');
    await page.getByRole('link', { name: 'Team', exact: true }).click();
    await waitForScreen(page, 'Team');
    release();
    await page.getByRole('dialog', { name: 'Store the key “dismissed” now' }).waitFor();
  });

  it('leaves a dialog as it is that was opened since', async () => {
    const signedIn = await tested.signIn(tested.owner);
    await signedIn.post('/account/my/api-keys', { name: 'first name', expires_in: '1d' });
    const { page, open } = await tested.visit({ person: tested.owner });
    await open('/keys');
    const { made, release } = await holdAnswer(page, '**/rename');
    await page.getByRole('button', { name: 'Actions for first name' }).click();
    await page.getByRole('menuitem', { name: 'Rename…' }).click();
    const name = page.getByRole('textbox', { name: 'Name' });
    await name.fill('second name');
    await page.getByRole('dialog').getByRole('button', { name: 'Rename' }).click();
    await made;
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Generate key' }).click();
    await name.fill('half of a na');
    release();
    await page.getByText('The key is now called “second name”').first().waitFor();
    await page
      .getByRole('button', { name: 'Actions for second name', includeHidden: true })
      .waitFor();
    expect(await name.count()).toBe(1);
    expect(await name.inputValue()).toBe('half of a na');
  });

  it('takes nobody to a step of a dialog that was given up', async () => {
    const { page, open } = await tested.visit({ person: tested.owner });
    await open('/publications/history?dataset=US2013');
    const { made, release } = await holdAnswer(page, '**/admin/publications/withdraw');
    await page.getByRole('button', { name: 'Withdraw rows…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('checkbox', { name: 'All rows of the dataset' }).click();
    await dialog.getByRole('textbox', { name: 'Reason' }).fill('a second thought');
    await dialog.getByRole('button', { name: 'Check rows' }).click();
    await made;
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await dialog.waitFor({ state: 'hidden' });
    // Lists are read again once the answer was heard.
    const heard = page.waitForEvent('requestfinished', (request) =>
      /\/admin\/publications\?/.test(request.url()),
    );
    release();
    await heard;
    expect(await dialog.count()).toBe(0);
  });
});
