/** Signing in, staying signed in, and coming back to where one was. */
import { expect, it } from 'vitest';
import { describe, startConsole } from './harness.ts';
import { signInByForm } from './sign-in-form.ts';

const tested = startConsole();

describe('signing in', () => {
  it('tells of a wrong password, keeps the e-mail address, and lets the right one in', async () => {
    const { page, watch, open } = await tested.visit();
    watch.announce(401, /^\/v1\/session$/);
    await open('/');
    await page.getByRole('heading', { name: 'Sign in to Ticklake' }).waitFor();
    await signInByForm(page, { ...tested.owner, password: 'certainly not the password' });
    await page.getByText('The e-mail address or the password is wrong').waitFor();
    await expect
      .poll(() => page.getByLabel('E-mail address').inputValue())
      .toBe(tested.owner.email);
    await page.getByLabel('Password', { exact: true }).fill(tested.owner.password);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
    expect(new URL(page.url()).pathname).toBe('/console/');
  });

  it('goes on to the screen that was asked for', async () => {
    const { page, open } = await tested.visit();
    await open('/catalogue?q=halts');
    await signInByForm(page, tested.owner);
    await page.getByRole('heading', { level: 1, name: 'Catalogue' }).waitFor();
  });

  it('keeps the session where no script reads it, and ends it for good', async () => {
    const { page, context, open } = await tested.visit({ person: tested.owner });
    await open('/');
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
    expect(await page.evaluate(() => document.cookie)).toBe('');
    const [cookie] = await context.cookies();
    expect(cookie).toMatchObject({ httpOnly: true, sameSite: 'Strict' });
    const stolen = { Cookie: `${cookie?.name}=${cookie?.value}` };
    const account = () => fetch(`${tested.url}/v1/account/my`, { headers: stolen });
    expect((await account()).status).toBe(200);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in to Ticklake' }).waitFor();
    expect((await account()).status).toBe(401);
    await page.goBack();
    await page.getByRole('heading', { name: 'Sign in to Ticklake' }).waitFor();
  });

  it('comes back to where one was when the session has ended meanwhile', async () => {
    const { page, context, watch, open } = await tested.visit({ person: tested.owner });
    await open('/access');
    await page.getByRole('heading', { level: 1, name: 'Data access' }).waitFor();
    watch.announce(401, /^\/v1\//);
    await context.clearCookies();
    await page.getByRole('link', { name: 'Catalogue' }).click();
    await page.getByText('After you sign in, you’ll go to the page you asked for.').waitFor();
    await signInByForm(page, tested.owner);
    await page.getByRole('heading', { level: 1, name: 'Catalogue' }).waitFor();
  });
});

describe('a server that stops', () => {
  it('is told by a banner, which goes by itself when the server is back', async () => {
    const { page, watch, open } = await tested.visit({ person: tested.owner });
    await open('/catalogue');
    await page.getByRole('heading', { level: 1, name: 'Catalogue' }).waitFor();
    watch.announceOutage(true);
    await tested.stop();
    await page.getByRole('link', { name: 'Data access' }).click();
    const banner = page
      .getByRole('alert')
      .filter({ hasText: 'Can’t reach the server. What you see may be out of date.' });
    await banner.waitFor();
    await tested.restart();
    await banner.waitFor({ state: 'hidden' });
    await page.getByRole('heading', { level: 1, name: 'Data access' }).waitFor();
    await page.getByText('US Equities Daily OHLC', { exact: true }).first().waitFor();
    // Not sooner: a request that failed meanwhile may be told after the banner has gone.
    watch.announceOutage(false);
  });
});
