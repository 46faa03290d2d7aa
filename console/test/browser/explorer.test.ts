/** The Explorer against the interface itself: what it shows and hands out is what HTTP answers. */
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gunzipSync } from 'node:zlib';
import type { Download, Locator, Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { graveFaults } from './accessibility.ts';
import {
  chooseOption,
  countColours,
  explorerPath,
  gridOf,
  openMore,
  readCsv,
  readGrid,
  rowsRead,
  runQuery,
  withFixedDecimals,
} from './explorer-page.ts';
import { describe, SCREENSHOTS, startConsole } from './harness.ts';
import { getWithKey } from './person.ts';
import { waitForScreen, waitUntilLoaded } from './screens.ts';

const tested = startConsole();

const DAILY = { dataset: 'US1020', identifier: 'AVQX', from: '2026-09-01', to: '2026-11-10' };
const MINUTE_CHART = { dataset: 'US1014', identifier: 'AVQX', tab: 'chart', run: true } as const;
const DATASET_PATH = '/v1/data/us-equity/eq-daily-ohlc?adjusted=false&aggregation_logic=algoseek';
const STATUS_PATH = '/v1/meta/datasets/US1020/status';
const DAILY_PATH = `${DATASET_PATH}&Ticker=AVQX&TradeDate.ge=2026-09-01&TradeDate.le=2026-11-10`;

async function openExplorer(search: Parameters<typeof explorerPath>[0] = {}) {
  const visit = await tested.visit({ person: tested.owner });
  await visit.open(explorerPath(search));
  await waitForScreen(visit.page, 'Explorer');
  return visit;
}

async function csvOf(path: string): Promise<string> {
  const { status, body } = await getWithKey(tested.url, tested.key, path);
  expect(status, String(body)).toBe(200);
  return body;
}

interface Trade {
  /** To the millisecond, as the chart counts. */
  readonly moment: string;
  readonly price: number;
  readonly quantity: number;
}

async function avqxTradesOf(date: string): Promise<Trade[]> {
  const limit = 30_000;
  const csv = await csvOf(
    `/v1/data/us-equity/eq-taq/${date}/AVQX?EventType.like=TRADE*` +
      `&columns=EventDateTime,Price,Quantity,EventType&response_format=csv&limit=${limit}`,
  );
  const [, ...rows] = readCsv(csv);
  expect(rows.length).toBeLessThan(limit);
  return rows
    .filter(([, , , event]) => !event!.includes('CANCEL'))
    .map(([time, price, quantity]) => ({
      moment: time!.slice(0, '2026-01-02T09:30:00.000'.length),
      price: Number(price),
      quantity: Number(quantity),
    }));
}

/** The path of the request as the Explorer shows it, below the server's address. */
async function shownPath(page: Page): Promise<string> {
  await page.getByRole('tab', { name: 'Code' }).click();
  const text = await page
    .getByRole('region', { name: 'URL', exact: true })
    .locator('pre')
    .innerText();
  expect(text.startsWith(tested.url)).toBe(true);
  // The version that it would read, once that is known.
  return text.slice(tested.url.length).replace(/&dataset_version=\d+$/, '');
}

async function contentOf(download: Download): Promise<Buffer> {
  return readFileSync(await download.path());
}

/** True if the top of an element is on the screen, and some of it below. */
function isInSight(part: Locator): Promise<boolean> {
  return part.evaluate((element) => {
    const { top } = element.getBoundingClientRect();
    return top >= 0 && top + 100 < innerHeight;
  });
}

/** Waits until the page has written its edits into the address. */
const untilWritten = (page: Page) =>
  // Allowed: its timers end in their order, however slow it is.
  page.evaluate(() => new Promise((isDue) => setTimeout(isDue, 600)));

/** Keeps the answer with the rows after the first 30,000 back until the function is called. */
async function holdSecondPage(page: Page): Promise<() => void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  await page.route(/offset=30000/, async (route) => {
    await promise;
    await route.continue();
  });
  return resolve;
}

describe('the field for identifiers', () => {
  it('suggests securities by name, number and ticker, and asks for none before one types', async () => {
    const { page } = await openExplorer({ ...DAILY, identifier: '' });
    const asked: string[] = [];
    page.on('request', (request) => {
      const { pathname, searchParams } = new URL(request.url());
      if (pathname.endsWith('/symbology/search')) asked.push(searchParams.get('q') ?? '');
    });
    await page.reload();
    await waitForScreen(page, 'Explorer');
    const { body } = await getWithKey(tested.url, tested.key, '/v1/symbology/search?q=AVQX');
    const [{ name, asid }] = body.securities;
    const field = page.getByLabel('Identifiers');
    const options = page.getByRole('option');
    await field.waitFor();
    expect(asked).toEqual([]);

    await field.pressSequentially(name.toLowerCase());
    await options.filter({ hasText: `ASID ${asid}` }).waitFor();
    await expect
      .poll(() => options.filter({ hasText: `ASID ${asid}` }).innerText())
      .toContain(name);
    await field.press('ArrowDown');
    await field.press('Enter');
    await expect.poll(() => field.inputValue()).toBe('AVQX');
    await options.first().waitFor({ state: 'hidden' });

    await field.press('End');
    await field.pressSequentially(`, ${asid}`.slice(0, -1));
    await options.filter({ hasText: new RegExp(`^${asid}`) }).click();
    await expect.poll(() => field.inputValue()).toBe(`AVQX, ${asid}`);
    const inAddress = () => new URL(page.url()).searchParams.get('identifier');
    await expect.poll(inAddress).toBe(`AVQX, ${asid}`);

    const { promise: mayAnswer, resolve: answer } = Promise.withResolvers<void>();
    await page.route('**/symbology/search?q=nobody*', async (route) => {
      await mayAnswer;
      await route.continue();
    });
    await field.fill('nobody is called so');
    await expect.poll(() => asked.at(-1)).toBe('nobody is called so');
    // Not even until the answer: nothing of another term is offered.
    await expect.poll(() => options.count()).toBe(0);
    const answered = page.waitForResponse((response) => response.url().includes('q=nobody'));
    answer();
    await answered;
    await expect.poll(() => options.count()).toBe(0);
  });
});

