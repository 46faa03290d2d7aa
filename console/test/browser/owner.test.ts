/** An owner's work, and its visible effects. */
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { PROGRAM } from '../../../server/test/program.ts';
import { graveFaults } from './accessibility.ts';
import { describe, NARROW, startConsole, WIDE } from './harness.ts';
import { getWithKey } from './person.ts';
import { overflowOf, waitForScreen, waitUntilLoaded } from './screens.ts';
import { signInByForm } from './sign-in-form.ts';

const tested = startConsole();

const DAILY = '/v1/data/us-equity/eq-daily-ohlc';

async function addRule(page: Page, dataset: string, from: string, identifiers: string) {
  await page.getByRole('tab', { name: 'Rules' }).click();
  await page.getByRole('button', { name: 'Add rules' }).click();
  const dialog = page.getByRole('dialog', { name: 'Add rules' });
  await dialog.getByRole('combobox', { name: 'Datasets' }).fill(dataset);
  await page.getByRole('option', { name: dataset }).first().click();
  await dialog.getByRole('textbox', { name: 'First trade date' }).fill(from);
  await dialog.getByLabel('Identifiers').fill(identifiers);
  expect(await graveFaults(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Add', exact: true }).click();
  await dialog.waitFor({ state: 'hidden' });
}

async function addPerson(page: Page, email: string): Promise<string> {
  await page.getByRole('tab', { name: 'People' }).click();
  await page.getByRole('button', { name: 'New person' }).click();
  const dialog = page.getByRole('dialog', { name: 'New person' });
  await dialog.getByLabel('E-mail address').fill(email);
  // Nobody else could manage the new account.
  await expect
    .poll(() => dialog.getByRole('combobox', { name: 'Role' }).innerText())
    .toContain('Manager');
  expect(await graveFaults(page)).toEqual([]);
  await dialog.getByRole('combobox', { name: 'First sign-in' }).click();
  await page.getByRole('option', { name: 'Generate an initial password' }).click();
  await dialog.getByRole('button', { name: 'Create' }).click();
  const shown = page.getByRole('dialog', { name: `Initial password of ${email}` });
  const password = await shown.getByRole('definition').innerText();
  await shown.getByRole('button', { name: 'I have stored it' }).click();
  return password;
}

describe('a legal name of 200 characters', () => {
  it('widens no page', async () => {
    const owner = await tested.signIn(tested.owner);
    const name = 'W'.repeat(200);
    const { identity_id: id } = await owner.post('/identities', { name });
    const member = await tested.addPerson('long@name.test', 'member', id);
    const visits = [
      { person: tested.owner, paths: [`/accounts/${id}`, `/accounts/${id}?tab=people`] },
      { person: member, paths: ['/', '/keys', '/profile'] },
    ];
    for (const { person, paths } of visits) {
      for (const viewport of [WIDE, NARROW]) {
        const { page, open } = await tested.visit({ person, viewport });
        for (const path of paths) {
          await open(path);
          await page.getByRole('heading', { level: 1 }).waitFor();
          await waitUntilLoaded(page);
          expect(await overflowOf(page), `${path} at ${viewport.width}`).toBeLessThanOrEqual(0);
        }
      }
    }
  });
});

describe('an owner', () => {
  it('creates an account with a rule and a person, who then sees only their own', async () => {
    const { page, open } = await tested.visit({ person: tested.owner });
    await open('/accounts');
    await waitForScreen(page, 'Accounts');
    await page.getByRole('button', { name: 'New account' }).click();
    const dialog = page.getByRole('dialog', { name: 'New account' });
    await dialog.getByRole('button', { name: 'Create' }).click();
    await expect.poll(() => dialog.getByLabel('Name').getAttribute('aria-invalid')).toBe('true');
    await dialog.getByLabel('Name').fill('Harbour Research');
    expect(await graveFaults(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Create' }).click();
    await waitForScreen(page, 'Harbour Research');
    await addRule(page, 'US Equities Daily OHLC', '2026-01-01', 'AVQX, BZOQ');
    const rules = page.getByRole('table', { name: 'Rules' });
    await rules.getByRole('rowheader', { name: 'US Equities Daily OHLC' }).waitFor();
    const password = await addPerson(page, 'analyst@harbour.test');

    const other = await tested.visit();
    await other.open('/');
    await signInByForm(other.page, { email: 'analyst@harbour.test', password });
    await waitForScreen(other.page, 'Overview');
    const screens = other.page.getByRole('navigation', { name: 'Screens' });
    await screens.getByRole('heading', { name: 'Harbour Research' }).waitFor();
    await expect
      .poll(() => screens.getByRole('heading', { name: 'Administration' }).count())
      .toBe(0);
    await screens.getByRole('link', { name: 'Data access' }).click();
    await waitForScreen(other.page, 'Data access');
    await other.page.getByText('US Equities Daily OHLC').first().waitFor();
    await expect.poll(() => other.page.getByText('US Equities Trading Halts').count()).toBe(0);
    for (const identifier of ['AVQX', 'BZOQ', '2026-01-01']) {
      await other.page.getByText(identifier).first().waitFor();
    }
  });

  it('is told beside the field that a name is taken, and what was typed stays', async () => {
    const { page, watch, open } = await tested.visit({ person: tested.owner });
    watch.announce(422, /^\/v1\/identities$/);
    await open('/accounts');
    await page.getByRole('button', { name: 'New account' }).click();
    const dialog = page.getByRole('dialog', { name: 'New account' });
    await dialog.getByLabel('Name').fill('demo');
    await dialog.getByLabel('Key limit').fill('7');
    await dialog.getByRole('button', { name: 'Create' }).click();
    await dialog.getByText('This is already the name of account 1').waitFor();
    await expect.poll(() => dialog.getByLabel('Name').getAttribute('aria-invalid')).toBe('true');
    await expect.poll(() => dialog.getByLabel('Name').inputValue()).toBe('demo');
    await expect.poll(() => dialog.getByLabel('Key limit').inputValue()).toBe('7');
  });

  it('sets a limit that the account then meets, and takes its rule away', async () => {
    const owner = await tested.signIn(tested.owner);
    const { identity_id: id } = await owner.post('/identities', { name: 'Limited' });
    await owner.post(`/identities/${id}/data-access-rules`, { dataset_id: 'eq_daily_ohlc' });
    const { api_key: key } = await owner.post(`/identities/${id}/api-keys`, {
      name: 'k',
      expires_in: '1d',
    });
    const status = async () => (await getWithKey(tested.url, key, `${DAILY}?limit=1`)).status;
    expect(await status()).toBe(200);
    const { page, open } = await tested.visit({ person: tested.owner });
    await open(`/accounts/${id}?tab=limits`);
    await waitForScreen(page, 'Limited');
    const month = page.getByRole('group', { name: 'Per month' });
    await month.getByRole('checkbox', { name: 'Unlimited requests' }).click();
    await month.getByLabel('Requests', { exact: true }).fill('1');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('The limits were saved').first().waitFor();
    expect(await status()).toBe(429);
    await month.getByRole('checkbox', { name: 'Unlimited requests' }).click();
    await page.getByRole('button', { name: 'Save' }).click();
    await expect.poll(status).toBe(200);
    await page.getByRole('tab', { name: 'Rules' }).click();
    await page.getByRole('button', { name: 'Delete the rule for' }).click();
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByText('No rules yet. This account can’t read any data yet.').waitFor();
    expect(await status()).toBe(403);
  });

  it('deactivates an account, whose people and keys are refused at once', async () => {
    const owner = await tested.signIn(tested.owner);
    const { identity_id: id } = await owner.post('/identities', { name: 'Closing' });
    const member = await tested.addPerson('member@closing.test', 'member', id);
    const { api_key: key } = await owner.post(`/identities/${id}/api-keys`, {
      name: 'k',
      expires_in: '1d',
    });
    const session = await tested.signIn(member);
    const { page, open } = await tested.visit({ person: tested.owner });
    await open(`/accounts/${id}`);
    await waitForScreen(page, 'Closing');
    await page.getByRole('button', { name: 'Deactivate' }).click();
    const question = page.getByRole('dialog', { name: 'Deactivate Closing?' });
    await question.getByRole('button', { name: 'Deactivate' }).click();
    await page.getByRole('button', { name: 'Activate', exact: true }).waitFor();
    expect((await getWithKey(tested.url, key, '/v1/account/my')).status).toBeGreaterThan(400);
    expect((await session.get('/account/my')).status).toBeGreaterThan(400);
  });

  it('resets a password: the old one and its sessions are gone, the new one works', async () => {
    const person = await tested.addPerson('forgetful@demo.test', 'member');
    const session = await tested.signIn(person);
    const { page, open } = await tested.visit({ person: tested.owner });
    await open('/people');
    await waitForScreen(page, 'People');
    await page.getByRole('button', { name: `Actions for ${person.email}` }).click();
    await page.getByRole('menuitem', { name: 'Reset password…' }).click();
    await page.getByRole('dialog').getByRole('button', { name: /Reset/ }).click();
    const shown = page.getByRole('dialog', { name: `Initial password of ${person.email}` });
    const password = await shown.getByRole('definition').innerText();
    expect((await session.get('/account/my')).status).toBe(401);
    await expect(tested.signIn(person)).rejects.toThrow();
    const { get } = await tested.signIn({ email: person.email, password });
    expect((await get('/account/my')).status).toBe(200);
  });
});

describe('monitoring by an owner', () => {
  it('tells of every dataset what is published', async () => {
    const { page, open } = await tested.visit({ person: tested.owner });
    const owner = await tested.signIn(tested.owner);
    const publications = (await owner.get('/publication-status')).body;
    await open('/publications');
    await waitForScreen(page, 'Publications');
    const rows = page.getByRole('table', { name: 'Publications' }).getByRole('row');
    await expect.poll(() => rows.count()).toBe(publications.length + 1);
    for (const { dataset_id, row_count } of publications.slice(0, 5)) {
      const row = rows.filter({ has: page.getByText(dataset_id, { exact: true }) });
      await expect.poll(() => row.innerText()).toContain(row_count.toLocaleString('en-US'));
    }
    const row = rows.filter({ has: page.getByText('US1020', { exact: true }) });
    await row.getByRole('link', { name: 'US Equities Daily OHLC' }).click();
    await waitForScreen(page, 'US Equities Daily OHLC');
    await page.goBack();
    await row.getByRole('link', { name: /^version/ }).click();
    await waitForScreen(page, 'History of publications');
    expect(new URL(page.url()).searchParams.get('dataset')).toBe('US1020');
  });

  it('shows refused requests as they come, and those that run', async () => {
    const { page, open } = await tested.visit({ person: tested.owner });
    await open('/requests');
    await waitForScreen(page, 'Requests');
    await getWithKey(tested.url, tested.key, '/v1/data/us-equity/eq-daily-ohlc?Nonsense=1');
    const refused = page.getByRole('table', { name: 'Refused requests' }).getByRole('row');
    const row = refused.filter({ hasText: 'Nonsense=1' });
    await row.getByText('Bad request (422)').waitFor();
    await row.getByRole('link', { name: 'demo' }).waitFor();
    await page.getByRole('button', { name: 'Pause' }).click();
    await page.getByText('Paused. The lists below are not updating.').waitFor();
  });

  it('shows a request that is running, with whose it is, until it is over', async () => {
    const { page, open } = await tested.visit({ person: tested.owner });
    await open('/requests');
    await waitForScreen(page, 'Requests');
    // More than fits on the way to a client that does not read.
    const path = '/v1/data/us-equity/eq-taq-1min/AVQX?limit=10000';
    const stalled = request(`${tested.url}${path}`, { headers: { 'X-API-KEY': tested.key } });
    stalled.on('response', (response) => response.pause());
    stalled.on('error', () => undefined);
    stalled.end();
    const rows = page.getByRole('table', { name: 'Running requests' }).getByRole('row');
    const row = rows.filter({ hasText: path });
    await row.getByText('sending').waitFor();
    await row.getByRole('link', { name: 'demo' }).waitFor();
    stalled.destroy();
    await row.waitFor({ state: 'detached' });
  });

  it('tells of a new version of a dataset as soon as it is loaded', async () => {
    const owner = await tested.signIn(tested.owner);
    const halts = '/v1/data/us-equity-ref/eq-trading-halts?response_format=csv';
    const { body: csv } = await getWithKey(tested.url, tested.key, halts);
    const { page, open } = await tested.visit({ person: tested.owner });
    await open('/publications');
    await waitForScreen(page, 'Publications');
    const row = page.getByRole('row').filter({ has: page.getByText('US2013', { exact: true }) });
    await row.getByText('version 1').waitFor();
    const file = join(tested.home, 'halts.csv');
    writeFileSync(file, csv);
    const words = ['ingest', 'eq_trading_halts', file, '--home', tested.home, '--allow-loss'];
    await promisify(execFile)(process.execPath, [PROGRAM, ...words]);
    await row.getByText('version 2').waitFor();
    expect((await owner.get('/meta/datasets/US2013/status')).body.version).toBe(2);
  });

  it('finds a change in the audit log by what was done, with who did it', async () => {
    const owner = await tested.signIn(tested.owner);
    const { identity_id: id } = await owner.post('/identities', { name: 'Audited' });
    await owner.post(`/identities/${id}/update`, { name: 'Audited anew' });
    const { page, open } = await tested.visit({ person: tested.owner });
    await open('/audit-log');
    await waitForScreen(page, 'Audit log');
    const entries = page.getByRole('list', { name: 'Audit log entries' });
    await page.getByRole('combobox', { name: 'Operation' }).fill('Update account');
    await page.getByRole('option', { name: 'Update account' }).click();
    await waitUntilLoaded(page);
    await expect.poll(() => entries.getByText('Update account', { exact: true }).count()).toBe(1);
    const text = await entries.innerText();
    expect(text).toContain(`${tested.owner.email} renamed the account Audited to Audited anew`);
    expect(text).not.toMatch(/createIdentity|Create account/);
    expect(page.url()).toContain('operation=updateIdentity');
    await page.getByLabel('Who', { exact: true }).fill(tested.owner.email.toUpperCase());
    await expect.poll(() => page.url()).toContain('actor=');
    await waitUntilLoaded(page);
    await expect.poll(() => entries.getByText('Update account', { exact: true }).count()).toBe(1);
    expect(text).not.toMatch(/identity:|updateIdentity/);
    await page.getByLabel('What was changed').fill(`Account ${id}`);
    await expect.poll(() => page.url()).toContain('target=');
    await waitUntilLoaded(page);
    await expect.poll(() => entries.getByText('Update account', { exact: true }).count()).toBe(1);
    await page.getByLabel('Who', { exact: true }).fill('nobody@x.example');
    await page.getByText('No entries match.').waitFor();
  });
});
