/** The documentation at `/docs`, as people read it. */
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { graveFaults } from './accessibility.ts';
import { describe, newContext, startConsole } from './harness.ts';
import { inspectLooks } from './looks.ts';

const tested = startConsole();

async function openDocs(page: Page, path: string): Promise<void> {
  await page.goto(`${tested.url}${path}`);
  const bar = page.getByRole('banner');
  await bar.getByRole('link', { name: /^(Sign in|Console)$/ }).waitFor();
}

const searchField = (page: Page) =>
  page.getByRole('combobox', { name: 'Search the documentation' });

describe('the documentation', () => {
  it('is accessible and within the window, light and dark, wide and narrow', async () => {
    const { page } = await tested.visit();
    for (const [name, path] of [
      ['documentation', '/docs'],
      ['documentation-page', '/docs/settings'],
    ] as const) {
      await openDocs(page, path);
      await inspectLooks(page, name);
    }
  });

  it('leads from page to page, to the heading that a link names, and on', async () => {
    const { page } = await tested.visit();
    await openDocs(page, '/docs/rules/equities');
    await page
      .getByRole('navigation', { name: 'Documentation' })
      .getByText('Longer bars', { exact: true })
      .click();
    await page.getByRole('heading', { level: 1, name: 'Longer bars' }).waitFor();
    const here = page.getByRole('navigation', { name: 'Documentation' });
    await expect.poll(() => here.locator('[aria-current=page]').innerText()).toBe('Longer bars');
    await openDocs(page, '/docs/queries#the-other-parameters');
    const top = () =>
      page.locator('#the-other-parameters').evaluate((e) => e.getBoundingClientRect().top);
    await expect.poll(top).toBeLessThan(120);
    await page.getByRole('navigation', { name: 'Next pages' }).getByRole('link').last().click();
    await page
      .getByRole('heading', { level: 1, name: 'Tickers, companies and contracts' })
      .waitFor();
  });

  it('finds a section by its words, with the keyboard alone', async () => {
    const { page } = await tested.visit();
    await openDocs(page, '/docs');
    await searchField(page).focus();
    await page.keyboard.type('not adjusted');
    const first = page.getByRole('option').first();
    await expect.poll(() => first.innerText()).toContain('Rows that are not adjusted');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/docs/adjusted-prices#rows-that-are-not-adjusted');
    expect(await graveFaults(page)).toEqual([]);
  });

  it('names the server that it comes from in its examples', async () => {
    const { page } = await tested.visit();
    await openDocs(page, '/docs');
    const example = page.locator('article code', { hasText: 'export TICKLAKE_URL=' });
    expect(await example.innerText()).toContain(`export TICKLAKE_URL=${tested.url}\n`);
  });

  it('lists the datasets that the reader may read, and only these, with their last dates', async () => {
    const owner = await tested.signIn(tested.owner);
    const { identity_id: id } = await owner.post('/identities', { name: 'reader' });
    await owner.post(`/identities/${id}/data-access-rules`, { dataset_id: 'eq_daily_ohlc' });
    const person = await tested.addPerson('reader@docs.test', 'member', id);
    const { body: status } = await owner.get('/meta/datasets/US1020/status');
    const { page } = await tested.visit({ person });
    await openDocs(page, '/docs');
    const own = page.getByRole('table').filter({ hasText: 'You may read' }).getByRole('row');
    await own.getByText('eq_daily_ohlc', { exact: true }).waitFor();
    expect(await own.count()).toBe(2);
    expect(await own.first().innerText()).toContain('Dataset’s last date');
    expect(await own.last().innerText()).toContain(status.last_trade_date);
    expect(await graveFaults(page)).toEqual([]);
    await own.getByRole('link').click();
    await page.getByRole('heading', { level: 1, name: 'US Equities Daily OHLC' }).waitFor();
  });

  it('offers to sign in where nobody is', async () => {
    const { page } = await tested.visit();
    await openDocs(page, '/docs');
    await page.getByText('Sign in to see here which datasets you may read').waitFor();
  });

  it('is led to from an address that has nothing', async () => {
    const { page, watch } = await tested.visit();
    for (const path of ['/nothing', '/docs/nothing']) {
      watch.announce(404, new RegExp(`^${path}$`));
      await page.goto(`${tested.url}${path}`);
      await page.getByRole('heading', { name: 'Page not found' }).waitFor();
      expect(await page.title()).toBe('Page not found');
      expect(await graveFaults(page)).toEqual([]);
    }
    await page.getByRole('link', { name: 'Documentation' }).click();
    await page.getByRole('heading', { level: 1 }).waitFor();
  });

  it('says when nothing is found', async () => {
    const { page } = await tested.visit();
    await openDocs(page, '/docs');
    await searchField(page).fill('qqxyzzy');
    await page.getByText('Nothing found for “qqxyzzy”').waitFor();
  });

  it('can be read without a script', async () => {
    const context = await newContext({ javaScriptEnabled: false });
    const page = await context.newPage();
    await page.goto(`${tested.url}/docs/queries`);
    await page.getByRole('heading', { level: 1, name: 'Asking for rows' }).waitFor();
    await page.getByRole('link', { name: 'Settings' }).first().waitFor();
    await context.close();
  });

  it('copies a block of code', async () => {
    const { page } = await tested.visit();
    await openDocs(page, '/docs/recipes');
    const block = page.locator('article .code').first();
    await block.getByRole('button', { name: 'Copy' }).click();
    await block.getByRole('button', { name: 'Copied' }).waitFor();
    const code = await block.locator('code').innerText();
    expect((await page.evaluate(() => navigator.clipboard.readText())).trim()).toBe(code.trim());
  });
});
