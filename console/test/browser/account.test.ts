/** Screens of an account and of its people, and how the console follows changes to them. */
import { expect, it } from 'vitest';
import { describe, NARROW, startConsole } from './harness.ts';
import { getWithKey } from './person.ts';
import { overflowOf, waitForScreen } from './screens.ts';

const tested = startConsole();

const DAILY = '/v1/data/us-equity/eq-daily-ohlc';

async function newMember(name: string) {
  const owner = await tested.signIn(tested.owner);
  const { identity_id: id } = await owner.post('/identities', { name });
  return { owner, id, person: await tested.addPerson(`member@${name}.test`, 'member', id) };
}

describe('the overview', () => {
  it('shows what was used of the limits, and which dataset and key used it', async () => {
    const { owner, id, person } = await newMember('overview');
    await owner.post(`/identities/${id}/data-access-rules`, { dataset_id: 'eq_daily_ohlc' });
    await owner.post(`/identities/${id}/quotas`, { month: { requests: 8 } });
    const { api_key: key } = await owner.post(`/identities/${id}/api-keys`, {
      name: 'the busy one',
      expires_in: '1d',
    });
    for (const limit of [1, 2, 3]) await getWithKey(tested.url, key, `${DAILY}?limit=${limit}`);
    const member = await tested.signIn(person);
    await expect
      .poll(async () => (await member.get('/account/my/usage')).body.total.requests)
      .toBe(3);
    const { page, open } = await tested.visit({ person });
    await open('/');
    await waitForScreen(page, 'Overview');
    const meter = page.getByRole('meter', { name: 'Requests' }).first();
    await expect.poll(() => meter.getAttribute('aria-valuetext')).toMatch(/^3 (requests )?of 8\b/);
    expect(Number(await meter.getAttribute('aria-valuenow'))).toBe(3 / 8);
    const datasets = page.getByRole('table', { name: /datasets/i }).getByRole('row');
    await datasets.filter({ hasText: 'US Equities Daily OHLC' }).getByText('100%').waitFor();
    const keys = page.getByRole('table', { name: /keys/i }).getByRole('row');
    await keys
      .filter({ hasText: 'the busy one' })
      .getByText(/^3( requests)?$/)
      .waitFor();
  });
});

describe('a password', () => {
  it('is changed with the current one, which ends the sessions elsewhere and not this one', async () => {
    const { person } = await newMember('password');
    const elsewhere = await tested.signIn(person);
    const { page, watch, open } = await tested.visit({ person });
    watch.announce(422, /^\/v1\/session\/password$/);
    await open('/profile');
    await waitForScreen(page, 'Profile');
    const current = page.getByLabel('Current password', { exact: true });
    const next = page.getByLabel('New password', { exact: true });
    const again = page.getByLabel('Confirm new password', { exact: true });
    await current.fill('not the current one');
    await next.fill('several unrelated words');
    await again.fill('several other words');
    await page.getByRole('button', { name: 'Change password' }).click();
    await expect.poll(() => again.getAttribute('aria-invalid')).toBe('true');
    await again.fill('several unrelated words');
    await page.getByRole('button', { name: 'Change password' }).click();
    await expect.poll(() => current.getAttribute('aria-invalid')).toBe('true');
    await expect.poll(() => next.inputValue()).toBe('several unrelated words');
    await current.fill(person.password);
    await page.getByRole('button', { name: 'Change password' }).click();
    await page.getByText('Your password was changed').first().waitFor();
    expect((await elsewhere.get('/account/my')).status).toBe(401);
    await page.getByRole('link', { name: 'API keys' }).click();
    await waitForScreen(page, 'API keys');
    await tested.signIn({ ...person, password: 'several unrelated words' });
    await expect(tested.signIn(person)).rejects.toThrow();
  });
});

describe('a first password', () => {
  it('is changed where its reminder leads, above the list of sessions', async () => {
    const { page, open } = await tested.visit({ person: tested.owner });
    await open('/');
    await page.getByRole('link', { name: 'Change it' }).click();
    await waitForScreen(page, 'Profile');
    const cards = await page.getByRole('heading', { level: 2 }).allInnerTexts();
    const sessions = cards.indexOf('Where you are signed in');
    expect(cards.slice(0, sessions)).toContain('Change your password');
    expect(sessions).toBeGreaterThan(0);
  });
});

describe('the console', () => {
  it('keeps the theme that was chosen', async () => {
    const { page, open } = await tested.visit({ person: tested.owner });
    await open('/access');
    await waitForScreen(page, 'Data access');
    const background = () => page.evaluate(() => getComputedStyle(document.body).color);
    const light = await background();
    await page.getByRole('button', { name: 'System theme' }).click();
    await page.getByRole('button', { name: 'Light theme' }).click();
    await page.getByRole('button', { name: 'Dark theme' }).waitFor();
    await expect.poll(background).not.toBe(light);
    const dark = await background();
    await page.reload();
    await waitForScreen(page, 'Data access');
    expect(await background()).toBe(dark);
  });

  it('has its navigation behind a button on a phone', async () => {
    const { page, open } = await tested.visit({ person: tested.owner, viewport: NARROW });
    await open('/');
    await waitForScreen(page, 'Overview');
    const link = page.getByRole('link', { name: 'Catalogue' });
    await expect.poll(() => link.isVisible()).toBe(false);
    const menu = page.getByRole('button', { name: 'Menu' });
    await menu.click();
    await expect.poll(() => menu.getAttribute('aria-expanded')).toBe('true');
    expect(await overflowOf(page)).toBe(0);
    await link.click();
    await waitForScreen(page, 'Catalogue');
    await expect.poll(() => link.isVisible()).toBe(false);
  });

  it('keeps what was typed when the server is away, and sends it when it is back', async () => {
    const { page, watch, open } = await tested.visit({ person: tested.owner });
    await open('/keys');
    await waitForScreen(page, 'API keys');
    await page.getByRole('button', { name: 'Generate key' }).click();
    await page.getByLabel('Name').fill('made after a restart');
    watch.announceOutage(true);
    await tested.stop();
    await page.getByRole('dialog').getByRole('button', { name: 'Generate' }).click();
    await page.getByRole('dialog').getByText('Can’t reach the server').waitFor();
    await tested.restart();
    await expect.poll(() => page.getByLabel('Name').inputValue()).toBe('made after a restart');
    await page.getByRole('dialog').getByRole('button', { name: 'Generate' }).click();
    await page.getByRole('dialog', { name: 'Store the key “made after a restart” now' }).waitFor();
    watch.announceOutage(false);
  });

  it('shows another person nothing of the one who was signed in before', async () => {
    const { person } = await newMember('after-the-owner');
    const { page, context, open } = await tested.visit({ person: tested.owner });
    await open('/keys');
    await page.getByRole('rowheader', { name: 'demo key' }).waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in to Ticklake' }).waitFor();
    const { cookie } = await tested.signIn(person);
    await context.addCookies([{ ...cookie, url: tested.url, httpOnly: true, sameSite: 'Strict' }]);
    await open('/keys');
    await waitForScreen(page, 'API keys');
    await page.getByText('This account has no API keys yet.').waitFor();
    await expect.poll(() => page.getByText('demo key').count()).toBe(0);
  });
});
