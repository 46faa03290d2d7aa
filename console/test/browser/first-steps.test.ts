/** A new account: its first steps tick themselves, and it asks for what it may not read. */
import { expect, it } from 'vitest';
import { graveFaults } from './accessibility.ts';
import { describe, startConsole } from './harness.ts';
import { getWithKey } from './person.ts';
import { waitForScreen } from './screens.ts';

const tested = startConsole();

async function newAccount(name: string) {
  const owner = await tested.signIn(tested.owner);
  const { identity_id: id } = await owner.post('/identities', { name });
  const manager = await tested.addPerson(`manager@${name}.test`, 'manager', id);
  return { owner, id, manager };
}

describe('the first steps of an account', () => {
  it('tick themselves as the server sees them, and are gone when all are done', async () => {
    const { owner, id, manager } = await newAccount('beginning');
    await owner.post(`/identities/${id}/data-access-rules`, { dataset_id: 'eq_daily_ohlc' });
    const { page, open } = await tested.visit({ person: manager });
    await open('/');
    await waitForScreen(page, 'Overview');
    const steps = page.getByRole('list').filter({ hasText: 'Generate an API key' });
    await steps.waitFor();
    await expect.poll(() => steps.locator('pre').innerText()).toContain('client.dataset("US1020")');
    expect(await graveFaults(page)).toEqual([]);
    const session = await tested.signIn(manager);
    const { api_key: key } = await session.post('/account/my/api-keys', {
      name: 'first',
      expires_in: '1d',
    });
    await page.getByRole('heading', { name: 'Generate an API key (done)' }).waitFor();
    const path = '/data/us-equity/eq-daily-ohlc?limit=1';
    expect((await session.get(path)).status).toBe(200);
    await page.getByRole('heading', { name: 'Run your first query (done)' }).waitFor();
    expect((await getWithKey(tested.url, key, `/v1${path}`)).status).toBe(200);
    await steps.waitFor({ state: 'hidden' });
  });

  it('say what could not be loaded, and claim nothing until it is', async () => {
    const { owner, id, manager } = await newAccount('waiting');
    await owner.post(`/identities/${id}/data-access-rules`, { dataset_id: 'eq_daily_ohlc' });
    const { page, open, watch } = await tested.visit({ person: manager });
    const form = /\/US1020\/query$/;
    watch.announce(503, form);
    const held = Promise.withResolvers<void>();
    await page.route(/\/meta\/datasets\/my$/, async (route) => {
      await held.promise;
      await route.continue();
    });
    await page.route(form, (route) => route.fulfill({ status: 503, json: { detail: 'Busy.' } }));
    await open('/');
    await page.getByText('Loading your datasets…').waitFor();
    expect(await page.getByText('Ask for access to a dataset first.').count()).toBe(0);
    held.resolve();
    const failure = page.getByRole('alert').filter({ hasText: 'Couldn’t load the program' });
    await failure.waitFor();
    await page.unrouteAll();
    await failure.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('client.dataset("US1020")').waitFor();
  });

  it('lead to an example, and back from it', async () => {
    const { page, open } = await tested.visit({ person: tested.owner });
    await open('/');
    await waitForScreen(page, 'Overview');
    await open('/explorer?dataset=US1020&example=true');
    await page.waitForURL(/identifier=\w+&tab=chart&run=true/);
    await page.goBack();
    await waitForScreen(page, 'Overview');
  });

  it('tell a member whom to ask for a key', async () => {
    const { id } = await newAccount('reading');
    const member = await tested.addPerson('member@reading.test', 'member', id);
    const { page, open } = await tested.visit({ person: member });
    await open('/');
    await waitForScreen(page, 'Overview');
    await page
      .getByText('Ask a manager of your account, or the owner of this service, to generate one')
      .waitFor();
  });

  it('stay away once they were dismissed', async () => {
    const { manager } = await newAccount('knowing');
    const { page, open } = await tested.visit({ person: manager });
    await open('/');
    await waitForScreen(page, 'Overview');
    await page.getByRole('button', { name: 'Dismiss “Get started”' }).click();
    await page.reload();
    await waitForScreen(page, 'Overview');
    await page.getByRole('heading', { level: 2 }).first().waitFor();
    await expect.poll(() => page.getByRole('heading', { name: 'Get started' }).count()).toBe(0);
  });
});

describe('access to a dataset', () => {
  it('is asked for in the catalogue, and granted by an owner with one click', async () => {
    const { manager } = await newAccount('asking');
    const visit = await tested.visit({ person: manager });
    await visit.open('/catalogue/US1020');
    await visit.page.getByRole('button', { name: 'Ask for access' }).click();
    const dialog = visit.page.getByRole('dialog', { name: 'Ask for access' });
    await dialog.getByLabel('What you need it for (optional)').fill('A study\nof closes');
    expect(await graveFaults(visit.page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Ask' }).click();
    await visit.page.getByText('You asked for access').waitFor();
    const asked =
      /^manager@asking\.test asked on [\d-]+ [\d:]+ UTC\. An owner of this service will decide\.$/;
    await visit.page.getByText(asked).waitFor();

    const { page, open } = await tested.visit({ person: tested.owner });
    await open('/access-requests');
    await waitForScreen(page, 'Access requests');
    const row = page.getByRole('row').filter({ hasText: 'manager@asking.test' });
    await row.getByText('A study of closes').waitFor();
    expect(await graveFaults(page)).toEqual([]);
    await page.getByRole('link', { name: 'Access requests (1 open request)' }).waitFor();
    await row.getByRole('button', { name: /^Grant/ }).click();
    await row.getByText('granted').waitFor();
    const session = await tested.signIn(manager);
    expect((await session.get('/data/us-equity/eq-daily-ohlc?limit=1')).status).toBe(200);
  });
});
