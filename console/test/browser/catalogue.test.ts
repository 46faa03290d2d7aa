/** The catalogue: what there is, what may be read, and where it is described. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { plural } from '../../src/format/texts.ts';
import { describe, startConsole } from './harness.ts';
import { waitForScreen, waitUntilLoaded } from './screens.ts';

const DEFINITIONS = join(import.meta.dirname, '../../../datasets');
const SHIPPED_COUNT = readdirSync(DEFINITIONS).filter((name) => name.endsWith('.yaml')).length;

const tested = startConsole();

describe('the catalogue', () => {
  it('finds a dataset by parts of its name, its id or its text id, and keeps the search in the address', async () => {
    const { page, open } = await tested.visit({ person: tested.owner });
    await open('/catalogue');
    await waitForScreen(page, 'Catalogue');
    const list = page.getByRole('list', { name: 'Datasets' }).getByRole('listitem');
    await expect.poll(() => list.count()).toBe(SHIPPED_COUNT);
    const search = page.getByRole('searchbox', { name: 'Search' });
    for (const [text, count] of [
      ['trading halts', 1],
      ['US2013', 1],
      ['eq_trading_halts', 1],
      ['vwap', 4],
      ['no such dataset', 0],
    ] as const) {
      await search.fill(text);
      await expect.poll(() => list.count(), { message: text }).toBe(count);
    }
    await search.fill('halts');
    await expect.poll(() => page.url()).toContain('q=halts');
    await page.reload();
    await waitForScreen(page, 'Catalogue');
    await expect.poll(() => list.count()).toBe(1);
    await page.getByRole('link', { name: 'US Equities Trading Halts' }).click();
    await waitForScreen(page, 'US Equities Trading Halts');
    await page.goBack();
    await waitForScreen(page, 'Catalogue');
    await expect.poll(() => search.inputValue()).toBe('halts');
  });

  it('shows of a dataset what the service tells of it', async () => {
    const { page, open } = await tested.visit({ person: tested.owner });
    const owner = await tested.signIn(tested.owner);
    const columns = (await owner.get('/meta/datasets/US1020/columns')).body;
    const status = (await owner.get('/meta/datasets/US1020/status')).body;
    await open('/catalogue/US1020');
    await waitForScreen(page, 'US Equities Daily OHLC');
    await waitUntilLoaded(page);
    const text = await page.getByRole('main').innerText();
    expect(text).toContain(status.row_count.toLocaleString('en-US'));
    expect(text).toContain(status.last_trade_date);
    await page.getByRole('tab', { name: 'Columns' }).click();
    await waitUntilLoaded(page);
    const table = page.getByRole('table', { name: 'Columns' });
    for (const { name, description } of columns) {
      const row = table.getByRole('row').filter({ has: page.getByText(name, { exact: true }) });
      await expect.poll(() => row.first().innerText()).toContain(description);
    }
    await page.getByRole('tab', { name: 'API' }).click();
    await page.getByText('/v1/data/us-equity/eq-daily-ohlc', { exact: false }).first().waitFor();
  });

  it('shows coverage and granularity in the list, and by which columns a search found a dataset', async () => {
    const { page, open } = await tested.visit({ person: tested.owner });
    const owner = await tested.signIn(tested.owner);
    const entries = (await owner.get('/meta/catalogue')).body as {
      dataset_id: string;
      first_trade_date: string;
      last_trade_date: string;
    }[];
    const daily = entries.find(({ dataset_id: id }) => id === 'US1020');
    await open('/catalogue?q=vwap');
    await waitForScreen(page, 'Catalogue');
    const first = page.getByRole('list', { name: 'Datasets' }).getByRole('listitem').first();
    const text = await first.innerText();
    expect(text).toContain('Daily');
    expect(text).toContain(`${daily?.first_trade_date} to ${daily?.last_trade_date}`);
    expect(text).toContain('Columns: MarketHoursVWAP, DailyVWAP');
  });

  it('shows ten rows of a dataset, also of one that needs an identifier to be asked for', async () => {
    const { page, open } = await tested.visit({ person: tested.owner });
    await open('/catalogue/US1032?tab=preview');
    await waitForScreen(page, 'US Equities Trade and Quote');
    const table = page.getByRole('table', { name: 'Preview' });
    await expect.poll(() => table.getByRole('row').count()).toBe(1 + 10);
  });

  it('shows what is there of each day, and what is missing in words', async () => {
    const { page, open } = await tested.visit({ person: tested.owner });
    const owner = await tested.signIn(tested.owner);
    const { last_trade_date: last } = (await owner.get('/meta/datasets/US1020/status')).body;
    const year = last.slice(0, 4);
    const reason = 'A day for the calendar';
    await owner.post('/admin/publications/withdraw', {
      dataset_id: 'US1020',
      date: last,
      reason,
    });
    await open('/catalogue/US1020?tab=coverage');
    await waitForScreen(page, 'US Equities Daily OHLC');
    // In the first days of a year, the newest day is one of the year before.
    if (!new Date().toISOString().startsWith(year)) {
      await page.getByRole('button', { name: year, exact: true }).click();
    }
    // Late in the evening, a day that is due by then and not there is named as well.
    const coverage = await owner.get(
      `/meta/datasets/US1020/coverage?start=${year}-01-01&end=${year}-12-31`,
    );
    const amiss = (coverage.body.days as { date: string; state: string }[])
      .filter(({ state }) => ['withdrawn', 'late', 'missing'].includes(state))
      .map(({ date }) => date);
    expect(amiss).toContain(last);
    await page.getByText(plural(amiss.length, 'incomplete day')).waitFor();
    await page.getByText(amiss.join(', '), { exact: true }).waitFor();
    const cell = page.getByTitle(`${last}: withdrawn`, { exact: false });
    await expect.poll(() => cell.innerText()).toContain('−');
    const others = page.getByTitle(new RegExp(`^${year}-.*: complete, [\\d,]+ rows of`));
    await expect.poll(() => others.count()).toBeGreaterThan(0);
    await page.getByRole('tab', { name: 'Versions' }).click();
    const newest = page.getByRole('list', { name: 'Versions' }).getByRole('listitem').first();
    await expect.poll(() => newest.innerText()).toContain('Withdrawal');
    await expect.poll(() => newest.innerText()).toContain(reason);
    await newest.getByRole('button', { name: 'What changed' }).click();
    const changes = page.getByRole('table', { name: /^What version \d+ changed/ });
    await changes.getByText('replaced').waitFor();
  });

  it('says in words by which rules the rows of a dataset are made', async () => {
    const { page, open } = await tested.visit({ person: tested.owner });
    await open('/catalogue/US1014?tab=rules');
    await waitForScreen(page, 'US Equities Trade Only Minute Bar');
    await page.getByText('Computed: minute bars of equity trades').waitFor();
    await page.getByRole('button', { name: /^Trade conditions/ }).click();
    await page.getByRole('table', { name: 'What trade conditions do' }).waitFor();
    await page.getByRole('link', { name: 'US Equities Trade Only', exact: true }).click();
    await waitForScreen(page, 'US Equities Trade Only');
  });

  it('says of a person of another account what that account may read, and nothing more', async () => {
    const owner = await tested.signIn(tested.owner);
    const { identity_id: id } = await owner.post('/identities', { name: 'Halts Only' });
    await owner.post(`/identities/${id}/data-access-rules`, {
      dataset_id: 'eq_trading_halts',
      start_date: '2026-01-01',
      universe_identifiers: ['AVQX', 'HVQZ'],
    });
    const member = await tested.addPerson('reader@halts.test', 'member', id);
    const { page, open } = await tested.visit({ person: member });
    await open('/access');
    await waitForScreen(page, 'Data access');
    await page.getByText('US Equities Trading Halts').first().waitFor();
    await expect.poll(() => page.getByText('US Equities Daily OHLC').count()).toBe(0);
    await page.getByText('2026-01-01').first().waitFor();
    await page.getByText('AVQX').first().waitFor();
    await open('/catalogue?mine=true');
    await waitForScreen(page, 'Catalogue');
    const list = page.getByRole('list', { name: 'Datasets' }).getByRole('listitem');
    await expect.poll(() => list.count()).toBe(1);
    await open('/catalogue/US1020');
    await waitForScreen(page, 'US Equities Daily OHLC');
    await page.getByText('No access to this dataset').waitFor();
    for (const path of ['/accounts', '/people', '/audit-log', '/requests', '/publications']) {
      await open(path);
      await waitForScreen(page, 'No access to this page');
      await page.getByText('It is for owners.').waitFor();
    }
    await open('/team');
    await page.getByText('It is for managers and owners.').waitFor();
    await open('/nothing');
    await waitForScreen(page, 'Page not found');
    await page.getByRole('navigation').getByRole('link', { name: 'Usage' }).click();
    await waitForScreen(page, 'Usage');
  });
});
