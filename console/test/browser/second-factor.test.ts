/** The second factor and the sessions of a person, by the screen. */
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { stepOf, totpCode } from '../../../server/src/access/totp.ts';
import { graveFaults } from './accessibility.ts';
import { describe, startConsole, WIDE } from './harness.ts';
import { FEW, inspectLooks } from './looks.ts';
import { waitForScreen } from './screens.ts';
import { signInByForm } from './sign-in-form.ts';

const tested = startConsole();

/** A code that was not used before: the next one, which the service takes half a minute early. */
function nextCode(secret: string, usedStep: number): string {
  return totpCode(secret, Math.max(usedStep + 1, stepOf(Date.now())));
}

async function turnOn(page: Page, password: string) {
  await page.getByRole('button', { name: 'Turn on' }).click();
  const dialog = page.getByRole('dialog', { name: 'Turn on the second factor' });
  await dialog.getByLabel('Your password', { exact: true }).fill(password);
  await dialog.getByRole('button', { name: 'Continue' }).click();
  await dialog.getByRole('img', { name: /QR code/ }).waitFor();
  expect(await graveFaults(page)).toEqual([]);
  const secret = (await dialog.locator('code').innerText()).replaceAll(' ', '');
  const step = stepOf(Date.now());
  await dialog.getByLabel('Code from the app').fill(totpCode(secret, step));
  await dialog.getByRole('button', { name: 'Turn on' }).click();
  const shown = page.getByRole('dialog', { name: 'Your recovery codes' });
  await shown.waitFor();
  await inspectLooks(page, 'dialog-recovery-codes', FEW);
  const codes = (await shown.getByRole('definition').innerText()).split('\n');
  await shown.getByRole('button', { name: 'I have stored them' }).click();
  return { secret, step, codes };
}

describe('a second factor', () => {
  it('is turned on with a QR code, and asked for from then on', async () => {
    const person = await tested.addPerson('careful@demo.test', 'member');
    const { page, watch, open } = await tested.visit({ person });
    watch.announce(401, /^\/v1\/session$/);
    await open('/profile');
    await waitForScreen(page, 'Profile');
    const { secret, step, codes } = await turnOn(page, person.password);
    expect(codes).toHaveLength(10);
    await page.getByText('10 recovery codes left.').waitFor();
    expect(await graveFaults(page)).toEqual([]);
    await page.getByRole('button', { name: 'Turn off' }).click();
    const turningOff = page.getByRole('dialog');
    await turningOff.waitFor();
    await inspectLooks(page, 'dialog-turn-off-second-factor', FEW);
    await turningOff.getByRole('button', { name: 'Cancel' }).click();
    await page.setViewportSize(WIDE);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in to Ticklake' }).waitFor();
    await signInByForm(page, person);
    await page.getByLabel('Code').fill('000000');
    await page.keyboard.press('Enter');
    await page.getByText('The code is wrong, or was used before').waitFor();
    expect(await graveFaults(page)).toEqual([]);
    await page.getByLabel('Code').fill(nextCode(secret, step));
    await page.keyboard.press('Enter');
    await waitForScreen(page, 'Overview');
  });
});

describe('sessions', () => {
  it('are listed for oneself, and all but this one end at once', async () => {
    const person = await tested.addPerson('roaming@demo.test', 'member');
    const elsewhere = await tested.signIn(person);
    const { page, open } = await tested.visit({ person });
    await open('/profile');
    await waitForScreen(page, 'Profile');
    const rows = page.getByRole('table', { name: 'Sessions' }).getByRole('row');
    await expect.poll(() => rows.count()).toBe(3);
    await page.getByRole('button', { name: 'End all other sessions' }).click();
    await expect.poll(() => rows.count()).toBe(2);
    expect((await elsewhere.get('/account/my')).status).toBe(401);
  });

  it('can be ended by an owner', async () => {
    const person = await tested.addPerson('watched@demo.test', 'member');
    const session = await tested.signIn(person);
    const { page, open } = await tested.visit({ person: tested.owner });
    await open('/people');
    await waitForScreen(page, 'People');
    await page.getByRole('button', { name: `Actions for ${person.email}` }).click();
    await page.getByRole('menuitem', { name: 'Sessions…' }).click();
    const dialog = page.getByRole('dialog', { name: `Sessions of ${person.email}` });
    await dialog.getByRole('button', { name: 'End all' }).click();
    await dialog.getByText('Not signed in anywhere.').waitFor();
    expect((await session.get('/account/my')).status).toBe(401);
  });
});
