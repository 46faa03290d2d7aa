/** Days to choose from, and what begins or goes on only when the person wants it. */
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { graveFaults } from './accessibility.ts';
import { explorerPath, rowsRead } from './explorer-page.ts';
import { describe, startConsole } from './harness.ts';
import { getWithKey } from './person.ts';
import { waitForScreen, waitUntilLoaded } from './screens.ts';

const tested = startConsole();

const DAILY = { dataset: 'US1020', identifier: 'AVQX', from: '2026-09-01', run: true } as const;

async function openExplorer(search: Parameters<typeof explorerPath>[0]) {
  const visit = await tested.visit({ person: tested.owner });
  await visit.open(explorerPath(search));
  await waitForScreen(visit.page, 'Explorer');
  return visit;
}

const focusedLabel = (page: Page) =>
  page.evaluate(() => document.activeElement?.getAttribute('aria-label'));

describe('the calendar of a trade date', () => {
  it('says what is there of each day, goes by the keyboard, and takes the latest', async () => {
    const { page } = await openExplorer({ dataset: 'US1032', identifier: 'AVQX' });
    const { body } = await getWithKey(tested.url, tested.key, '/v1/meta/datasets/US1032/coverage');
    const days: { date: string; rows: number | null }[] = body.days;
    const [before, last] = days.filter(({ rows }) => rows !== null && rows > 0).slice(-2);
    const button = page.getByRole('button', { name: 'Calendar: Trade date' });
    await button.click();
    const day = page.getByRole('button', { name: `${last!.date}: complete`, pressed: true });
    await day.waitFor();
    await expect.poll(() => day.evaluate((it) => it === document.activeElement)).toBe(true);
    expect(await graveFaults(page)).toEqual([]);
    // Days without rows may lie between them.
    for (let at = 0; at < 7 && !(await focusedLabel(page))?.includes(before!.date); at += 1) {
      await page.keyboard.press('ArrowLeft');
    }
    await page.keyboard.press('Enter');
    const field = page.getByLabel('Trade date', { exact: true });
    await expect.poll(() => field.inputValue()).toBe(before!.date);
    await button.click();
    await page.getByRole('button', { name: `Always the latest day (${last!.date})` }).click();
    await expect.poll(() => field.inputValue()).toBe('latest');
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await rowsRead(page);
    await page.getByRole('gridcell', { name: last!.date, exact: true }).first().waitFor();
  });
});

describe('a month of the calendar', () => {
  it('stays at its button, is asked for where one stops, and says when a limit refused it', async () => {
    const { page, watch } = await openExplorer({ dataset: 'US1020', identifier: 'AVQX' });
    const years: string[] = [];
    const path = /\/US1020\/coverage\?/;
    watch.announce(429, path);
    await page.route(path, (route) => {
      const year = new URL(route.request().url()).searchParams.get('start')!.slice(0, 4);
      years.push(year);
      if (year !== '2024' || years.indexOf(year) < years.length - 1) return route.continue();
      return route.fulfill({ status: 429, json: { detail: 'Per-minute limit exceeded: 5/5.' } });
    });
    await page.getByRole('button', { name: 'Calendar: From' }).click();
    await page.getByRole('button', { name: /^\d+, 2026-\d\d-\d\d: /, pressed: true }).waitFor();
    const before = page.getByRole('button', { name: 'Month before' });
    await before.press('Enter');
    expect(await focusedLabel(page)).toBe('Month before');
    // No timer ends in between: the page does nothing else until the month is one of 2024.
    await before.evaluate(async (button: HTMLElement) => {
      const shown = () => button.parentElement!.textContent;
      for (let at = 0; at < 40 && !shown().includes('2024'); at += 1) {
        button.click();
        for (let turn = 0; turn < 20; turn += 1) await null;
      }
    });
    const refused = page.getByRole('alert').filter({ hasText: 'Per-minute limit exceeded' });
    await refused.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('button', { name: /^1, 2024-\d\d-01: / }).waitFor();
    expect(years).toEqual(['2026', '2024', '2024']);
  });
});

describe('Enter beside the form of a query', () => {
  it('asks for no rows, which it does in the fields of its panels', async () => {
    const { page } = await openExplorer(DAILY);
    await rowsRead(page);
    let asked = 0;
    page.on('request', (request) => {
      if (/\/eq-daily-ohlc\?.*response_format=csv/.test(request.url())) asked += 1;
    });
    await page.getByRole('checkbox', { name: 'Thousands separators' }).press('Enter');
    await page.getByRole('tab', { name: 'Chart' }).click();
    await page.getByRole('slider', { name: 'Bar' }).press('Enter');
    await page.getByRole('tab', { name: 'Rows' }).click();
    await page.getByRole('button', { name: 'More', exact: true }).click();
    const wanted = page.waitForRequest(
      /response_format=csv.*period=7W|period=7W.*response_format=csv/,
    );
    await page.getByLabel('Period').fill('7W');
    await page.getByLabel('Period').press('Enter');
    await wanted;
    expect(asked).toBe(1);
  });
});