describe('the Explorer without a dataset', () => {
  it('lists those that the account can read, each a way in', async () => {
    const { page } = await openExplorer();
    await page.getByRole('link', { name: 'US Equities Daily OHLC', exact: true }).click();
    const dataset = page.getByRole('combobox', { name: 'Dataset' });
    await expect.poll(() => dataset.inputValue()).toBe('US Equities Daily OHLC');
    await page.getByText('Run the query to see its rows.').waitFor();
    expect(new URL(page.url()).searchParams.get('dataset')).toBe('US1020');
  });
});

/** How much of the window's height an element takes that is in sight. */
async function shareInSight(page: Page, element: Locator): Promise<number> {
  const { y, height } = (await element.boundingBox())!;
  const window = page.viewportSize()!.height;
  return (Math.min(y + height, window) - Math.max(y, 0)) / window;
}

describe('results on a laptop of 1366 by 768', () => {
  it('take 70 percent of the height without scrolling, as rows and as a chart', async () => {
    const viewport = { width: 1366, height: 768 };
    const { page, open } = await tested.visit({ person: tested.owner, viewport });
    await open(explorerPath({ ...DAILY, run: true }));
    await rowsRead(page);
    await page.getByRole('button', { name: 'Dismiss' }).click();
    expect(await shareInSight(page, gridOf(page))).toBeGreaterThanOrEqual(0.7);
    await page.getByRole('tab', { name: 'Chart' }).click();
    const chart = page.getByRole('img', { name: /^Candles with volume/ });
    await chart.waitFor();
    expect(await shareInSight(page, chart)).toBeGreaterThanOrEqual(0.7);
    await page.getByRole('button', { name: 'Filters' }).waitFor();
  });
});

