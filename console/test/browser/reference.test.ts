/** The reference of the interface, and the requests that are tried in it. */
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { describe, startConsole } from './harness.ts';
import { inspectLooks } from './looks.ts';
import { waitForScreen, waitUntilLoaded } from './screens.ts';

const tested = startConsole();

async function openReference(page: Page, name = ''): Promise<void> {
  await page.goto(`${tested.url}/reference${name === '' ? '' : `#${name}`}`);
  await page.getByRole('navigation', { name: 'Operations' }).waitFor();
  await waitUntilLoaded(page);
}

const send = (page: Page) => page.getByRole('button', { name: 'Send the request' }).click();
const answer = (page: Page) => page.getByRole('status', { name: 'Answer' });

describe('the API reference', () => {
  it('is accessible and within the window, light and dark, wide and narrow', async () => {
    const { page } = await tested.visit();
    await openReference(page);
    await inspectLooks(page, 'reference');
    await openReference(page, 'createIdentity');
    for (const label of [/^Response fields/, /^Example response/]) {
      await page.getByRole('button', { name: label }).click();
    }
    await inspectLooks(page, 'reference-operation');
  });

  it('has every operation of the document, found by words', async () => {
    const { page } = await tested.visit();
    const document = await (await fetch(`${tested.url}/v1/openapi.json`)).json();
    const paths = Object.values(document.paths as Record<string, object>);
    const ids = paths.flatMap((each) => Object.values(each).map(({ operationId }) => operationId));
    await openReference(page);
    const links = page.getByRole('navigation', { name: 'Operations' }).getByRole('link');
    const hrefs = await links.evaluateAll((all) => all.map((each) => each.getAttribute('href')));
    expect(hrefs.toSorted()).toEqual(ids.map((id) => `#${id}`).toSorted());
    await page.getByRole('searchbox', { name: 'Search operations' }).fill('rotate nothing');
    await expect.poll(() => links.count()).toBe(0);
    await page.getByRole('searchbox', { name: 'Search operations' }).fill('audit');
    await links.first().click();
    await page.getByRole('heading', { level: 1, name: /what administrators/i }).waitFor();
  });

  it('tries a request with the reader’s key, which is sent to the server alone and kept nowhere', async () => {
    const { page, context, watch } = await tested.visit();
    watch.announce(401, /eq-daily-ohlc/);
    await openReference(page, 'read_eq_daily_ohlc');
    await page.getByRole('textbox', { name: 'Filters' }).fill('Ticker=AVQX');
    await send(page);
    await answer(page).getByText('401').waitFor();
    await page.getByRole('textbox', { name: 'Key' }).fill(tested.key);
    const command = page.getByRole('region', { name: 'Command' });
    await expect
      .poll(() => command.innerText())
      .toContain('/v1/data/us-equity/eq-daily-ohlc?Ticker=AVQX&limit=5');
    expect(await command.innerText()).not.toContain(tested.key);
    await send(page);
    await answer(page).getByText('200', { exact: true }).waitFor();
    const body = JSON.parse(await page.getByRole('region', { name: 'Response body' }).innerText());
    expect(body.data).toHaveLength(5);
    expect(new Set(body.data.map((row: { Ticker: string }) => row.Ticker))).toEqual(
      new Set(['AVQX']),
    );
    const kept = await page.evaluate(() => JSON.stringify({ ...localStorage, ...sessionStorage }));
    expect(kept).not.toContain(tested.key);
    expect(page.url()).not.toContain(tested.key);
    expect(await context.cookies()).toEqual([]);
  });

  it('tries a change as the person who is signed in', async () => {
    const { page } = await tested.visit({ person: tested.owner });
    await openReference(page, 'createIdentity');
    await page.getByRole('textbox', { name: 'Body' }).fill('{"name": "Tried Fund"}');
    await page.getByText('This is a real request').waitFor();
    await send(page);
    await answer(page).getByText('200', { exact: true }).waitFor();
    const owner = await tested.signIn(tested.owner);
    const { body } = await owner.get('/identities');
    expect(JSON.stringify(body)).toContain('Tried Fund');
  });

  it('asks for what the path needs before it sends anything', async () => {
    const { page } = await tested.visit();
    await openReference(page, 'showDatasetInfo');
    await send(page);
    await page.getByText('Needs a value').waitFor();
    await expect.poll(() => answer(page).count()).toBe(0);
  });

  it('is where each dataset leads, and says so where an address names nothing', async () => {
    const { page, open, context } = await tested.visit({ person: tested.owner });
    await open('/catalogue/US1032');
    await waitForScreen(page, 'US Equities Trade and Quote');
    const opened = context.waitForEvent('page');
    await page.getByRole('link', { name: 'API reference' }).click();
    const reference = await opened;
    const path = '/v1/data/us-equity/eq-taq/{trade_date}/{identifier}';
    await reference.getByText(path, { exact: true }).waitFor();
    await openReference(page, 'no_such');
    await page.getByText('There is no operation “no_such”.').waitFor();
  });
});
