/**
 * Three people meet the product for the first time, in the time that they would give it: a prospect
 * understands the offer, a new quant has a chart and a data frame, an owner sets up a customer.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { snippetPython } from '../snippets/snippet-python.ts';
import { countColours } from './explorer-page.ts';
import { describe, startConsole, withSite } from './harness.ts';
import { PacedPerson } from './paced-person.ts';
import { waitForScreen } from './screens.ts';

const OFFER_SECONDS_MAX = 60;
const CHART_SECONDS_MAX = 30;
const FRAME_SECONDS_MAX = 120;
const CUSTOMER_SECONDS_MAX = 60;

const PASSWORD = 'new words here';
const PYTHON_CLIENT = join(import.meta.dirname, '../../../clients/python/src');
/** More than the background and the lines of a chart without candles have. */
const CHART_COLOURS_MIN = 5;
/** To go to the terminal, paste the key, paste the program and run it. */
const ACTS_IN_TERMINAL = 4;

const tested = startConsole(
  withSite({
    name: 'Example Data',
    contact: 'sales@example.com',
    public_catalogue: true,
    public_samples: ['eq_daily_ohlc'],
  }),
);

let python: string | null = null;
beforeAll(async () => {
  if (tested.isRunning) python = await snippetPython();
});

/** Opens an invitation, chooses a password and signs in with it. */
async function acceptInvitation(person: PacedPerson, link: string): Promise<void> {
  const { page } = person;
  await person.open(link);
  await person.read(page.getByText(/^You’ve been invited to the account/));
  await person.type(page.getByLabel('New password', { exact: true }), PASSWORD);
  await person.type(page.getByLabel('Confirm new password', { exact: true }), PASSWORD);
  await person.click(page.getByRole('button', { name: 'Set password' }));
  await person.read(page.getByText('Your password is set. Sign in with it.'));
  await person.type(page.getByLabel('Password', { exact: true }), PASSWORD);
  await person.press('Enter');
  await waitForScreen(page, 'Overview');
}

const screenLink = (page: Page, name: string) =>
  page.getByRole('navigation', { name: 'Screens' }).getByRole('link', { name, exact: true });

/** Generates a key where the first steps lead to it, and returns it as it was copied. */
async function generateKey(person: PacedPerson): Promise<string> {
  const { page } = person;
  await person.click(page.getByRole('link', { name: 'Generate key' }));
  await person.click(page.getByRole('button', { name: 'Generate key' }));
  await person.type(page.getByRole('dialog').getByLabel('Name'), 'notebook');
  await person.click(page.getByRole('dialog').getByRole('button', { name: 'Generate' }));
  const shown = page.getByRole('dialog', { name: 'Store the key “notebook” now' });
  await person.click(shown.getByRole('button', { name: 'Copy' }));
  await shown.getByText('Copied').waitFor();
  const key = await page.evaluate(() => navigator.clipboard.readText());
  await person.click(shown.getByRole('button', { name: 'I have stored it' }));
  return key;
}

/** Opens the chart that the first steps lead to, and returns once candles are drawn. */
async function drawFirstChart(person: PacedPerson): Promise<void> {
  const { page } = person;
  await person.click(page.getByRole('link', { name: 'Show chart' }));
  await page.getByRole('img', { name: /^Candles with volume of / }).waitFor();
  await page.getByText(/ bars; /).waitFor();
  await expect.poll(() => page.evaluate(countColours)).toBeGreaterThan(CHART_COLOURS_MIN);
}

/** Output of a program that is pasted into Python. */
async function runPasted(program: string, text: string, key: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'ticklake-first-program-'));
  const env = {
    PATH: process.env.PATH,
    PYTHONPATH: PYTHON_CLIENT,
    PYTHONDONTWRITEBYTECODE: '1',
    TICKLAKE_CACHE: join(folder, 'cache'),
    TICKLAKE_KEY: key,
  };
  const child = spawn(program, ['-'], { cwd: folder, env });
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      printed += chunk;
    });
  }
  child.stdin.end(text);
  await new Promise((resolve, reject) => child.once('error', reject).once('close', resolve));
  rmSync(folder, { recursive: true });
  return printed;
}