describe('a query in the Explorer', () => {
  it('is run as soon as it is typed, stays so in its address, and shows that it was', async () => {
    const { page } = await openExplorer({ dataset: 'US1020' });
    await expect.poll(() => page.title()).toBe('US Equities Daily OHLC – Ticklake');
    await page.getByLabel('Identifiers').fill('AVQX');
    await expect.poll(() => page.title()).toBe('AVQX, US Equities Daily OHLC – Ticklake');
    await runQuery(page);
    await rowsRead(page);
    await untilWritten(page);
    expect(new URL(page.url()).searchParams.get('run')).toBe('true');
    await expect.poll(() => isInSight(gridOf(page))).toBe(true);
  });

  it('keeps a sorting that is begun after it was run', async () => {
    const { page } = await openExplorer(DAILY);
    await runQuery(page);
    await rowsRead(page);
    await openMore(page);
    await page.getByRole('button', { name: 'Add sort column' }).click();
    const sorting = page.getByRole('group', { name: 'Sort 1' });
    await untilWritten(page);
    await chooseOption(
      page,
      sorting.getByRole('combobox', { name: 'Sort 1 column' }),
      'ClosePrice',
    );
    await runQuery(page);
    await page.waitForURL(/sort=ClosePrice.*run=true/);
  });

  it('is filled in by hand, says what it scans, and shows the rows that HTTP answers', async () => {
    const { page } = await openExplorer();
    await chooseOption(page, page.getByRole('combobox', { name: 'Dataset' }), 'eq_daily_ohlc');
    await page.getByLabel('Identifiers').fill('AVQX');
    await page.getByLabel('From', { exact: true }).fill(DAILY.from);
    await page.getByLabel('To', { exact: true }).fill(DAILY.to);
    await page.getByText(/^Scans [\d,]+ rows, /).waitFor();
    const path = await shownPath(page);
    expect(path).toBe(DAILY_PATH);
    const scan = await getWithKey(tested.url, tested.key, path.replace('/data/', '/data-scan/'));
    const scanned = scan.body.rows_scanned.toLocaleString('en-US');
    await page.getByText(`Scans ${scanned} rows`).waitFor();
    await page.getByRole('tab', { name: 'Rows' }).click();
    await runQuery(page);
    const count = await rowsRead(page);
    const expected = readCsv(await csvOf(`${DAILY_PATH}&response_format=csv`));
    expect(count).toBe(expected.length - 1);
    expect(await readGrid(page)).toEqual(withFixedDecimals(expected));
  });

  it('shows every cell of a wide dataset as HTTP answers it', async () => {
    const owner = await tested.signIn(tested.owner);
    const { body } = await owner.get('/meta/datasets/US1010/status');
    const date = body.last_trade_date;
    const { page } = await openExplorer({
      dataset: 'US1010',
      identifier: 'AVQX',
      from: date,
      to: date,
      filters: [`BarDateTime.ge=${date}T10:00:00`, `BarDateTime.lt=${date}T10:40:00`],
      run: true,
    });
    expect(await rowsRead(page)).toBe(40);
    const path = await shownPath(page);
    await page.getByRole('tab', { name: 'Rows' }).click();
    const csv = readCsv(await csvOf(`${path}&response_format=csv`));
    expect(csv[0]?.length).toBeGreaterThan(60);
    expect(await readGrid(page)).toEqual(withFixedDecimals(csv));
  });

  it('filters with the operators of a column, sorts and chooses columns', async () => {
    const { page } = await openExplorer({ ...DAILY });
    await openMore(page);
    await page.getByRole('button', { name: 'Add filter' }).click();
    const filter = page.getByRole('group', { name: 'Filter 1' });
    await chooseOption(
      page,
      filter.getByRole('combobox', { name: 'Filter 1 column' }),
      'ClosePrice',
    );
    await filter.getByRole('combobox', { name: 'Operator' }).click();
    await page.getByRole('option', { name: 'is more than' }).waitFor();
    const operators = await page.getByRole('option').allInnerTexts();
    expect(operators).not.toContain('matches');
    await page.getByRole('option', { name: 'is more than' }).click();
    const value = (await csvOf(`${DAILY_PATH}&response_format=csv&columns=ClosePrice`))
      .split('\n')
      .slice(1, -1)
      .map(Number)
      .sort((a, b) => a - b)[20];
    await filter.getByLabel('Value').fill(String(value));
    await page.getByRole('button', { name: 'Add sort column' }).click();
    const sorting = page.getByRole('group', { name: 'Sort 1' });
    await chooseOption(
      page,
      sorting.getByRole('combobox', { name: 'Sort 1 column' }),
      'ClosePrice',
    );
    await sorting.getByRole('combobox', { name: 'Direction' }).click();
    await page.getByRole('option', { name: 'descending' }).click();
    for (const column of ['TradeDate', 'ClosePrice']) {
      await chooseOption(page, page.getByRole('combobox', { name: 'Columns' }), column);
    }
    await runQuery(page);
    await rowsRead(page);
    const shown = await readGrid(page);
    const path = `${DAILY_PATH}&ClosePrice.gt=${value}&columns=TradeDate,ClosePrice&sort=-ClosePrice`;
    expect(shown).toEqual(withFixedDecimals(readCsv(await csvOf(`${path}&response_format=csv`))));
    expect(shown.length).toBeGreaterThan(5);
    const prices = shown.slice(1).map(([, price]) => Number(price));
    expect(prices).toEqual(prices.toSorted((a, b) => b - a));
  });

  it('reads further pages as one scrolls to them', async () => {
    const { page } = await openExplorer({
      dataset: 'US1020',
      columns: 'TradeDate,Ticker',
      run: true,
    });
    const offset = await rowsRead(page, /scroll for more/);
    for (let pages = 1; pages < 3; pages++) {
      await gridOf(page).evaluate((grid) => grid.scrollTo({ top: grid.scrollHeight }));
      await expect.poll(() => rowsRead(page)).toBeGreaterThan(pages * offset);
    }
    const csv = readCsv(
      await csvOf(
        `${DATASET_PATH}&columns=TradeDate,Ticker&response_format=csv&limit=1&offset=${offset}`,
      ),
    );
    await gridOf(page).evaluate((grid, top) => grid.scrollTo({ top }), offset * 28);
    const row = page.locator(`[role="row"][aria-rowindex="${offset + 2}"]`);
    await expect.poll(() => row.getByRole('gridcell').allInnerTexts()).toEqual(csv.at(-1));
  });

  it.each([
    ['a laptop', { width: 1366, height: 768 }],
    ['a phone', { width: 390, height: 844 }],
  ])(
    'shows its rows on the first screen of %s, also by a link with all that a query may have',
    async (_, viewport) => {
      const { page, open } = await tested.visit({ person: tested.owner, viewport });
      const more = {
        filters: ['ClosePrice.gt=1'],
        sort: '-ClosePrice',
        columns: 'TradeDate,ClosePrice',
      };
      await open(explorerPath({ ...DAILY, ...more, run: true }));
      await waitForScreen(page, 'Explorer');
      await rowsRead(page);
      for (const name of ['Filters: 1', 'Columns: 2', 'Sort: 1']) {
        await page.getByRole('button', { name }).waitFor();
      }
      expect(await page.evaluate(() => scrollY)).toBe(0);
      expect(await isInSight(gridOf(page))).toBe(true);
    },
  );

  it('finds what was typed in lower case, and says so in the field and the address', async () => {
    const { page } = await openExplorer({ ...DAILY, identifier: 'avqx' });
    await runQuery(page);
    expect(await rowsRead(page)).toBeGreaterThan(10);
    await expect.poll(() => page.getByLabel('Identifiers').inputValue()).toBe('AVQX');
    await expect.poll(() => new URL(page.url()).searchParams.get('identifier')).toBe('AVQX');
  });

  it('finds one of several that was typed in lower case, though the others have rows', async () => {
    const { page } = await openExplorer({ ...DAILY, identifier: 'AVQX, bzoq, nope', run: true });
    const field = page.getByLabel('Identifiers');
    await expect.poll(() => field.inputValue()).toBe('AVQX, BZOQ, nope');
    await rowsRead(page);
    expect(new Set((await readGrid(page)).slice(1).map((row) => row[1]))).toContain('BZOQ');
  });

  it('says what it lacks where a link runs it without', async () => {
    const { page } = await openExplorer({ dataset: 'US1010', run: true });
    await page.getByText('Enter an identifier').waitFor();
  });

  it('is kept in the address, for others and for a reload', async () => {
    const { page } = await openExplorer({ ...DAILY, run: true });
    const count = await rowsRead(page);
    await page.reload();
    expect(await rowsRead(page)).toBe(count);
    await expect.poll(() => page.getByLabel('Identifiers').inputValue()).toBe('AVQX');
  });
});

