/** The table of the Explorer in use: sorting, selecting, copying, resizing, pinning. */
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { graveFaults } from './accessibility.ts';
import {
  chooseOption,
  explorerPath,
  gridOf,
  readCsv,
  rowsRead,
  runQuery,
} from './explorer-page.ts';
import { describe, NARROW, SCREENSHOTS, startConsole, type VisitOptions } from './harness.ts';
import { getWithKey } from './person.ts';
import { waitForScreen } from './screens.ts';

const tested = startConsole();

const QUERY = { dataset: 'US1020', identifier: 'AVQX', from: '2026-09-01', to: '2026-11-10' };
const PATH =
  '/v1/data/us-equity/eq-daily-ohlc?adjusted=false&aggregation_logic=algoseek' +
  '&Ticker=AVQX&TradeDate.ge=2026-09-01&TradeDate.le=2026-11-10&response_format=csv';
const COLUMNS = 'TradeDate,Ticker,ASID,ClosePrice,DailyVolume';

async function openGrid(search: object = {}, options: VisitOptions = {}) {
  const visit = await tested.visit({ person: tested.owner, ...options });
  await visit.open(explorerPath({ ...QUERY, columns: COLUMNS, run: true, ...search }));
  await waitForScreen(visit.page, 'Explorer');
  await rowsRead(visit.page);
  return visit;
}

async function rowsOf(more: string): Promise<string[][]> {
  const { status, body } = await getWithKey(tested.url, tested.key, `${PATH}${more}`);
  expect(status).toBe(200);
  return readCsv(body);
}

const copied = (page: Page) => page.evaluate(() => navigator.clipboard.readText());
const rowOf = (page: Page, row: number) =>
  gridOf(page).locator(`[role="row"][aria-rowindex="${row + 2}"]`);
const cell = (page: Page, row: number, column: number) =>
  rowOf(page, row).locator(`[aria-colindex="${column + 2}"]`);
const header = (page: Page, name: string) => gridOf(page).getByRole('columnheader', { name });
const tsv = (rows: readonly (readonly string[] | undefined)[]) =>
  rows.map((row) => `${row?.join('\t')}\n`).join('');

describe('the table', () => {
  it('is shaded at the edge where its columns go on', async () => {
    const { page } = await openGrid({ columns: '' }, { viewport: NARROW });
    const cut = () => gridOf(page).locator('..').getAttribute('data-cut');
    await expect.poll(cut).toBe('end');
    await gridOf(page).focus();
    await page.keyboard.press('End');
    await expect.poll(cut).toBe('start');
  });
});

describe('copying from the table', () => {
  it('gives all rows with their columns named, a tab between cells, and nothing else', async () => {
    const { page } = await openGrid();
    await gridOf(page).focus();
    await page.keyboard.press('Control+a');
    await page.keyboard.press('Control+c');
    const rows = await rowsOf(`&columns=${COLUMNS}`);
    expect(await copied(page)).toBe(tsv(rows));
    await page.getByText(`Copied ${rows.length - 1} rows, 5 columns`).waitFor();
  });

  it('gives the cells that the mouse was drawn over, or whole rows by their numbers', async () => {
    const { page } = await openGrid();
    const rows = await rowsOf(`&columns=${COLUMNS}`);
    const part = (from: number, to: number, ...at: number[]) =>
      tsv(at.map((index) => rows[index]?.slice(from, to + 1)));
    await cell(page, 3, 1).dragTo(cell(page, 1, 3));
    await page.keyboard.press('Control+c');
    expect(await copied(page)).toBe(part(1, 3, 0, 2, 3, 4));
    const selected = gridOf(page).locator('[role="gridcell"][aria-selected="true"]');
    await expect.poll(() => selected.count()).toBe(9);
    await rowOf(page, 4).getByRole('rowheader').dragTo(rowOf(page, 6).getByRole('rowheader'));
    await page.keyboard.press('Control+c');
    expect(await copied(page)).toBe(part(0, 4, 0, 5, 6, 7));
    await cell(page, 2, 0).click();
    await cell(page, 3, 1).click({ modifiers: ['Shift'] });
    await page.keyboard.press('Control+c');
    expect(await copied(page)).toBe(part(0, 1, 0, 3, 4));
  });

  it('gives what the keyboard selected, and of one cell its value alone', async () => {
    const { page } = await openGrid();
    const rows = await rowsOf(`&columns=${COLUMNS}`);
    await gridOf(page).focus();
    for (const key of ['ArrowDown', 'ArrowRight', 'ArrowRight', 'ArrowRight']) {
      await page.keyboard.press(key);
    }
    await page.keyboard.press('Control+c');
    expect(await copied(page)).toBe(rows[2]?.[3]);
    for (const key of ['ArrowDown', 'ArrowDown', 'ArrowRight']) {
      await page.keyboard.press(`Shift+${key}`);
    }
    await page.keyboard.press('Control+c');
    expect(await copied(page)).toBe(tsv([0, 2, 3, 4].map((at) => rows[at]?.slice(3, 5))));
  });
});