/** An account that reads prices, and the link by which its first person comes in. */
async function invitedQuant(): Promise<string> {
  const owner = await tested.signIn(tested.owner);
  const { identity_id: id } = await owner.post('/identities', { name: 'Juniper Capital' });
  await owner.post(`/identities/${id}/data-access-rules/several`, {
    dataset_ids: ['eq_daily_ohlc', 'eq_trades_1min'],
  });
  const person = { email: 'quant@juniper.test', role: 'manager', identity_id: id };
  return (await owner.post('/people/invite', person)).link;
}

describe('a prospect', () => {
  it('understands the offer in a minute: data, samples, documents, and how to get access', async () => {
    const { page } = await tested.visit();
    const prospect = new PacedPerson(page, 'prospect');
    await prospect.open(`${tested.url}/`);
    await prospect.read(page.getByRole('heading', { level: 1, name: 'Example Data' }));
    await prospect.read(page.getByText(/^Historical US market data over an API/));
    await prospect.glance(page.getByRole('definition').first());
    await prospect.type(page.getByRole('searchbox', { name: 'Search' }), 'vwap');
    await prospect.read(page.getByText('Columns: MarketHoursVWAP, DailyVWAP').first());
    const daily = page.getByRole('link', { name: /^US Equities Daily OHLC Open/ });
    await prospect.glance(daily.getByText(/^\d{4}-\d\d-\d\d to \d{4}-\d\d-\d\d$/));
    await prospect.click(daily);
    const sample = page.getByRole('table', { name: 'Sample of US Equities Daily OHLC' });
    await prospect.glance(sample);
    await expect.poll(() => sample.getByRole('row').count()).toBe(1 + 5);
    await prospect.glance(page.getByRole('table', { name: 'Columns of US Equities Daily OHLC' }));
    const site = page.getByRole('navigation', { name: 'Site' });
    await prospect.click(site.getByRole('link', { name: 'Documentation' }));
    await prospect.glance(page.getByRole('navigation', { name: 'Documentation' }));
    await prospect.read(page.getByRole('article').locator('p').first());
    await prospect.click(site.getByRole('link', { name: 'API reference' }));
    await prospect.glance(page.getByRole('navigation', { name: 'Operations' }));
    await prospect.click(site.getByRole('link', { name: 'Data' }));
    await prospect.read(page.getByText(/You read data with an API key/));
    await prospect.glance(page.getByRole('button', { name: 'Ask for access' }).last());
    expect(prospect.secondsUntil('the offer understood')).toBeLessThan(OFFER_SECONDS_MAX);
  });
});

describe('a new quant', () => {
  it('has the first chart half a minute after signing in, and the first data frame within two of the invitation', async (test) => {
    const link = await invitedQuant();
    const { page } = await tested.visit();
    const quant = new PacedPerson(page, 'new quant');
    await acceptInvitation(quant, link);
    const signedInSeconds = quant.secondsUntil('signed in');
    await quant.glance(page.getByRole('heading', { name: 'Get started' }));
    const key = await generateKey(quant);
    await quant.click(screenLink(page, 'Overview'));
    await drawFirstChart(quant);
    const chartSeconds = quant.secondsUntil('first chart');
    expect(chartSeconds - signedInSeconds).toBeLessThan(CHART_SECONDS_MAX);

    await quant.click(screenLink(page, 'Overview'));
    await page.getByRole('heading', { name: 'Run your first query (done)' }).waitFor();
    await quant.click(page.getByRole('button', { name: 'Copy program' }));
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    if (python === null) return test.skip('there is no Python to run the copied program');
    const program = await page.evaluate(() => navigator.clipboard.readText());
    quant.act(ACTS_IN_TERMINAL);
    const printed = await runPasted(python, program, key);
    expect(printed).toMatch(/^shape: \(10, \d+\)$/m);
    expect(printed).toContain('TradeDate');
    expect(quant.secondsUntil('first data frame')).toBeLessThan(FRAME_SECONDS_MAX);
    await page.getByRole('heading', { name: 'Get started' }).waitFor({ state: 'detached' });
  });
});