describe('dates', () => {
  it('are typed and shown as the service tells them, whatever the country of the browser', async () => {
    const { page } = await openExplorer({ ...DAILY, from: '' });
    const from = page.getByLabel('From', { exact: true });
    await from.pressSequentially('20261001');
    await expect.poll(() => from.inputValue()).toBe('2026-10-01');
    await expect.poll(() => new URL(page.url()).searchParams.get('from')).toBe('2026-10-01');
    await from.fill('');
    await from.pressSequentially('2026-13');
    await page.getByLabel('To', { exact: true }).focus();
    await page.getByText('Must be a date, such as 2026-11-18').waitFor();
    await page.getByRole('button', { name: 'Calendar: To' }).waitFor();
  });
});

describe('an error in a query', () => {
  it('is told beside the field before it is sent', async () => {
    const { page } = await openExplorer({ ...DAILY });
    const from = page.getByLabel('From', { exact: true });
    await from.fill('2026-12-01');
    await runQuery(page);
    const isToldAt = async (label: string) =>
      (await page.getByLabel(label, { exact: true }).getAttribute('aria-invalid')) === 'true';
    await expect.poll(async () => (await isToldAt('From')) || (await isToldAt('To'))).toBe(true);
    await expect.poll(() => from.inputValue()).toBe('2026-12-01');
    await expect.poll(() => gridOf(page).count()).toBe(0);
  });

  it('is told beside the field when only the service can know', async () => {
    const owner = await tested.signIn(tested.owner);
    const { identity_id: id } = await owner.post('/identities', { name: 'Windowed' });
    await owner.post(`/identities/${id}/data-access-rules`, {
      dataset_id: 'eq_daily_ohlc',
      start_date: '2026-10-01',
    });
    const member = await tested.addPerson('reader@windowed.test', 'member', id);
    const { page, watch, open } = await tested.visit({ person: member });
    watch.announce(422, /^\/v1\/data(-scan)?\/us-equity\/eq-daily-ohlc/);
    const filters = ['OpenPrice.gt=much'];
    await open(explorerPath({ dataset: 'US1020', identifier: 'AVQX', filters }));
    await waitForScreen(page, 'Explorer');
    const value = page.getByRole('textbox', { name: 'Value' });
    await expect.poll(() => value.getAttribute('aria-invalid')).toBe('true');
    await value.fill('1');
    await expect.poll(() => value.getAttribute('aria-invalid')).not.toBe('true');
    const from = page.getByLabel('From', { exact: true });
    await from.fill('2026-01-05');
    await page.getByLabel('To', { exact: true }).fill('2026-01-05');
    await expect.poll(() => from.getAttribute('aria-invalid')).toBe('true');
    await from.fill('2026-10-05');
    await page.getByLabel('To', { exact: true }).fill('2026-10-09');
    await expect.poll(() => from.getAttribute('aria-invalid')).not.toBe('true');
    await runQuery(page);
    expect(await rowsRead(page)).toBe(5);
  });
});

describe('a link to a dataset without access', () => {
  it('says so, in place of a form that could only fail', async () => {
    const owner = await tested.signIn(tested.owner);
    const { identity_id: id } = await owner.post('/identities', { name: 'Empty' });
    const member = await tested.addPerson('reader@empty.test', 'member', id);
    const { page, open } = await tested.visit({ person: member });
    await open(explorerPath({ ...DAILY, run: true }));
    await page.getByText('No access to this dataset').waitFor();
    await waitUntilLoaded(page);
    await expect.poll(() => page.getByText('No dataset to explore').count()).toBe(0);
    await expect.poll(() => page.getByRole('button', { name: 'Run', exact: true }).count()).toBe(0);
  });
});

describe('a query that is refused', () => {
  it('says why once, and offers no second try where it cannot help', async () => {
    const owner = await tested.signIn(tested.owner);
    const { identity_id: id } = await owner.post('/identities', { name: 'Spent' });
    await owner.post(`/identities/${id}/data-access-rules`, {
      dataset_id: 'US1020',
      start_date: '2020-01-01',
    });
    await owner.post(`/identities/${id}/quotas`, { month: { requests: 0 } });
    const member = await tested.addPerson('reader@spent.test', 'member', id);
    const { page, watch, open } = await tested.visit({ person: member });
    watch.announce(429, /^\/v1\/data(-scan)?\/us-equity\/eq-daily-ohlc/);
    const refused = ['data', 'data-scan'].map((name) => page.waitForResponse(`**/v1/${name}/**`));
    await open(explorerPath({ ...DAILY, run: true }));
    await page.getByRole('alert').filter({ hasText: 'Monthly request limit' }).waitFor();
    await Promise.all(refused);
    await waitUntilLoaded(page);
    await expect.poll(() => page.getByText('Monthly request limit').count()).toBe(1);
    await expect.poll(() => page.getByRole('button', { name: 'Try again' }).count()).toBe(0);
  });
});

describe('a limit of the minute that is used up', () => {
  it('is waited for, and asked again by a click alone', async () => {
    const { page, watch, open } = await tested.visit({ person: tested.owner });
    const path = /\/v1\/data\/us-equity\/eq-daily-ohlc/;
    watch.announce(429, path);
    const detail = 'Per-minute request limit exceeded: 5/5 requests.';
    let asked = 0;
    await page.route(path, (route) => {
      asked += 1;
      if (asked > 1) return route.continue();
      return route.fulfill({
        status: 429,
        headers: { 'x-ratelimit-reset': '3' },
        json: { detail },
      });
    });
    await open(explorerPath({ ...DAILY, run: true }));
    const again = page.getByRole('button', { name: 'Try again' });
    await again.filter({ hasText: /in \d s$/ }).waitFor();
    expect(await again.isDisabled()).toBe(true);
    await expect.poll(() => again.isEnabled()).toBe(true);
    expect(asked).toBe(1);
    await again.click();
    await rowsRead(page);
  });
});

