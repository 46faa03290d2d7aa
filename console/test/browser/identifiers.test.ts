/** Asking for futures, options, and columns with few values. */
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { eventually } from '../../../server/test/eventually.ts';
import { graveFaults } from './accessibility.ts';
import {
  chooseOption,
  explorerPath,
  gridOf,
  openMore,
  rowsRead,
  runQuery,
} from './explorer-page.ts';
import { describe, SCREENSHOTS, startConsole } from './harness.ts';
import { waitForScreen, waitUntilLoaded } from './screens.ts';

const tested = startConsole();
const LAPTOP = { width: 1366, height: 768 };

async function openExplorer(search: Parameters<typeof explorerPath>[0]) {
  const visit = await tested.visit({ person: tested.owner, viewport: LAPTOP });
  await visit.open(explorerPath(search));
  await waitForScreen(visit.page, 'Explorer');
  return visit;
}

/** Which values the first rows have in a column that is shown. */
async function valuesOf(page: Page, column: string): Promise<readonly string[]> {
  const header = gridOf(page).getByRole('columnheader', { name: column });
  const index = await header.getAttribute('aria-colindex');
  return gridOf(page).locator(`[role="gridcell"][aria-colindex="${index}"]`).allInnerTexts();
}

const ROOT = 'XQE';

/** After this, what was clicked is not coming back by itself. */
const RETRY_MS = 5000;

describe('futures', () => {
  it('are offered by their root: all contracts, continuous ones, and each with its delivery', async () => {
    const { page } = await openExplorer({ dataset: 'US6014' });
    const field = page.getByLabel('Identifiers');
    await field.pressSequentially(ROOT.toLowerCase());
    const option = (name: RegExp) => page.getByRole('option', { name });
    await option(new RegExp(`^${ROOT}\\.v\\.0`)).waitFor();
    const contract = option(new RegExp(`^${ROOT}[FGHJKMNQUVXZ]\\d.* 20\\d\\d`)).first();
    await contract.waitFor();
    await page.screenshot({ path: join(SCREENSHOTS, 'explorer-futures.png') });
    await contract.click();
    const name = await field.inputValue();
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
    expect(await field.inputValue()).toBe(name);
    await runQuery(page);
    await rowsRead(page);
    expect(new Set(await valuesOf(page, 'Ticker'))).toEqual(new Set([name]));
  });

  it('are offered of no root that has no contracts', async () => {
    const { page } = await openExplorer({ dataset: 'US6014' });
    const field = page.getByLabel('Identifiers');
    const asked = page.waitForResponse(/BaseSymbol=XQ&/);
    await field.pressSequentially('xq');
    await asked;
    await waitUntilLoaded(page);
    await expect.poll(() => page.getByRole('option').count()).toBe(0);
    await field.pressSequentially('e');
    await page.getByRole('option', { name: /^XQE\.c\.0/ }).waitFor();
  });

  it('have rows of contracts for a root, and a chart of the nearest delivery', async () => {
    const { page } = await openExplorer({ dataset: 'US6014', identifier: ROOT, run: true });
    await rowsRead(page);
    expect(new Set(await valuesOf(page, 'BaseSymbol'))).toEqual(new Set([ROOT]));
    await page.getByRole('tab', { name: 'Chart' }).click();
    await page.getByRole('img', { name: `Candles with volume of ${ROOT}.c.0` }).waitFor();
    await page.getByText(/\d bars; /).waitFor();
  });

  it('are found in lower case: a root, a list of roots, and a continuous contract', async () => {
    const open = (identifier: string) => openExplorer({ dataset: 'US6014', identifier, run: true });
    const [root, list, continuous] = await Promise.all([
      ...[open('xqe'), open('XQI, xqe'), open('xqe.c.0')],
    ]);
    await rowsRead(root!.page);
    expect(new Set(await valuesOf(root!.page, 'BaseSymbol'))).toEqual(new Set([ROOT]));
    await expect.poll(() => root!.page.getByLabel('Identifiers').inputValue()).toBe(ROOT);
    await rowsRead(list!.page);
    await expect.poll(() => list!.page.getByLabel('Identifiers').inputValue()).toBe('XQI, XQE');
    expect(await rowsRead(continuous!.page)).toBeGreaterThan(10);
  });

  it('by contracts and roots at once are refused before they are asked for', async () => {
    const { page } = await openExplorer({ dataset: 'US6014' });
    await page.getByLabel('Identifiers').fill('ESZ6, NQ');
    await page.getByText('Enter contracts or roots, not both; NQ is a root').waitFor();
  });
});

describe('options', () => {
  it('are chosen by expiration, right and strike of their underlying', async () => {
    const { page } = await openExplorer({ dataset: 'US5003', identifier: 'AVQX' });
    const group = page.getByRole('group', { name: 'Option contract' });
    await group.waitFor();
    const owner = await tested.signIn(tested.owner);
    const path = '/data/us-equity-opt/opt-trades-1min?Ticker=AVQX&limit=1&CallPut=C';
    const [{ ExpirationDate: expiration, Strike: strike }] = (await owner.get(path)).body.data;
    await chooseOption(page, group.getByRole('combobox', { name: 'Expiration' }), expiration);
    await group.getByRole('combobox', { name: 'Call or put' }).click();
    const calls = page.getByRole('option', { name: 'Calls', exact: true });
    await calls.click();
    // An open list keeps the pointer from everything else.
    await calls.waitFor({ state: 'hidden' });
    // The list closes if the calls' strikes arrive while it is open: then somebody types once more.
    await eventually(async () => {
      await group.getByRole('combobox', { name: 'Strike' }).fill(String(strike));
      await page
        .getByRole('option', { name: String(strike), exact: true })
        .click({ timeout: RETRY_MS });
    });
    await page.screenshot({ path: join(SCREENSHOTS, 'explorer-options.png') });
    expect(await graveFaults(page)).toEqual([]);
    await runQuery(page);
    await rowsRead(page);
    expect(new Set(await valuesOf(page, 'ExpirationDate'))).toEqual(new Set([expiration]));
    expect(new Set(await valuesOf(page, 'CallPut'))).toEqual(new Set(['C']));
    await page.getByRole('button', { name: 'Filters: 3' }).waitFor();
  });
});

describe('a filter of a column with few values', () => {
  it('offers them, also for a list, and takes any other', async () => {
    const { page } = await openExplorer({ dataset: 'US1032', identifier: 'AVQX' });
    await waitUntilLoaded(page);
    await openMore(page);
    await page.getByRole('button', { name: 'Add filter' }).click();
    const filter = page.getByRole('group', { name: 'Filter 1' });
    await chooseOption(page, filter.getByRole('combobox', { name: 'Filter 1 column' }), 'Exchange');
    expect(await graveFaults(page)).toEqual([]);
    const value = filter.getByRole('combobox', { name: 'Value' });
    await value.click();
    await page.getByRole('option', { name: 'FINRA' }).click();
    await expect.poll(() => value.inputValue()).toBe('FINRA');
    await filter.getByRole('combobox', { name: 'Operator' }).click();
    await page.getByRole('option', { name: 'is one of' }).click();
    await value.fill('FINRA,ny');
    await page.getByRole('option', { name: 'NYSE' }).click();
    await expect.poll(() => value.inputValue()).toBe('FINRA,NYSE');
    await value.fill('ELSEWHERE');
    await page.getByRole('option').first().waitFor({ state: 'hidden' });
    await expect.poll(() => value.inputValue()).toBe('ELSEWHERE');
  });
});
