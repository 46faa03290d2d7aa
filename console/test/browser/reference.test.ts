/** The reference of the interface. */
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
    const texts = await links.allInnerTexts();
    expect(texts.length).toBe(new Set(texts).size);
    await page.getByRole('searchbox', { name: 'Search operations' }).fill('rotate nothing');
    await expect.poll(() => links.count()).toBe(0);
    await page.getByRole('searchbox', { name: 'Search operations' }).fill('audit');
    await links.first().click();
    await page.getByRole('heading', { level: 1, name: /what administrators/i }).waitFor();
  });

  it('shows each operation as a command', async () => {
    const { page } = await tested.visit();
    await openReference(page, 'createIdentity');
    const command = await page.getByRole('region', { name: 'Command' }).innerText();
    expect(command).toContain('curl --request POST');
    expect(command).toContain(`'${tested.url}/v1/identities'`);
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