/** Creates an account that has a plan, and goes to its page. */
async function createAccount(owner: PacedPerson, name: string, plan: string): Promise<void> {
  const { page } = owner;
  await owner.click(screenLink(page, 'Accounts'));
  await owner.click(page.getByRole('button', { name: 'New account' }));
  const dialog = page.getByRole('dialog', { name: 'New account' });
  await owner.type(dialog.getByLabel('Name'), name);
  await owner.choose(dialog.getByRole('combobox', { name: 'Plan' }), plan);
  await owner.click(dialog.getByRole('button', { name: 'Create' }));
  await waitForScreen(page, name);
}

/** Invites the manager of the account that is shown, and returns the link as it was copied. */
async function inviteManager(owner: PacedPerson, email: string): Promise<string> {
  const { page } = owner;
  await owner.click(page.getByRole('tab', { name: 'People' }));
  await owner.click(page.getByRole('button', { name: 'New person' }));
  const dialog = page.getByRole('dialog', { name: 'New person' });
  await owner.type(dialog.getByLabel('E-mail address'), email);
  await owner.choose(
    dialog.getByRole('combobox', { name: 'Role' }),
    'Manager: also changes keys, subnets and the team',
  );
  await owner.click(dialog.getByRole('button', { name: 'Create' }));
  const made = page.getByRole('dialog', { name: `Invitation for ${email}` });
  await owner.click(made.getByRole('button', { name: 'Copy' }));
  await made.getByText('Copied').waitFor();
  await owner.click(made.getByRole('button', { name: 'Done' }));
  return page.evaluate(() => navigator.clipboard.readText());
}

/** Lets the account that is shown read all datasets of a group. */
async function addRulesOfGroup(owner: PacedPerson, group: string): Promise<void> {
  const { page } = owner;
  await owner.click(page.getByRole('tab', { name: 'Rules' }));
  await owner.click(page.getByRole('button', { name: 'Add rules' }));
  const dialog = page.getByRole('dialog', { name: 'Add rules' });
  await owner.type(dialog.getByRole('combobox', { name: 'Groups' }), group);
  await owner.click(page.getByRole('option', { name: group, exact: true }));
  await owner.click(dialog.getByRole('button', { name: 'Add', exact: true }));
  await dialog.waitFor({ state: 'hidden' });
  const rules = page.getByRole('table', { name: 'Rules' });
  await owner.glance(rules.getByRole('rowheader', { name: 'US Equities Daily OHLC' }).first());
}

describe('an owner with a new customer', () => {
  it('sets up account, plan, rules and manager in a minute, and the manager reads data', async () => {
    const session = await tested.signIn(tested.owner);
    await session.post('/plans', { name: 'Trial', contract_days: 30, month: { requests: 1000 } });
    const visit = await tested.visit({ person: tested.owner });
    await visit.open('/');
    await waitForScreen(visit.page, 'Overview');
    const owner = new PacedPerson(visit.page, 'owner');
    await createAccount(owner, 'Cedar Research', 'Trial');
    const link = await inviteManager(owner, 'ana@cedar.test');
    await addRulesOfGroup(owner, 'Equity');
    expect(owner.secondsUntil('customer set up')).toBeLessThan(CUSTOMER_SECONDS_MAX);

    const { page } = await tested.visit();
    const manager = new PacedPerson(page, 'the customer’s manager');
    await acceptInvitation(manager, link);
    await drawFirstChart(manager);
    manager.secondsUntil('first rows');
  });
});
