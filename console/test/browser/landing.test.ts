/** The landing page: what a prospect sees of a server, with a public catalogue. */
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { graveFaults } from './accessibility.ts';
import { describe, startConsole, withSite } from './harness.ts';
import { inspectLooks } from './looks.ts';
import { waitForScreen, waitUntilLoaded } from './screens.ts';
import { signInByForm } from './sign-in-form.ts';

const tested = startConsole(
  withSite({
    name: 'Example Data',
    text: 'Every trade since 2021.\nAsk us.',
    contact: 'sales@example.com',
    public_catalogue: true,
    public_samples: ['eq_daily_ohlc'],
    prices: { eq_daily_ohlc: '$20 a month' },
  }),
);

async function openLanding(page: Page): Promise<void> {
  await page.goto(`${tested.url}/`);
  await page.getByRole('heading', { level: 1, name: 'Example Data' }).waitFor();
  await page.getByText('Service is up').waitFor();
  await waitUntilLoaded(page);
}

const items = (page: Page) => page.getByRole('link', { name: /columns/ });

async function openDataset(page: Page): Promise<void> {
  await page.getByRole('link', { name: /^US Equities Daily OHLC Open/ }).click();
  await page.getByRole('heading', { level: 1, name: 'US Equities Daily OHLC' }).waitFor();
}

describe('the landing page', () => {
  it('is accessible and within the window, light and dark, wide and narrow', async () => {
    const { page } = await tested.visit();
    await openLanding(page);
    await inspectLooks(page, 'landing');
    await openDataset(page);
    await waitUntilLoaded(page);
    await inspectLooks(page, 'landing-dataset');
  });

  it('is the owner’s, with the way to ask for access, to sign in and to the documentation', async () => {
    const { page } = await tested.visit();
    await openLanding(page);
    expect(await page.title()).toBe('Example Data');
    await page.getByText('Every trade since 2021.').waitFor();
    await page.getByRole('button', { name: 'Ask for access' }).first().click();
    await page.getByRole('textbox', { name: 'Your e-mail address' }).fill('nobody');
    expect(await graveFaults(page)).toEqual([]);
    await page.getByRole('button', { name: 'Ask', exact: true }).click();
    await page.getByText('Enter an e-mail address').waitFor();
    await page.getByRole('textbox', { name: 'Your e-mail address' }).fill('quant@fund.example');
    await page.getByRole('textbox', { name: 'What you need it for' }).fill('A study\nof closes');
    await page.getByRole('button', { name: 'Ask', exact: true }).click();
    await page.getByRole('dialog', { name: 'Your request was sent' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('link', { name: 'Read the documentation' }).click();
    await page.getByRole('heading', { level: 1, name: 'Get data' }).waitFor();
    await page.getByRole('link', { name: 'Example Data' }).click();
    await openLanding(page);
    await page.getByRole('link', { name: 'Sign in', exact: true }).click();
    await signInByForm(page, tested.owner);
    await waitForScreen(page, 'Overview');
    await openLanding(page);
    await page.getByRole('link', { name: 'Console' }).waitFor();
  });

  it('finds datasets by a column, and shows columns and sample rows to anybody', async () => {
    const { page } = await tested.visit();
    await openLanding(page);
    const all = (await (await fetch(`${tested.url}/v1/public/datasets`)).json()) as unknown[];
    await expect.poll(() => items(page).count()).toBe(all.length);
    await page.getByRole('searchbox', { name: 'Search' }).fill('vwap');
    await expect.poll(() => items(page).count()).toBe(4);
    await page.getByText('Columns: MarketHoursVWAP, DailyVWAP').first().waitFor();
    await openDataset(page);
    const sample = page.getByRole('table', { name: 'Sample of US Equities Daily OHLC' });
    await sample.waitFor();
    await expect.poll(() => sample.getByRole('row').count()).toBe(1 + 5);
    const columns = page.getByRole('table', { name: 'Columns of US Equities Daily OHLC' });
    await columns.getByText('MarketHoursVWAP').waitFor();
  });

  it('has a page of each dataset at an address of its own, with its price and coverage', async () => {
    const { page } = await tested.visit();
    await page.goto(`${tested.url}/datasets/US1020`);
    await page.getByRole('heading', { level: 1, name: 'US Equities Daily OHLC' }).waitFor();
    expect(await page.title()).toBe('US Equities Daily OHLC – Example Data');
    await page.getByText('$20 a month').waitFor();
    await page.getByText('Last trade date').waitFor();
    await page.getByRole('button', { name: 'Ask for access' }).first().click();
    await page.getByRole('dialog', { name: 'Ask for access to US Equities Daily OHLC' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('link', { name: 'All datasets' }).click();
    await openLanding(page);
    await page.goto(`${tested.url}/datasets/US1032`);
    await page.getByRole('table', { name: /^Columns of/ }).waitFor();
    expect(await page.getByRole('table', { name: /^Sample of/ }).count()).toBe(0);
    for (const id of ['us1032/', 'EQ_taq']) {
      await page.goto(`${tested.url}/datasets/${id}`);
      await page
        .getByRole('table', { name: 'Columns of US Equities Trade and Quote', exact: true })
        .waitFor();
    }
    await page.goto(`${tested.url}/datasets/US0`);
    await page.getByText('There is no dataset US0.').waitFor();
    await page.goto(`${tested.url}/datasets/US1032/more`);
    await page.getByRole('heading', { level: 1, name: 'Example Data' }).waitFor();
  });
});
