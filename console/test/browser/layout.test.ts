/** First impressions: whole values, tables that go on, the next step, and the way out. */
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { explorerPath, gridOf, rowsRead } from './explorer-page.ts';
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

describe('values', () => {
  it('identifiers are whole in the table of the Explorer', async () => {
    const { page, open } = await tested.visit({ person: tested.owner, viewport: LAPTOP });
    await open(explorerPath({ dataset: 'US1020', identifier: 'AVQX', run: true }));
    await rowsRead(page);
    const cell = gridOf(page)
      .getByRole('gridcell', { name: /^\d{16}$/ })
      .first();
    const [shown, whole] = await cell.evaluate((each) => [each.clientWidth, each.scrollWidth]);
    expect(whole).toBeLessThanOrEqual(shown as number);
  });

  it('prices have the same decimals in a preview', async () => {
    const { page, open } = await tested.visit({ person: tested.owner });
    await open('/catalogue/US1032?tab=preview');
    await waitForScreen(page, 'US Equities Trade and Quote');
    const table = page.getByRole('table', { name: 'Preview' });
    await table.waitFor();
    const names = await table.getByRole('columnheader').allInnerTexts();
    const prices = table.locator(`tbody td:nth-child(${names.indexOf('Price') + 1})`);
    const decimals = (await prices.allInnerTexts()).map((text) => text.split('.')[1]?.length ?? 0);
    expect(decimals).toHaveLength(10);
    expect(new Set(decimals).size).toBe(1);
  });

  it('ranges of days stand in one line in the catalogue of a laptop', async () => {
    const { page, open } = await tested.visit({ person: tested.owner, viewport: LAPTOP });
    await open('/catalogue');
    await waitForScreen(page, 'Catalogue');
    const span = page.getByText(/^\d{4}-\d\d-\d\d to \d{4}-\d\d-\d\d$/).first();
    expect((await span.boundingBox())?.height).toBeLessThan(30);
  });

  it('future dates are not called trade dates', async () => {
    const { page, open } = await tested.visit({ person: tested.owner });
    await open('/catalogue/US2007');
    await waitForScreen(page, 'US Equities Market Holidays');
    await page.getByText('Scheduled to').waitFor();
    await expect.poll(() => page.getByText('Last trade date').count()).toBe(0);
  });
});

describe('a dataset without access', () => {
  it('leads to asking for it, also from a link to the Explorer', async () => {
    const owner = await tested.signIn(tested.owner);
    const { identity_id: id } = await owner.post('/identities', { name: 'Without access' });
    const person = await tested.addPerson('reader@without.test', 'member', id);
    const { page, open } = await tested.visit({ person });
    await open('/catalogue/US1032');
    await page.getByRole('button', { name: 'Ask for access' }).waitFor();
    await expect
      .poll(() => page.getByRole('link', { name: 'Open in the Explorer' }).count())
      .toBe(0);
    await open(explorerPath({ dataset: 'US1032', run: true }));
    await page.getByRole('button', { name: 'Ask for access' }).waitFor();
  });
});

describe('the navigation', () => {
  it.each([LAPTOP, { width: 1366, height: 500 }])(
    'keeps the button that signs out, and the entry that is open, in a window of $height px',
    async (viewport) => {
      const { page, open } = await tested.visit({ person: tested.owner, viewport });
      await open('/audit-log');
      await waitForScreen(page, 'Audit log');
      const box = await page.getByRole('button', { name: 'Sign out' }).boundingBox();
      expect(box?.y).toBeGreaterThan(0);
      expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThanOrEqual(viewport.height);
      // This entry is added once the account's datasets are loaded, and moves the entries below it.
      await page.getByRole('link', { name: 'Option chains' }).waitFor();
      const entry = page.getByRole('link', { name: 'Audit log' });
      const below = page.getByRole('link', { name: 'Documentation' });
      const room = async () => {
        const [shown, next] = [await entry.boundingBox(), await below.boundingBox()];
        return next!.y - shown!.y - shown!.height;
      };
      await expect.poll(room).toBeGreaterThanOrEqual(0);
    },
  );
});
