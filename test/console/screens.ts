/** Every screen: where it is, what its title says, and how to know that it has been loaded. */
import type { Page } from 'playwright-core';

export interface Screen {
  readonly name: string;
  /** Below `/console`. */
  readonly path: string;
  readonly title: string;
}

export const ACCOUNT_SCREENS: readonly Screen[] = [
  { name: 'overview', path: '/', title: 'Overview' },
  { name: 'keys', path: '/keys', title: 'API keys' },
  { name: 'network', path: '/network', title: 'Network' },
  { name: 'access', path: '/access', title: 'Data access' },
  { name: 'catalogue', path: '/catalogue', title: 'Catalogue' },
  { name: 'dataset', path: '/catalogue/US1032', title: 'US Equities' },
  { name: 'explorer', path: '/explorer', title: 'Explorer' },
  { name: 'profile', path: '/profile', title: 'Profile' },
];

export const OWNER_SCREENS: readonly Screen[] = [
  { name: 'identities', path: '/identities', title: 'Identities' },
  { name: 'identity', path: '/identities/1', title: 'demo' },
  { name: 'people', path: '/people', title: 'People' },
  { name: 'publications', path: '/publications', title: 'Publications' },
  { name: 'requests', path: '/requests', title: 'Requests' },
  { name: 'audit-log', path: '/audit-log', title: 'Audit log' },
];

/** Waits until the screen of this title shows what it loads. */
export async function waitForScreen(page: Page, title: string): Promise<void> {
  await page.getByRole('heading', { level: 1, name: title }).waitFor();
  await waitUntilLoaded(page);
}

/** Waits until nothing on the page says that it is on its way. */
export async function waitUntilLoaded(page: Page): Promise<void> {
  const isLoading = () =>
    document.querySelector('[aria-busy="true"]') !== null ||
    [...document.querySelectorAll('[role="status"]')].some(({ textContent }) =>
      textContent?.startsWith('Loading'),
    );
  for (;;) {
    await page.waitForFunction(`!(${isLoading})()`);
    // What was loaded may ask for more when it is shown.
    await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 100)));
    if (!(await page.evaluate(`(${isLoading})()`))) return;
  }
}

/** By how many pixels the page is wider than its window. */
export function overflowOf(page: Page): Promise<number> {
  return page.evaluate(() => {
    const { scrollWidth, clientWidth } = document.documentElement;
    return scrollWidth - clientWidth;
  });
}

/** Elements that reach beyond the window without a parent that scrolls or cuts them. */
export function elementsBeyond(page: Page): Promise<readonly string[]> {
  return page.evaluate(() => {
    const { clientWidth } = document.documentElement;
    return [...document.querySelectorAll('body *')]
      .filter((element) => element.getBoundingClientRect().right > clientWidth + 1)
      .slice(0, 5)
      .map((element) => element.outerHTML.slice(0, 160));
  });
}
