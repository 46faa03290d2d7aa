/** How soon a year of minutes is drawn in the chart, and how long the page is held up meanwhile. */
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { describe, startConsole } from '../test/browser/harness.ts';
import { waitForScreen } from '../test/browser/screens.ts';
import { BARS, DAYS, publishYear, yearPath } from '../test/browser/year-of-minutes.ts';
import { mainThreadTasks, referenceMs, type ThreadTask, TRACE_CATEGORIES } from './main-thread.ts';

/** Time limit of the page where the reference takes 100 ms. */
const TASK_MS_MAX = 100;
const DRAWN_MS_MAX = 1000;
const REFERENCE_MS = 100;

const tested = startConsole(publishYear);

async function tasksOf(page: Page, act: () => Promise<unknown>): Promise<readonly ThreadTask[]> {
  await tested.browser.startTracing(page, { categories: TRACE_CATEGORIES });
  await act();
  return mainThreadTasks(await tested.browser.stopTracing());
}

/** The longest task in processor time, if the browser measures that: others share the processor. */
function longestOf(tasks: readonly ThreadTask[]): number {
  return Math.max(...tasks.map(({ elapsedMs, cpuMs }) => cpuMs ?? elapsedMs));
}

describe('a chart of a year of minutes', () => {
  it('is drawn within a second, in tasks of a tenth of a second at most', async () => {
    const { page, open } = await tested.visit({ person: tested.owner });
    await open(yearPath('1d'));
    await waitForScreen(page, 'Explorer');
    await page.getByText(`${DAYS} bars; `).waitFor();
    await page.getByRole('combobox', { name: 'Interval' }).click();
    let drawnMs = Number.POSITIVE_INFINITY;
    const begin = performance.now();
    const tasks = await tasksOf(page, async () => {
      await page.getByRole('option', { name: '1 minute', exact: true }).click();
      await page.getByText(`${BARS.toLocaleString('en-US')} bars; `).waitFor();
      await page.evaluate(() => new Promise((drawn) => requestAnimationFrame(drawn)));
      drawnMs = performance.now() - begin;
    });
    const reference = await tasksOf(page, () => referenceMs(page));
    const slowness = Math.max(1, longestOf(reference) / REFERENCE_MS);
    const waiting = Math.max(1, (await referenceMs(page)) / REFERENCE_MS);
    const longest = longestOf(tasks);
    const measured = `drawn in ${drawnMs} ms, longest task ${longest} ms, slowness ${slowness}, ${waiting}`;
    process.stdout.write(`${measured}\n`);
    expect(tasks.length).toBeGreaterThan(10);
    expect(longest, measured).toBeLessThan(TASK_MS_MAX * slowness);
    expect(drawnMs, measured).toBeLessThan(DRAWN_MS_MAX * waiting);
  });
});
