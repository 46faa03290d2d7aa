/**
 * Makes the picture of the console in the README: the Explorer with a chart of the demo market, in
 * front of a server of its own. Run by `npm run screenshot`.
 */
import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { startServer } from '../../../server/test/operation/server-process.ts';
import { until } from '../../../server/test/until.ts';
import { demoSignIn } from './demo-sign-in.ts';
import { explorerPath } from './explorer-page.ts';
import { findChromium, HOW_TO_GET_IT } from './find-chromium.ts';
import { signInPerson } from './person.ts';
import { waitForScreen } from './screens.ts';
import { signInByForm } from './sign-in-form.ts';

const FILE = join(import.meta.dirname, '../../../docs/images/console.png');
const BYTES_MAX = 300_000;
const VIEWPORT = { width: 1400, height: 960 };
const DAYS_SHOWN = 180;
const DAY_MS = 86_400_000;

const executablePath = findChromium();
if (executablePath === null) throw new Error(`no browser: ${HOW_TO_GET_IT}`);
const home = mkdtempSync(join(tmpdir(), 'ticklake-screenshot-'));
const server = await startServer({ path: home, remove: () => undefined }, {}, 'demo');
await until(() => !existsSync(join(home, 'demo-unfinished')));
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
try {
  // Whoever has changed the first password is not asked to do so in the picture.
  const first = demoSignIn(home);
  const owner = { email: first.email, password: `${first.password} changed` };
  const session = await signInPerson(server.url, first);
  const { body: status } = await session.get('/meta/datasets/US1020/status');
  await session.post('/session/password', {
    current_password: first.password,
    new_password: owner.password,
  });
  const from = new Date(Date.parse(status.last_trade_date) - DAYS_SHOWN * DAY_MS);
  const page = await browser.newPage({ viewport: VIEWPORT, colorScheme: 'light' });
  const search = { dataset: 'US1020', identifier: 'AVQX', from: from.toISOString().slice(0, 10) };
  await page.goto(`${server.url}/console${explorerPath({ ...search, run: true, tab: 'chart' })}`);
  await signInByForm(page, owner);
  await waitForScreen(page, 'Explorer');
  await page.getByRole('img', { name: /^Candles with volume/ }).waitFor();
  await page.getByText(/bars; /).waitFor();
  await page.screenshot({ path: FILE });
} finally {
  await browser.close();
  server.child.kill('SIGTERM');
  await server.ended;
  rmSync(home, { recursive: true, force: true });
}
const { size } = statSync(FILE);
if (size > BYTES_MAX) throw new Error(`${FILE} has ${size} bytes, more than ${BYTES_MAX}`);
process.stdout.write(`${FILE}: ${size} bytes\n`);
