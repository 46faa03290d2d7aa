/** Whatever is written into a field or a path is shown as text; nothing of it runs. */
import { beforeAll, expect, it } from 'vitest';
import { describe, startConsole } from './harness.ts';
import { getWithKey } from './person.ts';
import { waitForScreen } from './screens.ts';
import { signInByForm } from './sign-in-form.ts';

const tested = startConsole();

/** Without spaces and quotes, so that it fits where those are refused. */
const MARK = 'window.hasRun=1';
const IMAGE = `<img/src=x/onerror=${MARK}>`;
const SCRIPT = `"><script>${MARK}</script>`;
const LINK = `javascript:${MARK}`;

/** Addresses to which nobody may be sent after signing in. */
const FOREIGN = [SCRIPT, '//other.test/', '/\\other.test', 'https://other.test/', LINK];

let accountId = 0;

/** Every text that a person can store or leave behind, written as an attacker would. */
async function storeScripts(): Promise<void> {
  const owner = await tested.signIn(tested.owner);
  const account = await owner.post('/identities', { name: IMAGE });
  accountId = account.identity_id;
  await owner.post('/identities/1/update', { name: SCRIPT });
  await owner.post(`/identities/${accountId}/data-access-rules`, {
    dataset_id: 'eq_daily_ohlc',
    universe_identifiers: [IMAGE, SCRIPT],
  });
  const { body: rules } = await owner.get('/identities/1/data-access-rules');
  const daily = rules.find((rule: { dataset_id: string }) => rule.dataset_id === 'US1020');
  await owner.post(`/data-access-rules/${daily.rule_id}/delete`);
  await owner.post('/identities/1/data-access-rules', {
    dataset_id: 'US1020',
    universe_identifiers: ['AVQX', IMAGE, SCRIPT, LINK],
  });
  for (const name of [IMAGE, SCRIPT, LINK]) {
    await owner.post('/account/my/api-keys', { name, expires_in: '1d' });
    await owner.post(`/identities/${accountId}/api-keys`, { name, expires_in: '1d' });
  }
  for (const email of [`"${IMAGE}"@x.test`, `${IMAGE}@x.test`, "o'hara&lt;b&gt;@x.test"]) {
    const body = { email, role: 'member', identity_id: accountId };
    await owner.post('/people', body).catch((error: Error) => {
      if (!error.message.includes('email')) throw error;
    });
  }
  const refused = encodeURI(`/v1/data/us-equity/eq-daily-ohlc?Ticker=${IMAGE}&${SCRIPT}=1`);
  await getWithKey(tested.url, tested.key, refused);
}

beforeAll(async () => {
  if (tested.isRunning) await storeScripts();
});

/** Screens that show what was stored, and a part of it that has to be there as text. */
const SHOWN: readonly [path: () => string, title: string, texts: readonly string[]][] = [
  [() => '/', 'Overview', [SCRIPT]],
  [() => '/keys', 'API keys', [IMAGE, SCRIPT, LINK]],
  [() => '/access', 'Data access', [IMAGE, SCRIPT]],
  [() => '/catalogue/US1020', 'US Equities Daily OHLC', [IMAGE, SCRIPT]],
  [() => '/accounts', 'Accounts', [IMAGE, SCRIPT]],
  [() => `/accounts/${accountId}`, IMAGE, [IMAGE]],
  [() => `/accounts/${accountId}?tab=rules`, IMAGE, [IMAGE, SCRIPT]],
  [() => `/accounts/${accountId}?tab=keys`, IMAGE, [IMAGE, SCRIPT, LINK]],
  [() => `/accounts/${accountId}?tab=people`, IMAGE, []],
  [() => '/people', 'People', [SCRIPT]],
  [() => '/requests', 'Requests', ['onerror']],
  [() => '/audit-log', 'Audit log', [IMAGE, SCRIPT]],
  [() => '/profile', 'Profile', []],
  [() => '/explorer', 'Explorer', []],
];

describe('a script that was stored', () => {
  it('is text on every screen', async () => {
    const { page, open } = await tested.visit({ person: tested.owner });
    for (const [path, title, texts] of SHOWN) {
      await open(path());
      await waitForScreen(page, title);
      const shown = await page.locator('body').innerText();
      for (const text of texts) expect(shown, path()).toContain(text);
      expect(await page.evaluate('window.hasRun'), path()).toBeUndefined();
      const foreign = page.locator('img[src="x"], svg[onload], [onerror], a[href^="javascript:"]');
      expect(await foreign.count(), path()).toBe(0);
      const scripts = await page
        .locator('script')
        .evaluateAll((all) => all.map((script) => (script as HTMLScriptElement).src));
      expect(scripts.every((source) => source.startsWith(`${tested.url}/console/`))).toBe(true);
    }
  });

  it('is text in the question before a key is deleted and in what is said afterwards', async () => {
    const owner = await tested.signIn(tested.owner);
    const name = `${IMAGE} to delete`;
    await owner.post(`/identities/1/update`, { max_active_api_keys: 10 });
    await owner.post('/account/my/api-keys', { name, expires_in: '1d' });
    const { page, open } = await tested.visit({ person: tested.owner });
    await open('/keys');
    await waitForScreen(page, 'API keys');
    await page.getByRole('button', { name: `Actions for ${name}` }).click();
    await page.getByRole('menuitem', { name: 'Delete…' }).click();
    await page.getByRole('dialog').getByText(name).first().waitFor();
    await page.getByRole('button', { name: 'Delete key' }).click();
    await page.getByText(`The key “${name}” was deleted`).first().waitFor();
    expect(await page.evaluate('window.hasRun')).toBeUndefined();
  });

  it('does not run out of the address either', async () => {
    const { page, open } = await tested.visit();
    for (const next of FOREIGN) {
      await open(`/sign-in?next=${encodeURIComponent(next)}`);
      await page.getByRole('heading', { name: 'Sign in to Ticklake' }).waitFor();
    }
    await signInByForm(page, tested.owner);
    await waitForScreen(page, 'Overview');
    for (const next of FOREIGN) {
      await open(`/sign-in?next=${encodeURIComponent(next)}`);
      await waitForScreen(page, 'Overview');
    }
    expect(await page.evaluate('window.hasRun')).toBeUndefined();
  });
});

describe('an address that makes no sense', () => {
  it('is read as far as it does', async () => {
    const { page, open } = await tested.visit({ person: tested.owner });
    for (const [path, title, role] of [
      ['/accounts/1?tab=bogus&x=1', SCRIPT, 'tabpanel'],
      ['/explorer?dataset=US1020&columns={"a":1}&filters=5&run=yes&tab=7', 'Explorer', 'tabpanel'],
      ['/catalogue?q={"a":1}&group=[]&mine=perhaps', 'Catalogue', 'list'],
      ['/people?q=[1]', 'People', 'table'],
      ['/audit-log?from=bogus&operation=5&actor=', 'Audit log', 'list'],
    ] as const) {
      await open(path);
      await waitForScreen(page, title);
      await page.getByRole('main').getByRole(role).first().waitFor();
    }
  });
});
