/** Every screen: where it is, what its title says, and how to know that it has been loaded. */
import type { Page } from 'playwright-core';
import { explorerPath } from './explorer-page.ts';

const PAUSE_MS = 60;

export interface Screen {
  readonly name: string;
  /** Below `/console`. */
  readonly path: string;
  readonly title: string;
}

const DAILY_QUERY = explorerPath({
  dataset: 'US1020',
  identifier: 'AVQX',
  from: '2026-05-01',
  filters: ['ClosePrice.gt=1'],
  sort: '-TradeDate',
  run: true,
});

export const SIGNED_OUT_SCREENS: readonly Screen[] = [
  { name: 'sign-in', path: '/sign-in', title: 'Sign in' },
  { name: 'choose-password', path: '/choose-password', title: 'Choose your password' },
];

export const ACCOUNT_SCREENS: readonly Screen[] = [
  { name: 'overview', path: '/', title: 'Overview' },
  { name: 'usage', path: '/usage', title: 'Usage' },
  { name: 'keys', path: '/keys', title: 'API keys' },
  { name: 'network', path: '/network', title: 'Network' },
  { name: 'access', path: '/access', title: 'Data access' },
  { name: 'catalogue', path: '/catalogue', title: 'Catalogue' },
  { name: 'dataset', path: '/catalogue/US1032', title: 'US Equities' },
  { name: 'dataset-columns', path: '/catalogue/US1020?tab=columns', title: 'US Equities' },
  { name: 'dataset-preview', path: '/catalogue/US1032?tab=preview', title: 'US Equities' },
  { name: 'dataset-coverage', path: '/catalogue/US1020?tab=coverage', title: 'US Equities' },
  { name: 'dataset-versions', path: '/catalogue/US1020?tab=versions', title: 'US Equities' },
  { name: 'dataset-rules', path: '/catalogue/US1014?tab=rules', title: 'US Equities' },
  { name: 'dataset-requests', path: '/catalogue/US1032?tab=requests', title: 'US Equities' },
  { name: 'explorer', path: '/explorer', title: 'Explorer' },
  { name: 'explorer-rows', path: DAILY_QUERY, title: 'Explorer' },
  { name: 'explorer-chart', path: `${DAILY_QUERY}&tab=chart`, title: 'Explorer' },
  { name: 'option-chains', path: '/option-chains', title: 'Option chains' },
  { name: 'explorer-request', path: `${DAILY_QUERY}&tab=request`, title: 'Explorer' },
  { name: 'team', path: '/team', title: 'Team' },
  { name: 'profile', path: '/profile', title: 'Profile' },
];

export const OWNER_SCREENS: readonly Screen[] = [
  { name: 'home', path: '/home', title: 'Home' },
  { name: 'alerts', path: '/alerts', title: 'Alerts' },
  { name: 'accounts', path: '/accounts', title: 'Accounts' },
  { name: 'account', path: '/accounts/1', title: 'demo' },
  { name: 'account-limits', path: '/accounts/1?tab=limits', title: 'demo' },
  { name: 'account-keys', path: '/accounts/1?tab=keys', title: 'demo' },
  { name: 'account-usage', path: '/accounts/1?tab=usage', title: 'demo' },
  { name: 'account-rules', path: '/accounts/1?tab=rules', title: 'demo' },
  { name: 'plans', path: '/plans', title: 'Plans' },
  { name: 'plan', path: '/plans/1', title: 'Research' },
  { name: 'usage-by-month', path: '/usage-by-month', title: 'Usage by month' },
  { name: 'people', path: '/people', title: 'People' },
  { name: 'access-requests', path: '/access-requests', title: 'Access requests' },
  { name: 'publications', path: '/publications', title: 'Publications' },
  { name: 'coverage', path: '/coverage', title: 'Coverage' },
  { name: 'coverage-of-year', path: '/coverage?days=366', title: 'Coverage' },
  { name: 'history', path: '/publications/history', title: 'History of publications' },
  { name: 'publication', path: '/publications/1', title: 'Publication 1' },
  { name: 'requests', path: '/requests', title: 'Requests' },
  { name: 'audit-log', path: '/audit-log?operation=createApiKey', title: 'Audit log' },
];

/** Waits until the screen of this title shows what it loads. */
export async function waitForScreen(page: Page, title: string): Promise<void> {
  await page.getByRole('heading', { level: 1, name: title }).waitFor();
  await waitUntilLoaded(page);
}

function isLoading(): boolean {
  const statuses = [...document.querySelectorAll('[role="status"]')];
  return (
    document.querySelector('[aria-busy="true"]') !== null ||
    statuses.some(({ textContent }) => textContent.startsWith('Loading'))
  );
}

/**
 * Waits until nothing on the page says that it is on its way, also a moment later: what was loaded
 * may ask for more when it is shown. Not with `waitForFunction`, which the security policy refuses.
 */
export async function waitUntilLoaded(page: Page): Promise<void> {
  for (let quiet = 0; quiet < 2; ) {
    quiet = (await page.evaluate(isLoading)) ? 0 : quiet + 1;
    await page.waitForTimeout(PAUSE_MS);
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
