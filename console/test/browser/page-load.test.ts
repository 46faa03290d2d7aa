/** The bytes of first visits. */
import { expect, it } from 'vitest';
import { explorerPath } from './explorer-page.ts';
import { describe, startConsole } from './harness.ts';
import { loadPage } from './page-load.ts';

const tested = startConsole();

const CHART = { dataset: 'US1020', identifier: 'AVQX', run: true, tab: 'chart' } as const;

describe('bytes as they are sent, at a first visit', () => {
  it.each([
    { what: 'the overview', path: '/console/', scriptMax: 180_000, max: 280_000 },
    { what: 'the catalogue', path: '/console/catalogue', scriptMax: 175_000, max: 300_000 },
    { what: 'a chart', path: `/console${explorerPath(CHART)}`, scriptMax: 390_000, max: 640_000 },
    { what: 'the landing page', path: '/', scriptMax: 150_000, max: 220_000 },
    { what: 'the reference', path: '/reference', scriptMax: 110_000, max: 200_000 },
  ])('are few for $what', async ({ path, scriptMax, max }) => {
    const { scriptBytes, bytes, requests } = await loadPage(tested, path, (page) =>
      page.getByRole('heading', { level: 1 }).waitFor(),
    );
    const measured = `${bytes} bytes, ${scriptBytes} of them scripts, in ${requests} requests`;
    expect(scriptBytes, measured).toBeGreaterThan(50_000);
    expect(scriptBytes, measured).toBeLessThan(scriptMax);
    expect(bytes, measured).toBeLessThan(max);
  });
});
