/**
 * The Explorer as tests use it: its address, its form, and its table, of which only a part is
 * drawn.
 */
import type { Locator, Page } from 'playwright-core';

/** Address of the Explorer with a query in it. */
export function explorerPath(search: Record<string, string | readonly string[] | true>): string {
  const pairs = Object.entries(search).map(([name, value]) => {
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    return `${name}=${encodeURIComponent(text)}`;
  });
  return `/explorer?${pairs.join('&')}`;
}

export async function chooseOption(page: Page, field: Locator, text: string, option = text) {
  await field.fill(text);
  await page.getByRole('option', { name: option }).first().click();
}

export async function runQuery(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Run', exact: true }).click();
}

/** Shows the fields that are not in the line of the query. */
export async function openMore(page: Page): Promise<void> {
  for (const name of [/^Filters/, /^Columns/, /^Sort/, /^More/]) {
    await page.getByRole('button', { name, expanded: false }).click();
  }
}

export const gridOf = (page: Page) => page.getByRole('grid', { name: 'Result rows' });

/** Waits for rows and returns how many are known of. */
export async function rowsRead(page: Page, ending = /in total|scroll for more/) {
  const status = page
    .getByRole('tabpanel')
    .getByRole('status')
    .filter({ hasText: /\d rows?/ });
  await status.filter({ hasText: ending }).waitFor();
  return Number((await status.innerText()).replaceAll(',', '').match(/\d+/)?.[0]);
}

interface DrawnCells {
  readonly columns: readonly (readonly [index: number, name: string])[];
  readonly cells: readonly (readonly [row: number, column: number, text: string])[];
}

function drawnCells(grid: Element): DrawnCells {
  const numberOf = (element: Element, name: string) => Number(element.getAttribute(name));
  const columns = [...grid.querySelectorAll('[role="columnheader"]')];
  const cells = [...grid.querySelectorAll('[role="gridcell"]')];
  return {
    columns: columns.map((header) => [numberOf(header, 'aria-colindex'), header.textContent]),
    cells: cells.map((cell) => [
      numberOf(cell.closest('[role="row"]') as Element, 'aria-rowindex') - 2,
      numberOf(cell, 'aria-colindex') - 2,
      cell.textContent,
    ]),
  };
}

/** All that the table shows, with the names of its columns first, found by scrolling over it. */
export async function readGrid(page: Page): Promise<string[][]> {
  const grid = gridOf(page);
  const rows: string[][] = [];
  const names: string[] = [];
  const box = await grid.evaluate(({ scrollWidth, scrollHeight, clientWidth, clientHeight }) => ({
    scrollWidth,
    scrollHeight,
    stepX: Math.floor(clientWidth / 2),
    stepY: Math.floor(clientHeight / 2),
  }));
  for (let top = 0; top < box.scrollHeight; top += box.stepY) {
    for (let left = 0; left < box.scrollWidth; left += box.stepX) {
      await grid.evaluate((element, place) => element.scrollTo(place), { top, left });
      // The grid draws in the frame after it has been scrolled; what it sets then stands in the
      // next one.
      await page.evaluate(
        () =>
          new Promise((drawn) =>
            requestAnimationFrame(() => requestAnimationFrame(() => requestAnimationFrame(drawn))),
          ),
      );
      const { columns, cells } = await grid.evaluate(drawnCells);
      for (const [index, name] of columns) if (index > 1) names[index - 2] = name;
      for (const [row, column, text] of cells) {
        rows[row] ??= [];
        (rows[row] as string[])[column] = text;
      }
    }
  }
  return [names, ...rows];
}

/**
 * Cells as they look where numbers of a column, and of all prices, have the same digits after the
 * point.
 */
export function withFixedDecimals(table: readonly string[][]): string[][] {
  const [names = [], ...rows] = table;
  const fraction = (text = '') => /^-?\d+(?:\.(\d+))?$/.exec(text)?.[1]?.length ?? 0;
  const own = names.map((_, at) => Math.max(0, ...rows.map((row) => fraction(row[at]))));
  const ofPrices = Math.max(0, ...own.filter((_, at) => names[at]!.endsWith('Price')));
  const digits = own.map((most, at) => (names[at]!.endsWith('Price') ? ofPrices : most));
  const filled = (text: string, at: number) =>
    /^-?\d+(\.\d+)?$/.test(text) && digits[at]! > 0 ? Number(text).toFixed(digits[at]) : text;
  return [names, ...rows.map((row) => row.map(filled))];
}

/** A plain reading of CSV: cells by line, quotes taken off. */
export function readCsv(text: string): string[][] {
  const cells = text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\n]*))(,|\n)/g);
  const lines: string[][] = [[]];
  for (const [, quoted, plain, end] of cells) {
    lines.at(-1)?.push(quoted === undefined ? (plain ?? '') : quoted.replaceAll('""', '"') || '""');
    if (end === '\n') lines.push([]);
  }
  return lines.slice(0, -1);
}

/** Runs in a browser: how many different colours the chart's canvases hold. */
export function countColours(): number {
  const colours = new Set<number>();
  for (const canvas of document.querySelectorAll('canvas')) {
    const context = canvas.getContext('2d');
    if (context === null || canvas.width === 0 || canvas.height === 0) continue;
    const { data } = context.getImageData(0, 0, canvas.width, canvas.height);
    for (const pixel of new Uint32Array(data.buffer)) colours.add(pixel);
  }
  return colours.size;
}