describe('the chart', () => {
  it('draws candles with volume of daily prices', async () => {
    const { page } = await openExplorer({ ...DAILY, tab: 'chart', run: true });
    await page.getByRole('img', { name: /^Candles with volume/ }).waitFor();
    await expect.poll(() => page.evaluate(countColours)).toBeGreaterThan(10);
    await page.getByText(/\d bars; /).waitFor();
  });

  it('shows the newest bars, in an interval that fits the range, and keeps both in the address', async () => {
    const { page } = await openExplorer(MINUTE_CHART);
    const asked: URLSearchParams[] = [];
    page.on('request', (request) => asked.push(new URL(request.url()).searchParams));
    await page.getByRole('button', { name: '1M', exact: true }).click();
    await page.waitForURL(/range=1M/);
    await expect.poll(() => asked.some((each) => each.get('interval') === '15m')).toBe(true);
    const owner = await tested.signIn(tested.owner);
    const { body } = await owner.get('/meta/datasets/US1014/status');
    const slider = page.getByRole('slider', { name: 'Bar' });
    const said = () => slider.getAttribute('aria-valuetext');
    await expect.poll(said).toContain(`Time ${body.last_trade_date} `);
    await page.getByRole('combobox', { name: 'Interval' }).click();
    await page.getByRole('option', { name: '1 day' }).click();
    await page.waitForURL(/interval=1d/);
    await page.reload();
    await expect.poll(said).toMatch(new RegExp(`^Time ${body.last_trade_date}, Open`));
    const pressed = page.getByRole('button', { name: '1M', pressed: true });
    await pressed.waitFor();
  });

  it('shows all dates there are, however often one zooms out', async () => {
    const { page } = await openExplorer({
      ...{ dataset: 'US1020', identifier: 'AVQX', tab: 'chart', run: true },
    });
    const reached = page.getByText(/\d bars; there are no earlier ones/);
    await page.getByText(/\d bars; /).waitFor();
    for (let click = 0; click < 8; click++) {
      await page.getByRole('button', { name: 'Zoom out' }).click();
    }
    await reached.waitFor();
    await page.getByRole('button', { name: 'All', exact: true }).click();
    await page.waitForURL(/range=All/);
    await reached.waitFor();
    expect(await page.getByText('Couldn’t load bars').count()).toBe(0);
  });

  it('tells each bar to the keyboard as HTTP answers it', async () => {
    const { page } = await openExplorer({ ...DAILY, tab: 'chart', run: true });
    const slider = page.getByRole('slider', { name: 'Bar' });
    await slider.focus();
    await page.keyboard.press('ArrowLeft');
    const [names, ...rows] = readCsv(await csvOf(`${DAILY_PATH}&response_format=csv`));
    const row = rows.at(-2)!;
    const textOf = (name: string) => row[names!.indexOf(name)]!;
    const said = (await slider.getAttribute('aria-valuetext'))!;
    expect(said.startsWith(`Time ${textOf('TradeDate')}, `)).toBe(true);
    for (const [term, name] of [
      ['Open', 'OpenPrice'],
      ['High', 'HighPrice'],
      ['Low', 'LowPrice'],
      ['Close', 'ClosePrice'],
    ] as const) {
      const told = new RegExp(`${term} ([\\d.]+)`).exec(said)?.[1];
      expect(Number(told)).toBe(Number(textOf(name)));
    }
    const volume = Number(textOf('DailyVolume')).toLocaleString('en-US');
    expect(said.endsWith(`, Volume ${volume}`)).toBe(true);
  });

  it('reads what is missing when one goes to earlier times', async () => {
    const { page } = await openExplorer({ ...MINUTE_CHART, range: '1D' });
    const count = async () => {
      const text = await page.getByText(/\d bars; /).innerText();
      return Number(text.replaceAll(',', '').split(' ')[0]);
    };
    const before = await count();
    // As soon as it is clicked, the chart may not have been drawn yet.
    const goEarlier = async () => {
      await page.getByRole('button', { name: 'Earlier' }).click();
      return count();
    };
    await expect.poll(goEarlier).toBeGreaterThan(before);
  });

  it('shows its range again when that is pressed again', async () => {
    const { page } = await openExplorer({ ...DAILY, tab: 'chart', run: true });
    const slider = page.getByRole('slider', { name: 'Bar' });
    const newest = await slider.getAttribute('aria-valuetext');
    expect(newest).toMatch(/^Time 2026-11-10/);
    await slider.focus();
    await page.keyboard.press('ArrowLeft');
    await expect.poll(() => slider.getAttribute('aria-valuetext')).not.toBe(newest);
    await page.getByRole('button', { name: 'Dates', pressed: true }).click();
    await expect.poll(() => slider.getAttribute('aria-valuetext')).toBe(newest);
    await page.getByRole('button', { name: 'Dates', pressed: true }).waitFor();
  });

  it('draws adjusted prices where the dataset has them, and several symbols in percent', async () => {
    const { page } = await openExplorer({ ...DAILY, tab: 'chart', run: true });
    await page.getByRole('button', { name: 'Adjusted' }).click();
    await page.getByRole('button', { name: 'Adjusted', pressed: true }).waitFor();
    await page.waitForURL(/dataset=US1022/);
    await page.getByRole('img', { name: /^Candles with volume/ }).waitFor();
    const csv = readCsv(await csvOf(`${DATASET_PATH}&TradeDate=2026-11-10&response_format=csv`));
    const other = csv.map((row) => row[1]!).find((ticker, at) => at > 0 && ticker !== 'AVQX')!;
    await page.getByLabel('Identifiers').fill(`AVQX, ${other}`);
    await runQuery(page);
    await page.getByRole('img', { name: `Closes in percent of AVQX, ${other}` }).waitFor();
    const slider = page.getByRole('slider', { name: 'Bar' });
    await expect.poll(() => slider.getAttribute('aria-valuetext')).toMatch(/AVQX [\d.]+ \([+−]/);
  });

  it('is saved as a picture', async () => {
    const { page } = await openExplorer({ ...DAILY, tab: 'chart', run: true });
    const begun = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Save as PNG' }).click();
    const file = await begun;
    expect(file.suggestedFilename()).toMatch(/^eq-daily-ohlc_AVQX_.*_1d\.png$/);
    expect((await contentOf(file)).subarray(1, 4).toString()).toBe('PNG');
  });

  it.each(['light', 'dark'] as const)('draws trades over quotes of ticks in %s', async (theme) => {
    const { page, open } = await tested.visit({ person: tested.owner, theme });
    await open(explorerPath({ dataset: 'US1032', identifier: 'AVQX' }));
    await expect
      .poll(() => page.getByLabel('Trade date', { exact: true }).inputValue())
      .not.toBe('');
    await runQuery(page);
    await rowsRead(page);
    await page.getByRole('tab', { name: 'Chart' }).click();
    await page.getByRole('img', { name: /^Trades over quotes/ }).waitFor();
    await expect.poll(() => page.evaluate(countColours)).toBeGreaterThan(10);
    const slider = page.getByRole('slider', { name: 'Trade' });
    await slider.focus();
    const said = async () => (await slider.getAttribute('aria-valuetext')) ?? '';
    const last = await said();
    await page.keyboard.press('ArrowLeft');
    await expect.poll(said).not.toBe(last);
    const legend = /^Time (\S+) (\S+), Trade ([\d.]+) × ([\d,]+), Bid [\d.]+/;
    const text = await said();
    expect(text).toMatch(legend);
    const [, day, clock, price, size] = legend.exec(text)!;
    const trades = await avqxTradesOf(day!);
    // The mouse may rest between two trades: the legend tells the earlier one.
    const { moment } = trades.findLast(
      (trade) => trade.moment <= `${day}T${clock!.padEnd(12, '.000')}`,
    )!;
    const told = trades.filter((trade) => trade.moment === moment);
    expect(Number(price)).toBe(told.at(-1)!.price);
    const quantity = told.reduce((sum, trade) => sum + trade.quantity, 0);
    expect(Number(size!.replaceAll(',', ''))).toBe(quantity);
    await page.screenshot({ path: join(SCREENSHOTS, `explorer-ticks-${theme}.png`) });
  });
});

/** The legend of the last bar of so many minutes in which there were trades. */
function lastBarOf(trades: readonly Trade[], minutes: number): string {
  const beginOf = ({ moment }: Trade) => {
    const [hour, minute] = [moment.slice(11, 13), Number(moment.slice(14, 16))];
    const begin = String(minute - (minute % minutes)).padStart(2, '0');
    return `${moment.slice(0, 10)} ${hour}:${begin}:00`;
  };
  const begin = beginOf(trades.at(-1)!);
  const own = trades.filter((trade) => beginOf(trade) === begin);
  const prices = own.map(({ price }) => price);
  const volume = own.reduce((sum, { quantity }) => sum + quantity, 0);
  const [high, low] = [Math.max(...prices), Math.min(...prices)];
  return [`Time ${begin}`, prices[0], high, low, prices.at(-1), volume].join(' ');
}

describe('the chart of rows', () => {
  it('has bars of a whole day of ticks, and a scale of logarithms', async () => {
    const { page } = await openExplorer({ dataset: 'US1032', identifier: 'AVQX' });
    const date = page.getByLabel('Trade date', { exact: true });
    await expect.poll(() => date.inputValue()).not.toBe('');
    const trades = await avqxTradesOf(await date.inputValue());
    const asked: string[] = [];
    page.on('request', (request) => {
      if (/[?&]response_format=arrow/.test(request.url())) asked.push(request.url());
    });
    await runQuery(page);
    await rowsRead(page);
    await page.getByRole('tab', { name: 'Chart' }).click();
    await page.getByRole('combobox', { name: 'Interval' }).click();
    await page.getByRole('option', { name: '5 minutes', exact: true }).click();
    await page.waitForURL(/interval=5m/);
    await page.getByRole('img', { name: 'Candles with volume of AVQX' }).waitFor();
    const slider = page.getByRole('slider', { name: 'Bar' });
    const said = async () => {
      const text = (await slider.getAttribute('aria-valuetext')) ?? '';
      const [, time, ...values] =
        /^(Time \S+ \S+), Open (\S+), High (\S+), Low (\S+), Close (\S+), Volume (\S+)$/.exec(
          text,
        )!;
      return [time, ...values.map((value) => Number(value.replaceAll(',', '')))].join(' ');
    };
    // The mouse rests where the interval was chosen, which is over a bar.
    await page.mouse.move(0, 0);
    await expect.poll(said).toBe(lastBarOf(trades, 5));
    await page.getByRole('button', { name: 'Log', exact: true }).click();
    await page.getByRole('button', { name: 'Log', exact: true, pressed: true }).waitFor();
    await expect.poll(() => page.evaluate(countColours)).toBeGreaterThan(10);
    await expect.poll(said).toBe(lastBarOf(trades, 5));
    expect(await graveFaults(page)).toEqual([]);
    await page.screenshot({ path: join(SCREENSHOTS, 'explorer-ticks-as-bars.png') });
    // The bars are of the version of the rows, and are not asked for again.
    const before = [...asked];
    expect(before.at(-1)).toMatch(/\/aggregate\?.*interval=5m/);
    for (const url of before) expect(url).toMatch(/[?&]dataset_version=\d+/);
    await page.getByRole('tab', { name: 'Rows' }).click();
    await rowsRead(page);
    await page.getByRole('tab', { name: 'Chart' }).click();
    await page.getByText('These bars are of all trades, whatever their conditions.').waitFor();
    await expect.poll(said).toBe(lastBarOf(trades, 5));
    expect(asked).toEqual(before);
  });

  it('is of one instrument, and of any other that is chosen', async () => {
    const { page, watch, open } = await tested.visit({ person: tested.owner });
    const path = /\/v1\/data\/us-equity-opt\/opt-trades-1min/;
    watch.announce(429, path);
    let asked = 0;
    await page.route(path, (route) => {
      asked += 1;
      if (asked > 1) return route.continue();
      const headers = { 'x-ratelimit-reset': '1' };
      return route.fulfill({ status: 429, headers, json: { detail: 'Request limit exceeded.' } });
    });
    await open(explorerPath({ dataset: 'US5003', identifier: 'AVQX', tab: 'chart', run: true }));
    // The chart asks for nothing after the rows of the query failed.
    const again = page.getByRole('alert').getByRole('button', { name: 'Try again' });
    await expect.poll(() => again.isEnabled()).toBe(true);
    expect(asked).toBe(1);
    await again.click();
    const field = page.getByRole('combobox', { name: 'Instrument' });
    const first = await field.inputValue();
    await page.getByRole('img', { name: `Candles with volume of ${first}` }).waitFor();
    await field.click();
    await page.getByRole('option').nth(1).click();
    await expect.poll(() => field.inputValue()).not.toBe(first);
    const next = await field.inputValue();
    expect(next).toMatch(/^AVQX [CP] [\d.]+ \d{4}-\d\d-\d\d$/);
    await page.getByRole('img', { name: `Candles with volume of ${next}` }).waitFor();
    expect(await graveFaults(page)).toEqual([]);
  });
});

describe('the request to copy', () => {
  it('runs as it stands in a shell, and finds the same rows', async () => {
    const { page } = await openExplorer({ ...DAILY });
    await waitUntilLoaded(page);
    await page.getByRole('tab', { name: 'Code' }).click();
    const textOf = async (name: string) => {
      if (name !== 'URL') await page.getByRole('tab', { name, exact: true }).click();
      return page.getByRole('region', { name, exact: true }).locator('pre').innerText();
    };
    const folder = mkdtempSync(join(tmpdir(), 'ticklake-snippet-'));
    const env = { PATH: process.env.PATH, TICKLAKE_KEY: tested.key };
    const shell = promisify(execFile)('sh', ['-c', await textOf('curl')], { cwd: folder, env });
    expect((await shell).stdout).toBe(await csvOf(`${DAILY_PATH}&response_format=csv`));
    rmSync(folder, { recursive: true });
    expect(await textOf('URL')).toContain(`${tested.url}${DAILY_PATH}`);
    const programs = page.getByRole('tablist', { name: 'Programs' }).getByRole('tab');
    await expect
      .poll(() => programs.allInnerTexts())
      .toEqual(['Python', 'TypeScript', 'DuckDB', 'curl', 'R', 'Command line']);
    const { body: status } = await getWithKey(tested.url, tested.key, STATUS_PATH);
    for (const name of ['Python', 'TypeScript', 'DuckDB']) {
      expect(await textOf(name)).toContain('dataset("US1020").read(');
      const version = new RegExp(`version(: |=)${status.version},`);
      await expect.poll(() => textOf(name)).toMatch(version);
    }
    expect(await page.getByRole('main').innerText()).not.toContain(tested.key);
  });

  it('reads the version that is shown, unless it shall read whatever is current', async () => {
    const { page } = await openExplorer({ ...DAILY, tab: 'request' });
    const { body } = await getWithKey(tested.url, tested.key, STATUS_PATH);
    const pin = page.getByRole('checkbox', { name: `Pin version ${body.version}, even` });
    await pin.waitFor();
    const url = page.getByRole('region', { name: 'URL', exact: true }).locator('pre');
    await expect.poll(() => url.innerText()).toContain(`&dataset_version=${body.version}`);
    await pin.click();
    await expect.poll(() => url.innerText()).not.toContain('dataset_version');
    await openMore(page);
    await page.getByRole('button', { name: 'Pin', exact: true }).click();
    await expect.poll(() => url.innerText()).toContain(`&dataset_version=${body.version}`);
    await expect.poll(() => decodeURIComponent(page.url())).toContain(`version="${body.version}"`);
    await expect
      .poll(() => page.getByRole('textbox', { name: 'Version' }).inputValue())
      .toBe(String(body.version));
    await page.getByRole('button', { name: 'Unpin' }).click();
    await expect.poll(() => page.url()).not.toContain('version=');
  });

  it('is copied by its button', async () => {
    const { page } = await openExplorer({ ...DAILY, tab: 'request' });
    await page.getByRole('tab', { name: 'curl' }).click();
    await page.getByRole('button', { name: 'Copy curl' }).click();
    await page.getByText('Copied').waitFor();
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    expect(copied).toContain(`${tested.url}${DAILY_PATH}`);
  });
});

describe('a link to rows', () => {
  it('shows others the same version, whatever they open it with', async () => {
    const { page } = await openExplorer({ ...DAILY, tab: 'request' });
    await page.getByRole('checkbox', { name: /^Pin version/ }).waitFor();
    await page.getByRole('button', { name: 'Copy link to these rows' }).click();
    await page.getByText('Copied').waitFor();
    const link = await page.evaluate(() => navigator.clipboard.readText());
    const { body } = await getWithKey(tested.url, tested.key, STATUS_PATH);
    const other = await tested.visit({ person: tested.owner });
    await other.page.goto(link);
    expect(await rowsRead(other.page)).toBeGreaterThan(10);
    await other.page.getByRole('button', { name: 'More: 1' }).waitFor();
    await other.page.getByText(`version ${body.version}`).first().waitFor();
  });
});

describe('a download', () => {
  async function download(page: Page, format: string): Promise<Download> {
    await page.getByRole('combobox', { name: 'Download format' }).click();
    await page.getByRole('option', { name: format, exact: true }).click();
    const begun = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download', exact: true }).click();
    const file = await begun;
    await page.getByText(`${file.suggestedFilename()} is complete`).waitFor();
    return file;
  }

  it('holds the bytes that HTTP answers, as CSV and packed', async () => {
    const { page } = await openExplorer({ ...DAILY });
    await waitUntilLoaded(page);
    const expected = await csvOf(`${DAILY_PATH}&response_format=csv`);
    const plain = await download(page, 'CSV');
    const name = 'eq-daily-ohlc_AVQX_2026-09-01_2026-11-10';
    expect(plain.suggestedFilename()).toBe(`${name}.csv`);
    expect((await contentOf(plain)).toString()).toBe(expected);
    const packed = await download(page, 'CSV, gzip');
    expect(packed.suggestedFilename()).toBe(`${name}.csv.gz`);
    expect(gunzipSync(await contentOf(packed)).toString()).toBe(expected);
  });

  it.each([
    ['Parquet', 'parquet', 'parquet'],
    ['Arrow', 'arrow', 'arrows'],
  ])('holds the bytes that HTTP answers, as %s', async (label, format, suffix) => {
    const { page } = await openExplorer({ ...DAILY });
    await waitUntilLoaded(page);
    const file = await download(page, label);
    const name = `eq-daily-ohlc_AVQX_2026-09-01_2026-11-10.${suffix}`;
    expect(file.suggestedFilename()).toBe(name);
    const answer = await fetch(`${tested.url}${DAILY_PATH}&response_format=${format}`, {
      headers: { 'X-API-KEY': tested.key },
    });
    const expected = Buffer.from(await answer.arrayBuffer());
    expect(expected.length).toBeGreaterThan(500);
    expect((await contentOf(file)).equals(expected)).toBe(true);
  });

  it('goes on where it stopped, and says how far it has come', async () => {
    const { page, watch } = await openExplorer({ dataset: 'US1020' });
    watch.announce(500, /offset=30000/);
    await waitUntilLoaded(page);
    await page.route(/offset=30000/, (route) =>
      route.fulfill({ status: 500, json: { detail: 'Internal server error' } }),
    );
    await page.getByRole('button', { name: 'Download', exact: true }).click();
    const resume = page.getByRole('button', { name: 'Resume from row 30,001' });
    await resume.waitFor();
    await page.unroute(/offset=30000/);
    const release = await holdSecondPage(page);
    const begun = page.waitForEvent('download');
    await resume.click();
    await page.getByText(/^Downloading of at most [\d,]+ rows: 30,000 rows, /).waitFor();
    const bar = page.getByRole('progressbar', { name: /^Download of / });
    const scan = DATASET_PATH.replace('/data/', '/data-scan/');
    const { body } = await getWithKey(tested.url, tested.key, scan);
    await expect.poll(() => bar.getAttribute('value')).toBe('30000');
    expect(Number(await bar.getAttribute('max'))).toBe(body.row_count_max);
    release();
    const pages = await Promise.all(
      [0, 30_000].map((offset) =>
        csvOf(`${DATASET_PATH}&response_format=csv&limit=30000&offset=${offset}`),
      ),
    );
    expect((await contentOf(await begun)).toString() === pages.join('')).toBe(true);
  });

  it('goes on while other screens are shown', async () => {
    const { page } = await openExplorer({ dataset: 'US1020' });
    await waitUntilLoaded(page);
    const release = await holdSecondPage(page);
    await page.getByRole('button', { name: 'Download', exact: true }).click();
    await page.getByText(/^Downloading of at most [\d,]+ rows: 30,000 rows, /).waitFor();
    await page.getByRole('link', { name: 'Usage', exact: true }).click();
    await waitForScreen(page, 'Usage');
    const news = page.getByRole('region', { name: 'Downloads' });
    await news.getByRole('progressbar', { name: /^Download of / }).waitFor();
    expect(await graveFaults(page)).toEqual([]);
    const begun = page.waitForEvent('download');
    release();
    const file = await begun;
    await news.getByText(`${file.suggestedFilename()} is complete`).waitFor();
    expect((await contentOf(file)).toString().split('\n').length).toBeGreaterThan(30_001);
    await news.getByRole('button', { name: 'Dismiss' }).click();
    await expect.poll(() => news.count()).toBe(0);
  });

  it('follows all pages of a large answer, under one header', async () => {
    const { page } = await openExplorer({ dataset: 'US1020' });
    await waitUntilLoaded(page);
    const file = await download(page, 'CSV, gzip');
    const text = gunzipSync(await contentOf(file)).toString();
    const pages: string[] = [];
    for (let offset = '0'; offset !== ''; ) {
      const page = `${DATASET_PATH}&response_format=csv&limit=30000&offset=${offset}`;
      const { body, headers } = await getWithKey(tested.url, tested.key, page);
      pages.push(body);
      offset = headers.get('x-pagination-next-offset') ?? '';
    }
    expect(pages.length).toBeGreaterThan(1);
    expect(text === pages.join('')).toBe(true);
    const lines = text.split('\n');
    expect(lines.filter((line) => line === lines[0])).toHaveLength(1);
  });
});
