/** Each screen in light and dark, wide and narrow: accessible, within the window, and pictured. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { graveFaults } from './accessibility.ts';
import { describe, NARROW, SCREENSHOTS, startConsole, type Visit, WIDE } from './harness.ts';
import { getWithKey } from './person.ts';
import {
  ACCOUNT_SCREENS,
  elementsBeyond,
  OWNER_SCREENS,
  overflowOf,
  waitForScreen,
} from './screens.ts';

const tested = startConsole();

const LOOKS = [
  { theme: 'light', width: 'wide', viewport: WIDE },
  { theme: 'dark', width: 'wide', viewport: WIDE },
  { theme: 'dark', width: 'narrow', viewport: NARROW },
  { theme: 'light', width: 'narrow', viewport: NARROW },
] as const;

interface OpenedDialog {
  readonly name: string;
  readonly path: string;
  readonly title: string;
  readonly open: (page: Page) => Promise<void>;
}

const press = (name: string) => (page: Page) => page.getByRole('button', { name }).click();

const DIALOGS: readonly OpenedDialog[] = [
  { name: 'new-key', path: '/keys', title: 'API keys', open: press('Generate a key') },
  {
    name: 'delete-key',
    path: '/keys',
    title: 'API keys',
    open: async (page) => {
      await press('Actions for unused')(page);
      await page.getByRole('menuitem', { name: 'Delete…' }).click();
    },
  },
  { name: 'new-identity', path: '/identities', title: 'Accounts', open: press('New account') },
  { name: 'new-rule', path: '/identities/1?tab=rules', title: 'demo', open: press('Add rules') },
  { name: 'new-person', path: '/people', title: 'People', open: press('New person') },
];

/** Something to see: accounts, people, keys that are not in use, requests that were refused. */
async function furnish(): Promise<void> {
  const owner = await tested.signIn(tested.owner);
  const { identity_id: id } = await owner.post('/identities', {
    name: 'Second Fund',
    ip_subnets: ['192.0.2.0/24', '2001:db8::/32'],
  });
  await owner.post(`/identities/${id}/data-access-rules`, {
    dataset_id: 'eq_daily_ohlc',
    start_date: '2024-01-01',
    end_date: '2024-12-31',
    universe_identifiers: ['AVQX', 'BZOQ'],
  });
  await owner.post('/people', { email: 'member@second.test', role: 'member', identity_id: id });
  await owner.post(`/identities/${id}/deactivate`);
  const key = await owner.post('/account/my/api-keys', { name: 'unused', expires_in: '30d' });
  await owner.post(`/account/my/api-keys/${key.key_id}/deactivate`);
  await owner.post('/account/my/api-keys', { name: 'about to expire', expires_in: '1d' });
  await owner.post('/identities/1/quotas', { month: { requests: 1000, data_scanned: 1e12 } });
  const daily = '/v1/data/us-equity/eq-daily-ohlc?Ticker=AVQX&limit=50';
  for (const path of [daily, daily, '/v1/data/us-equity/eq-trades-1min?Ticker=BZOQ', '/v1/x']) {
    await getWithKey(tested.url, tested.key, path);
  }
  await getWithKey(tested.url, 'not-a-key', '/v1/account/my');
}

async function inspect({ page }: Visit, folder: string, name: string): Promise<void> {
  const path = join(SCREENSHOTS, folder);
  mkdirSync(path, { recursive: true });
  await page.screenshot({ path: join(path, `${name}.png`), fullPage: true });
  expect(await graveFaults(page), `${folder}/${name}`).toEqual([]);
  if ((await overflowOf(page)) > 0) {
    expect(await elementsBeyond(page), `${folder}/${name} is too wide`).toEqual([]);
    expect(await overflowOf(page), `${folder}/${name} is too wide`).toBe(0);
  }
}

beforeAll(async () => {
  if (tested.isRunning) await furnish();
});

/** One visit in all looks: what is on the screen has to follow a change of theme and of width. */
async function inspectLooks(visit: Visit, name: string): Promise<void> {
  for (const { theme, width, viewport } of LOOKS) {
    await visit.page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' });
    await visit.page.setViewportSize(viewport);
    await inspect(visit, `${theme}-${width}`, name);
  }
}

describe('without a grave fault of accessibility, within the window, light and dark', () => {
  it('is the sign-in screen', async () => {
    const visit = await tested.visit();
    await visit.open('/sign-in');
    await waitForScreen(visit.page, 'Sign in');
    await inspectLooks(visit, 'sign-in');
  });

  it.each([...ACCOUNT_SCREENS, ...OWNER_SCREENS])(
    'is the screen $name',
    async ({ name, path, title }) => {
      const visit = await tested.visit({ person: tested.owner });
      await visit.open(path);
      await waitForScreen(visit.page, title);
      await inspectLooks(visit, name);
    },
  );

  it.each(DIALOGS)('is the dialog $name', async ({ name, path, title, open }) => {
    const visit = await tested.visit({ person: tested.owner });
    await visit.open(path);
    await waitForScreen(visit.page, title);
    await open(visit.page);
    await visit.page.getByRole('dialog').waitFor();
    await inspectLooks(visit, `dialog-${name}`);
  });

  it('is the open navigation of a phone', async () => {
    const visit = await tested.visit({ person: tested.owner, viewport: NARROW });
    await visit.open('/access');
    await waitForScreen(visit.page, 'Data access');
    await visit.page.getByRole('button', { name: 'Menu' }).click();
    await inspect(visit, 'light-narrow', 'navigation');
  });
});
