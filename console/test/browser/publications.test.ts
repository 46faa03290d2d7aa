/** The history of publications, as an owner sees it. */
import { expect, it } from 'vitest';
import { describe, NARROW, startConsole, WIDE } from './harness.ts';
import { overflowOf, waitUntilLoaded } from './screens.ts';

const tested = startConsole();

describe('the history of publications', () => {
  it('fits wide and narrow screens', async () => {
    for (const viewport of [WIDE, NARROW]) {
      const { page, open } = await tested.visit({ person: tested.owner, viewport });
      for (const path of ['/publications/history', '/publications/1']) {
        await open(path);
        await page.getByRole('heading', { level: 1 }).waitFor();
        await waitUntilLoaded(page);
        expect(await overflowOf(page), `${path} at ${viewport.width}`).toBeLessThanOrEqual(0);
      }
    }
  });
});
