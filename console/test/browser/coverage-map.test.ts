/** The coverage of all datasets as an owner sees it: by eye, by keyboard and by screen reader. */
import { expect, it } from 'vitest';
import { graveFaults } from './accessibility.ts';
import { describe, NARROW, SCREENSHOTS, startConsole, WIDE } from './harness.ts';
import { overflowOf, waitForScreen } from './screens.ts';

const tested = startConsole();

interface CoverageMap {
  readonly dates: readonly string[];
  readonly datasets: readonly {
    readonly dataset_id: string;
    readonly dataset_name: string;
    readonly states: readonly (string | null)[];
  }[];
}

describe('the coverage of all datasets', () => {
  it('shows each series with its days, read by arrow keys, and leads to its own coverage', async () => {
    const owner = await tested.signIn(tested.owner);
    const map: CoverageMap = (await owner.get('/admin/coverage')).body;
    const { page, open } = await tested.visit({ person: tested.owner });
    await open('/coverage');
    await waitForScreen(page, 'Coverage');
    const grid = page.getByRole('grid', { name: 'Coverage of all datasets' });
    await expect.poll(() => grid.getByRole('rowheader').count()).toBe(map.datasets.length);
    expect(await graveFaults(page)).toEqual([]);
    expect(await overflowOf(page)).toBe(0);
    await page.screenshot({ path: `${SCREENSHOTS}/coverage-map.png`, fullPage: true });

    const [first] = map.datasets;
    const stop = grid.locator('td[tabindex="0"]');
    await expect.poll(() => stop.count()).toBe(1);
    await stop.focus();
    const told = page.locator('p', { hasText: `${first?.dataset_name}, ` });
    await told.waitFor();
    const last = await stop.innerText();
    await page.keyboard.press('ArrowLeft');
    await expect.poll(() => stop.innerText()).not.toBe(last);
    await page.keyboard.press('ArrowDown');
    const second = map.datasets[1]?.dataset_name ?? '';
    await page.locator('p', { hasText: `${second}, ` }).waitFor();
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('Home');
    // Days on which there is nothing to tell of any dataset are left out.
    const isTold = (place: number) =>
      map.datasets.some(({ states }) => ![null, 'no_trading_day'].includes(states[place] ?? null));
    const firstDate = map.dates.find((_, place) => isTold(place));
    await expect.poll(() => stop.innerText()).toContain(firstDate);

    await grid.getByRole('link', { name: first?.dataset_name, exact: true }).click();
    await page.waitForURL(`**/catalogue/${first?.dataset_id}?tab=coverage`);
  });

  it.each([WIDE, NARROW])('opens on the newest days, %o', async (viewport) => {
    const { page, open } = await tested.visit({ person: tested.owner, viewport });
    await open('/coverage?days=%22366%22');
    await waitForScreen(page, 'Coverage');
    const newest = page.getByRole('columnheader').last();
    await newest.waitFor();
    const edge = async () => {
      const box = await newest.boundingBox();
      return box ? box.x + box.width : Number.POSITIVE_INFINITY;
    };
    await expect.poll(edge).toBeLessThanOrEqual(viewport.width);
  });

  it('shows a year by weeks, and only what is amiss where that is asked', async () => {
    const owner = await tested.signIn(tested.owner);
    const { page, open } = await tested.visit({ person: tested.owner });
    await open('/coverage');
    await waitForScreen(page, 'Coverage');
    await page.getByRole('combobox', { name: 'Range' }).click();
    await page.getByRole('option', { name: 'A year' }).click();
    await page.waitForURL('**/coverage?days=*366*');
    await waitForScreen(page, 'Coverage');
    const grid = page.getByRole('grid', { name: 'Coverage of all datasets' });
    await expect.poll(() => grid.getByRole('columnheader').count()).toBeGreaterThan(40);
    await expect.poll(() => grid.getByRole('columnheader').count()).toBeLessThan(60);
    const end = new Date().toISOString().slice(0, 10);
    const start = new Date(Date.parse(end) - 365 * 86_400_000).toISOString().slice(0, 10);
    const year: CoverageMap = (await owner.get(`/admin/coverage?start=${start}&end=${end}`)).body;
    const amiss = year.datasets.filter(({ states }) =>
      states.some((state) => ['late', 'missing', 'withdrawn'].includes(state ?? '')),
    );
    await page.getByRole('checkbox', { name: 'Only incomplete datasets' }).click();
    await expect.poll(() => grid.getByRole('rowheader').count()).toBe(amiss.length);
  });
});