describe('a chart of rows that is stopped', () => {
  it('is asked for again by a click alone, wherever the person was meanwhile', async () => {
    const { page, open } = await tested.visit({ person: tested.owner });
    const path = /\/opt-trades-1min\?.*response_format=arrow/;
    let asked = 0;
    const held = Promise.withResolvers<void>();
    await page.route(path, async (route) => {
      asked += 1;
      if (asked === 1) await held.promise;
      await route.continue().catch(() => undefined);
    });
    const given = page.waitForEvent('requestfailed', (request) => path.test(request.url()));
    await open(explorerPath({ dataset: 'US5003', identifier: 'AVQX', tab: 'chart', run: true }));
    await page.getByRole('button', { name: 'Stop' }).click();
    await given;
    held.resolve();
    const stopped = page.getByText('You stopped it.');
    await stopped.waitFor();
    await page.evaluate(() => dispatchEvent(new Event('visibilitychange')));
    await page.getByRole('tab', { name: 'Rows' }).click();
    await rowsRead(page);
    await page.getByRole('tab', { name: 'Chart' }).click();
    await stopped.waitFor();
    await page.getByRole('button', { name: 'Go on' }).click();
    await page.getByRole('img', { name: /^Candles/ }).waitFor();
    expect(asked).toBe(2);
  });
});

describe('rows that take long', () => {
  it('are no longer asked for once that is stopped, and come when it is gone on with', async () => {
    const { page, open } = await tested.visit({ person: tested.owner });
    const path = /\/v1\/data\/us-equity\/eq-daily-ohlc/;
    const held = Promise.withResolvers<void>();
    await page.route(path, () => held.promise);
    await open(explorerPath(DAILY));
    const given = page.waitForEvent('requestfailed', (request) => path.test(request.url()));
    await page.getByRole('button', { name: 'Stop' }).click();
    await given;
    await page.getByText('You stopped it.').waitFor();
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    held.resolve();
    await page.getByRole('button', { name: 'Go on' }).click();
    expect(await rowsRead(page)).toBeGreaterThan(10);
  });
});

describe('a download that a limit stops', () => {
  it('asks for nothing more until the limit is reset and the person goes on', async () => {
    const { page, watch } = await openExplorer({ dataset: 'US1020' });
    watch.announce(429, /offset=30000/);
    await waitUntilLoaded(page);
    let asked = 0;
    await page.route(/offset=30000/, (route) => {
      asked += 1;
      if (asked > 1) return route.continue();
      const headers = { 'x-ratelimit-reset': '3' };
      const json = { detail: 'Per-minute request limit exceeded: 5/5 requests.' };
      return route.fulfill({ status: 429, headers, json });
    });
    await page.getByRole('button', { name: 'Download', exact: true }).click();
    const resume = page.getByRole('button', { name: 'Resume from row 30,001' });
    await resume.filter({ hasText: /in \d s$/ }).waitFor();
    expect(await resume.isDisabled()).toBe(true);
    // The page would take what has come with it.
    const question = page.waitForEvent('dialog', (dialog) => dialog.type() === 'beforeunload');
    await page.close({ runBeforeUnload: true });
    await (await question).dismiss();
    await expect.poll(() => resume.isEnabled()).toBe(true);
    expect(asked).toBe(1);
    const begun = page.waitForEvent('download');
    await resume.click();
    await begun;
    expect(asked).toBe(2);
  });

  it('offers no going on where the limit is one of the month, and says what others wait for', async () => {
    const { page, watch } = await openExplorer({ dataset: 'US1020' });
    watch.announce(429, /offset=30000/);
    await waitUntilLoaded(page);
    const headers = { 'x-ratelimit-reset': '1036800' };
    const json = { detail: 'Monthly request limit exceeded: 5/5 requests.' };
    await page.route(/offset=30000/, (route) => route.fulfill({ status: 429, headers, json }));
    const download = page.getByRole('button', { name: 'Download', exact: true });
    await download.click();
    const news = page.getByRole('region', { name: 'Downloads' });
    await news.getByText('30,000 rows received.').waitFor();
    expect(await news.getByRole('button').allInnerTexts()).toEqual(['Discard']);
    await download.click();
    const waiting = news.getByText(
      /^Waiting: a limit stopped eq-daily-ohlc.*Resume or discard it$/,
    );
    await waiting.waitFor();
    await news.getByRole('button', { name: 'Discard' }).click();
    await waiting.waitFor({ state: 'detached' });
    await news.getByText('30,000 rows received.').waitFor();
  });
});
