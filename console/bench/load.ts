/** How soon a page stands there at first, by a slow connection on a slow processor. */
import { expect, it } from 'vitest';
import { explorerPath } from '../test/browser/explorer-page.ts';
import { describe, startConsole } from '../test/browser/harness.ts';
import { loadPage } from '../test/browser/page-load.ts';

const SLOW = { bitsPerSecond: 1_600_000, latencyMs: 150, processor: 4 };
const LARGEST_PAINT_MS_MAX = 2500;

const CHART = { dataset: 'US1020', identifier: 'AVQX', run: true, tab: 'chart' } as const;

const PAGES = [
  { path: '/', title: /./ },
  { path: '/console/', title: 'Overview' },
  { path: '/console/catalogue', title: 'Catalogue' },
  { path: `/console${explorerPath(CHART)}`, title: 'Explorer' },
  { path: '/console/publications', title: 'Publications' },
  { path: '/reference', title: /./ },
];

const tested = startConsole();

describe('by 1.6 Mbit/s with 150 ms, on a processor four times as slow', () => {
  it.each(PAGES)('$path stands there within 2.5 seconds', async ({ path, title }) => {
    const { largestPaintMs, scriptBytes, bytes, requests } = await loadPage(
      tested,
      path,
      (page) => page.getByRole('heading', { name: title }).first().waitFor(),
      SLOW,
    );
    const measured = `${path.replace(/\?.*/, '')}: largest paint ${Math.round(largestPaintMs)} ms, ${requests} requests, ${scriptBytes} bytes of script, ${bytes} in all`;
    process.stdout.write(`${measured}\n`);
    expect(largestPaintMs, measured).toBeLessThan(LARGEST_PAINT_MS_MAX);
  });
});
