/** The main flows in Firefox. */
import puppeteer, { type Browser } from 'puppeteer-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { countColours } from './explorer-page.ts';
import { findFirefox } from './find-firefox.ts';
import { FirefoxVisit } from './firefox-visit.ts';
import { describe, startConsole, WAIT_MS, withSite } from './harness.ts';
import { getWithKey, type SignIn } from './person.ts';

const PASSWORD = 'several unrelated words';
const CHART_COLOURS_MIN = 5;
const DAILY = '/v1/data/us-equity/eq-daily-ohlc?Ticker=AVQX&TradeDate.ge=2026-09-01';

const firefox = findFirefox();
const tested = startConsole(
  withSite({
    public_catalogue: true,
    public_samples: ['eq_daily_ohlc'],
  }),
);

let browser: Browser;
beforeAll(async () => {
  if (firefox === null || !tested.isRunning) return;
  browser = await puppeteer.launch({
    browser: 'firefox',
    executablePath: firefox,
    timeout: WAIT_MS,
    protocolTimeout: WAIT_MS,
  });
});
afterAll(() => browser?.close());

/** A visit that fails the test when anything went wrong in it that nobody asked for. */
async function visiting(act: (visit: FirefoxVisit) => Promise<void>): Promise<void> {
  const visit = await FirefoxVisit.begin(browser, tested.url);
  try {
    await act(visit);
  } catch (error) {
    await visit.end().catch(() => undefined);
    throw error;
  }
  await visit.end();
}

async function signIn(visit: FirefoxVisit, { email, password }: SignIn): Promise<void> {
  await visit.open('/console/');
  await visit.fill('email', email);
  await visit.fill('password', password);
  await visit.click('button', 'Sign in');
  await visit.see('heading', 'Overview');
}

const itInFirefox = it.skipIf(firefox === null);

describe('in Firefox', () => {
  itInFirefox(
    'a prospect finds a dataset on the landing page, and searches the documentation',
    () =>
      visiting(async (visit) => {
        await visit.open('/');
        await visit.read('Service is up');
        await visit.type('searchbox', 'Search', 'vwap');
        await visit.read('Columns: MarketHoursVWAP, DailyVWAP');
        await visit.clickOn("::-p-xpath(//a[.//strong[.='US Equities Daily OHLC']])");
        await visit.see('table', 'Sample of US Equities Daily OHLC');
        await visit.click('link', 'Documentation');
        await visit.type('combobox', 'Search the documentation', 'dataset_version');
        await visit.clickOn('[role="option"] ::-p-text(Reading a version)');
        await expect.poll(() => visit.page.url()).toMatch(/\/docs\/versions#reading-a-version$/);
        await visit.click('link', 'API reference');
        await visit.see('navigation', 'Operations');
      }),
  );

  itInFirefox('a key is generated, copied, and reads data', () =>
    visiting(async (visit) => {
      await signIn(visit, tested.owner);
      await visit.click('link', 'API keys');
      await visit.click('button', 'Generate key');
      await visit.fill('name', 'of Firefox');
      await visit.click('button', 'Generate');
      await visit.see('dialog', 'Store the key “of Firefox” now');
      const key = await visit.page.$eval('[role="dialog"] dd', (shown) => shown.textContent);
      expect((await getWithKey(tested.url, key.trim(), `${DAILY}&limit=1`)).status).toBe(200);
      await visit.click('button', 'Copy');
      await visit.see('button', 'Copied');
      await visit.click('button', 'I have stored it');
      await visit.see('rowheader', 'of Firefox');
    }),
  );

  itInFirefox(
    'a query of the Explorer has the rows that the interface answers, and a chart of them',
    () =>
      visiting(async (visit) => {
        const { body } = await getWithKey(tested.url, tested.key, `${DAILY}&limit=1`);
        const [first] = body.data;
        await signIn(visit, tested.owner);
        await visit.click('link', 'Explorer');
        await visit.type('combobox', 'Dataset', 'eq_daily_ohlc');
        await visit.clickOn('[role="option"]');
        await visit.type('combobox', 'Identifiers', 'AVQX');
        await visit.type('textbox', 'From', '2026-09-01');
        await visit.click('button', 'Run');
        await visit.see('grid', 'Result rows');
        await visit.see('gridcell', first.TradeDate);
        await visit.see('gridcell', String(first.ASID));
        await visit.click('tab', 'Chart');
        await visit.page.locator('[role="img"][aria-label^="Candles with volume of AVQX"]').wait();
        await expect
          .poll(() => visit.page.evaluate(countColours))
          .toBeGreaterThan(CHART_COLOURS_MIN);
      }),
  );

  itInFirefox(
    'an owner makes an account, and its new manager follows the first steps',
    async () => {
      const owner = await tested.signIn(tested.owner);
      let link = '';
      await visiting(async (visit) => {
        await signIn(visit, tested.owner);
        await visit.click('link', 'Accounts');
        await visit.click('button', 'New account');
        await visit.fill('name', 'Firefox Fund');
        await visit.click('button', 'Create');
        await visit.see('heading', 'Firefox Fund');
        await visit.click('tab', 'Rules');
        await visit.click('button', 'Add rules');
        await visit.type('combobox', 'Groups', 'Equity');
        await visit.click('option', 'Equity');
        await visit.click('button', 'Add');
        await visit.read('US Equities Daily OHLC', 'th[scope="row"]');
        await visit.click('tab', 'People');
        await visit.click('button', 'New person');
        await visit.fill('email', 'manager@firefox.test');
        await visit.click('button', 'Create');
        await visit.see('dialog', 'Invitation for manager@firefox.test');
        link = await visit.page.$eval('[role="dialog"] dd', (shown) => shown.textContent.trim());
        await visit.click('button', 'Done');
      });
      await visiting(async (visit) => {
        await visit.open(link);
        await visit.fill('new_password', PASSWORD);
        await visit.fill('again', PASSWORD);
        await visit.click('button', 'Set password');
        await visit.read('Your password is set. Sign in with it.');
        await visit.fill('password', PASSWORD);
        await visit.page.keyboard.press('Enter');
        await visit.see('heading', 'Get started');
        const session = await tested.signIn({ email: 'manager@firefox.test', password: PASSWORD });
        expect((await session.get('/data/us-equity/eq-daily-ohlc?limit=1')).status).toBe(200);
        await visit.see('heading', 'Run your first query (done)');
      });
      const { body } = await owner.get('/identities');
      expect(JSON.stringify(body)).toContain('Firefox Fund');
    },
  );
});
