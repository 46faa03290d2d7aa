/** Phones and tablets have in sight the parts of wide screens that people look for. */
import type { Locator } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { explorerPath } from './explorer-page.ts';
import { furnish } from './furnish.ts';
import { describe, startConsole } from './harness.ts';
import { waitForScreen } from './screens.ts';

const PHONE = { width: 390, height: 844 };
const TABLET = { width: 768, height: 1024 };

const tested = startConsole();

beforeAll(async () => {
  if (tested.isRunning) await furnish(tested);
});

async function shown(viewport: typeof PHONE, path: string, title: string) {
  const { page, open } = await tested.visit({ person: tested.owner, viewport });
  await open(path);
  await waitForScreen(page, title);
  return page;
}

async function boxOf(element: Locator) {
  await element.waitFor();
  return (await element.boundingBox())!;
}

describe('a phone', () => {
  it.each(['/keys', '/accounts/1?tab=keys'])('has the ends of keys in sight, %s', async (path) => {
    const page = await shown(PHONE, path, path === '/keys' ? 'API keys' : 'demo');
    const { x, width } = await boxOf(page.getByText('Expires soon').first());
    expect(x + width).toBeLessThanOrEqual(PHONE.width);
  });

  it('has the dates of rules in sight beside what changes them', async () => {
    const page = await shown(PHONE, '/accounts/1?tab=rules', 'demo');
    const dates = await boxOf(page.getByText('All dates').first());
    const edit = await boxOf(page.getByRole('button', { name: /^Edit the rule/ }).first());
    expect(dates.x + dates.width).toBeLessThanOrEqual(edit.x);
  });

  it('has rollbacks as icons that keep their names', async () => {
    const page = await shown(PHONE, '/publications/history', 'History of publications');
    const button = page.getByRole('button', { name: /^Roll back… publication \d+$/ }).first();
    expect((await boxOf(button)).width).toBeLessThan(60);
  });

  it('has the newest month of a dataset’s coverage above the others', async () => {
    const page = await shown(PHONE, '/catalogue/US1020?tab=coverage', 'US Equities');
    const months = page.getByRole('table');
    await months.last().waitFor();
    const { y } = await boxOf(months.last());
    expect(y).toBeLessThan((await boxOf(months.first())).y);
  });

  it('has the numbers of few rows in a narrow column', async () => {
    const path = explorerPath({
      dataset: 'US1020',
      identifier: 'AVQX',
      from: '2026-05-01',
      run: true,
    });
    const page = await shown(PHONE, path, 'Explorer');
    const first = page.getByRole('rowheader', { name: '1', exact: true });
    expect((await boxOf(first)).width).toBeLessThan(50);
  });
});

describe('a tablet', () => {
  it('has what was requested on few lines', async () => {
    const page = await shown(TABLET, '/usage', 'Usage');
    const requests = page.getByRole('table', { name: 'Recent requests' });
    const path = requests.getByText(/^\/v1\/data/).first();
    expect((await boxOf(path)).width).toBeGreaterThanOrEqual(280);
  });

  it('has both dates of a query in one line', async () => {
    const page = await shown(TABLET, explorerPath({ dataset: 'US1020' }), 'Explorer');
    const from = await boxOf(page.getByRole('textbox', { name: 'From' }));
    expect((await boxOf(page.getByRole('textbox', { name: 'To', exact: true }))).y).toBe(from.y);
  });
});