describe('sorting by the header', () => {
  it('asks the server by a click, and by the keyboard, which stays where it was', async () => {
    const { page } = await openGrid();
    await header(page, 'ClosePrice')
      .getByRole('button', { name: 'ClosePrice', exact: true })
      .click();
    await page.waitForURL(/sort=ClosePrice/);
    const ascending = await rowsOf(`&columns=${COLUMNS}&sort=ClosePrice`);
    await expect.poll(() => cell(page, 0, 0).innerText()).toBe(ascending[1]?.[0]);
    const sortOf = (name: string) => header(page, name).getAttribute('aria-sort');
    expect(await sortOf('ClosePrice')).toBe('ascending');
    await page.keyboard.press('Enter');
    await page.waitForURL(/sort=-ClosePrice/);
    const descending = await rowsOf(`&columns=${COLUMNS}&sort=-ClosePrice`);
    await expect.poll(() => cell(page, 0, 0).innerText()).toBe(descending[1]?.[0]);
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('Shift+Enter');
    await page.waitForURL(/sort=-ClosePrice(,|%2C)ASID/);
    await expect.poll(() => sortOf('ASID')).toBe('ascending');
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Enter');
    await expect.poll(() => page.url()).not.toContain('sort=');
    expect(await sortOf('ASID')).toBe('none');
  });
});

