/** Invitations and links to reset a password, from the one who makes them to the first sign-in. */
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { graveFaults } from './accessibility.ts';
import { describe, startConsole } from './harness.ts';
import { waitForScreen } from './screens.ts';
import { signInByForm } from './sign-in-form.ts';

const tested = startConsole();
const PASSWORD = 'several unrelated words';

/** The link that a dialog shows once. */
async function shownLink(page: Page, title: string): Promise<string> {
  const dialog = page.getByRole('dialog', { name: title });
  const link = await dialog.getByRole('definition').innerText();
  expect(await graveFaults(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Done' }).click();
  return link;
}

async function choosePassword(page: Page): Promise<void> {
  await page.getByRole('heading', { name: 'Choose your password' }).waitFor();
  await page.getByLabel('New password', { exact: true }).fill(PASSWORD);
  await page.getByLabel('Confirm new password', { exact: true }).fill(PASSWORD);
  expect(await graveFaults(page)).toEqual([]);
  await page.getByRole('button', { name: 'Set password' }).click();
  await page.getByText('Your password is set. Sign in with it.').waitFor();
}

describe('an invitation', () => {
  it('by a manager brings a colleague into the account, and its link works once', async () => {
    const owner = await tested.signIn(tested.owner);
    const { identity_id: id } = await owner.post('/identities', { name: 'Inviting' });
    const manager = await tested.addPerson('manager@inviting.test', 'manager', id);
    const visit = await tested.visit({ person: manager });
    await visit.open('/team');
    await waitForScreen(visit.page, 'Team');
    await visit.page.getByRole('button', { name: 'Invite' }).click();
    const dialog = visit.page.getByRole('dialog', { name: 'Invite to the team' });
    await dialog.getByLabel('E-mail address').fill('colleague@inviting.test');
    await dialog.getByRole('button', { name: 'Invite' }).click();
    const link = await shownLink(visit.page, 'Invitation for colleague@inviting.test');
    await visit.page
      .getByRole('row', { name: /colleague@inviting.test/ })
      .getByText('invited')
      .waitFor();

    const guest = await tested.visit();
    await guest.page.goto(link);
    await guest.page.getByText('You’ve been invited to the account Inviting').waitFor();
    expect(new URL(guest.page.url()).hash).toBe('');
    await choosePassword(guest.page);
    await expect
      .poll(() => guest.page.getByLabel('E-mail address').inputValue())
      .toBe('colleague@inviting.test');
    guest.watch.announce(401, /^\/v1\/session$/);
    await guest.page.getByLabel('Password', { exact: true }).fill('another password');
    await guest.page.keyboard.press('Enter');
    await guest.page.getByRole('alert').waitFor();
    await expect.poll(() => guest.page.getByText('Your password is set.').count()).toBe(0);
    await guest.page.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await guest.page.keyboard.press('Enter');
    await waitForScreen(guest.page, 'Overview');
    await expect.poll(() => guest.page.getByRole('link', { name: 'Team' }).count()).toBe(0);

    const late = await tested.visit();
    late.watch.announce(404, /^\/v1\/session\/link$/);
    await late.page.goto(link);
    await late.page.getByText('The link no longer works').waitFor();
  });
});

describe('a link for a new password', () => {
  it('is made by an owner, and takes the place of whoever is signed in in the browser', async () => {
    const person = await tested.addPerson('forgetful@demo.test', 'member');
    const session = await tested.signIn(person);
    const { page, open } = await tested.visit({ person: tested.owner });
    await open('/people');
    await waitForScreen(page, 'People');
    await page.getByRole('button', { name: `Actions for ${person.email}` }).click();
    await page.getByRole('menuitem', { name: 'Link for a new password…' }).click();
    await page.getByRole('button', { name: 'Show link' }).click();
    const link = await shownLink(page, `New password for ${person.email}`);
    expect((await session.get('/account/my')).status).toBe(200);
    await page.goto(link);
    await choosePassword(page);
    expect((await session.get('/account/my')).status).toBe(401);
    await signInByForm(page, { email: person.email, password: PASSWORD });
    await waitForScreen(page, 'Overview');
    await page.getByText(person.email).first().waitFor();
  });
});
