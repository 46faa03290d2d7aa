/** What people see at a glance: that a table goes on, and how to leave. */
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { describe, startConsole } from './harness.ts';
import { waitForScreen } from './screens.ts';

const PHONE = { width: 390, height: 844 };
const LAPTOP = { width: 1366, height: 768 };

const tested = startConsole();

/** How strongly the edges of a table, or of its pinned column, are shaded. */
function shadows(page: Page, caption: string): Promise<{ start: string; end: string }> {
  return page.getByRole('region', { name: caption }).evaluate((section) => {
    const frame = section.parentElement as Element;
    const pinned = section.querySelector('td:last-child');
    const isPinned = pinned !== null && getComputedStyle(pinned).position === 'sticky';
    return {
      start: getComputedStyle(frame, '::before').opacity,
      end: isPinned
        ? getComputedStyle(pinned, '::before').opacity
        : getComputedStyle(frame, '::after').opacity,
    };
  });
}

describe('a table', () => {
  it.each([
    { path: '/access', title: 'Data access', caption: 'Data access' },
    { path: '/people', title: 'People', caption: 'List of people' },
  ])('is shaded on a phone where it goes on: $title', async ({ path, title, caption }) => {
    const { page, open } = await tested.visit({ person: tested.owner, viewport: PHONE });
    await open(path);
    await waitForScreen(page, title);
    await expect.poll(() => shadows(page, caption)).toEqual({ start: '0', end: '1' });
    const scrolled = page.getByRole('region', { name: caption });
    await scrolled.evaluate((section) => section.scrollTo({ left: 30 }));
    await expect.poll(() => shadows(page, caption)).toEqual({ start: '1', end: '1' });
    await scrolled.evaluate((section) => section.scrollTo({ left: section.scrollWidth }));
    await expect.poll(() => shadows(page, caption)).toEqual({ start: '1', end: '0' });
  });

  it('is not shaded where all of it is in sight', async () => {
    const { page, open } = await tested.visit({ person: tested.owner, viewport: LAPTOP });
    await open('/access');
    await waitForScreen(page, 'Data access');
    expect(await shadows(page, 'Data access')).toEqual({ start: '0', end: '0' });
  });
});

describe('the navigation', () => {
  it.each([LAPTOP, { width: 1366, height: 500 }])(
    'keeps the button that signs out in a window of $height px',
    async (viewport) => {
      const { page, open } = await tested.visit({ person: tested.owner, viewport });
      await open('/audit-log');
      await waitForScreen(page, 'Audit log');
      const box = await page.getByRole('button', { name: 'Sign out' }).boundingBox();
      expect(box?.y).toBeGreaterThan(0);
      expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThanOrEqual(viewport.height);
    },
  );
});