describe('the columns of the table', () => {
  it('are resized with the mouse, and stay so when the query changes', async () => {
    const { page } = await openGrid();
    const widthOf = async (name: string) => (await header(page, name).boundingBox())!.width;
    const before = await widthOf('Ticker');
    const box = (await header(page, 'Ticker').boundingBox())!;
    await page.mouse.move(box.x + box.width - 3, box.y + 10);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width + 97, box.y + 10, { steps: 5 });
    await page.mouse.up();
    expect(await widthOf('Ticker')).toBeCloseTo(before + 100, 0);
    await header(page, 'ASID').getByRole('button', { name: 'ASID', exact: true }).click();
    await page.waitForURL(/sort=ASID/);
    await expect.poll(() => widthOf('Ticker')).toBeCloseTo(before + 100, 0);
    const edge = (await header(page, 'Ticker').boundingBox())!;
    await page.mouse.dblclick(edge.x + edge.width - 3, edge.y + 10);
    await expect.poll(() => widthOf('Ticker')).toBe(before);
  });

  it('are pinned by their menu, which the keyboard opens, and stay in sight', async () => {
    const { page } = await openGrid({ columns: '' }, { viewport: { width: 800, height: 700 } });
    await gridOf(page).focus();
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('Alt+ArrowDown');
    await page.getByRole('menuitem', { name: 'Pin to the left' }).waitFor();
    expect(await graveFaults(page)).toEqual([]);
    await page.getByRole('menuitem', { name: 'Pin to the left' }).press('Enter');
    await gridOf(page).evaluate((grid) => grid.scrollTo({ left: grid.scrollWidth }));
    await expect.poll(() => cell(page, 0, 0).innerText()).toBe('AVQX');
    await expect.poll(() => header(page, 'Ticker').isVisible()).toBe(true);
    await page.screenshot({ path: join(SCREENSHOTS, 'explorer-grid-pinned.png') });
    await header(page, 'Ticker').getByRole('button', { name: 'Ticker: options' }).click();
    await page.getByRole('menuitem', { name: 'Unpin' }).click();
    await gridOf(page).evaluate((grid) => grid.scrollTo({ left: 0 }));
    await expect.poll(() => cell(page, 0, 0).innerText()).toBe('2026-09-01');
  });

  it('are filtered and hidden by their menus, after which the keyboard goes on there', async () => {
    const { page } = await openGrid();
    const choose = async (column: string, item: string) => {
      await header(page, column)
        .getByRole('button', { name: `${column}: options` })
        .click();
      await page.getByRole('menuitem', { name: item }).press('Enter');
    };
    await choose('ASID', 'Hide');
    await page.waitForURL(/columns=TradeDate(,|%2C)Ticker(,|%2C)ClosePrice(,|%2C)DailyVolume/);
    await rowsRead(page);
    await expect.poll(() => header(page, 'ASID').count()).toBe(0);
    await expect.poll(() => gridOf(page).and(page.locator(':focus')).count()).toBe(1);
    const highest = (await rowsOf(`&columns=${COLUMNS}`)).slice(1).map((row) => Number(row[4]));
    await choose('DailyVolume', 'Filter…');
    const value = page.getByRole('textbox', { name: 'Value' });
    await value.and(page.locator(':focus')).waitFor();
    // The next menu leads back to the table.
    await choose('DailyVolume', 'Wider');
    await expect.poll(() => gridOf(page).and(page.locator(':focus')).count()).toBe(1);
    await value.focus();
    await page.keyboard.type(String(Math.max(...highest)));
    await page.keyboard.press('Enter');
    await page.waitForURL(/filters=/);
    await expect.poll(() => gridOf(page).getAttribute('aria-rowcount')).toBe('2');
  });

  it('are not filtered until a value was entered, and by one filter alone', async () => {
    const { page } = await openGrid();
    const filterOf = async (column: string) => {
      await header(page, column)
        .getByRole('button', { name: `${column}: options` })
        .click();
      await page.getByRole('menuitem', { name: 'Filter…' }).click();
    };
    await filterOf('Ticker');
    await header(page, 'ASID').getByRole('button', { name: 'ASID', exact: true }).click();
    await page.waitForURL((url) => url.search.includes('sort=ASID&run=true'));
    expect(await rowsRead(page)).toBeGreaterThan(10);
    await filterOf('Ticker');
    await filterOf('Ticker');
    await page.getByRole('textbox', { name: 'Value' }).press('Enter');
    await page.getByText('Enter a value').waitFor();
    await page.getByRole('combobox', { name: 'Operator' }).click();
    await page.getByRole('option', { name: 'is empty' }).click();
    await runQuery(page);
    await page.waitForURL((url) => url.searchParams.get('filters') === '["Ticker.empty="]');
    await page.getByText('No rows match the query.').waitFor();
  });

  it('that were chosen are hidden in another variant, too, and stay when more are', async () => {
    const { page } = await openGrid({ dataset: 'US1022', columns: '' });
    const hide = async (column: string) => {
      await header(page, column)
        .getByRole('button', { name: `${column}: options` })
        .click();
      await page.getByRole('menuitem', { name: 'Hide' }).click();
    };
    const columns = (url: URL) => url.searchParams.get('columns')?.split(',') ?? [];
    await hide('Ticker');
    await page.waitForURL((url) => columns(url).includes('PriceAdjFactor'));
    await page.getByRole('tab', { name: 'Chart' }).click();
    await page.getByRole('button', { name: 'As traded' }).click();
    await page.waitForURL(/dataset=US1020/);
    await page.getByRole('tab', { name: 'Rows' }).click();
    expect(await rowsRead(page)).toBeGreaterThan(10);
    const left = columns(new URL(page.url()));
    expect(left).not.toContain('PriceAdjFactor');
    // The rows that are shown are without the column that was just chosen.
    await page.getByRole('button', { name: /^Columns/ }).click();
    await chooseOption(page, page.getByRole('combobox', { name: 'Columns' }), 'Ticker');
    await hide('ASID');
    await page.waitForURL((url) => !columns(url).includes('ASID'));
    expect(columns(new URL(page.url()))).toEqual([...left, 'Ticker'].filter((it) => it !== 'ASID'));
  });

  it('have thousands separators by choice, which are never copied and are remembered', async () => {
    const { page } = await openGrid();
    const plain = (await rowsOf(`&columns=${COLUMNS}`))[1]!;
    await page.getByRole('checkbox', { name: 'Thousands separators' }).click();
    const separated = Number(plain[4]).toLocaleString('en-US');
    await expect.poll(() => cell(page, 0, 4).innerText()).toBe(separated);
    // Numbers of securities are names.
    await expect.poll(() => cell(page, 0, 2).innerText()).toBe(plain[2]);
    await cell(page, 0, 4).click();
    await page.keyboard.press('Control+c');
    expect(await copied(page)).toBe(plain[4]);
    await page.reload();
    await expect.poll(() => cell(page, 0, 4).innerText()).toBe(separated);
  });

  it.each([
    ['laptop', 'light', { width: 1366, height: 768 }],
    ['laptop', 'dark', { width: 1366, height: 768 }],
    ['phone', 'light', { width: 390, height: 844 }],
  ] as const)('look well on a %s in %s', async (name, theme, viewport) => {
    const { page } = await openGrid({ columns: '', sort: '-ClosePrice' }, { theme, viewport });
    await cell(page, 2, 1).click();
    for (const key of ['ArrowDown', 'ArrowDown', 'ArrowRight']) {
      await page.keyboard.press(`Shift+${key}`);
    }
    expect(await graveFaults(page)).toEqual([]);
    await page.screenshot({ path: join(SCREENSHOTS, `explorer-grid-${name}-${theme}.png`) });
  });
});
