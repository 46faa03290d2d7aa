/** Alerts for an owner, from the navigation to the place that resolves them. */
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { PROGRAM } from '../../../server/test/program.ts';
import { graveFaults } from './accessibility.ts';
import { describe, SCREENSHOTS, startConsole } from './harness.ts';
import { waitForScreen } from './screens.ts';

const tested = startConsole();

describe('alerts', () => {
  it('count in the navigation, stand on the overview, and lead to the failed load', async () => {
    for (const [at, words] of [['ingest', 'eq_trading_halts'], ['night']].entries()) {
      const file = join(tested.home, `broken-${at}.csv`);
      writeFileSync(file, 'Nothing\nof the kind\n');
      const given = [PROGRAM, ...words, file, '--home', tested.home];
      await expect(promisify(execFile)(process.execPath, given)).rejects.toThrow();
    }
    const owner = await tested.signIn(tested.owner);
    const alerts: { kind: string; text: string }[] = (await owner.get('/admin/alerts')).body;
    const [unread, failed] = alerts.filter(({ kind }) => kind === 'load_refused');
    expect(failed?.text).toMatch(
      /^US Equities.*: load \d+ was refused, and not all of its dates have come since: ./,
    );

    const { page, open } = await tested.visit({ person: tested.owner });
    await open('/');
    await waitForScreen(page, 'Overview');
    const list = page.getByRole('list', { name: 'Alerts' });
    await list.getByText(failed?.text ?? '').waitFor();
    const count = `(${alerts.length} alert${alerts.length === 1 ? '' : 's'})`;
    const entry = page.getByRole('link', { name: /^Alerts/ });
    await expect
      .poll(async () => (await entry.innerText()).replaceAll(/\s+/g, ' '))
      .toContain(String(alerts.length));
    const screens = page.getByRole('navigation', { name: 'Screens' });
    expect(await screens.ariaSnapshot()).toContain(count);
    expect(await graveFaults(page)).toEqual([]);
    await page.screenshot({ path: `${SCREENSHOTS}/overview-alerts.png`, fullPage: true });

    await entry.click();
    await waitForScreen(page, 'Alerts');
    await expect.poll(() => list.getByRole('listitem').count()).toBe(alerts.length);
    expect(await graveFaults(page)).toEqual([]);
    await page.screenshot({ path: `${SCREENSHOTS}/alerts.png`, fullPage: true });
    for (const [alert, query] of [
      [unread, ''],
      [failed, '?dataset=US2013'],
    ] as const) {
      await open('/alerts');
      await list
        .getByRole('listitem')
        .filter({ hasText: alert?.text ?? '' })
        .getByRole('link', { name: 'See publications' })
        .click();
      await page.waitForURL(`**/publications/history${query}`);
      await waitForScreen(page, 'History of publications');
    }
  });

  it('are not told to people of an account', async () => {
    const owner = await tested.signIn(tested.owner);
    expect((await owner.get('/admin/alerts')).status).toBe(200);
    const member = await tested.addPerson('member@x.example', 'member', 1);
    expect((await (await tested.signIn(member)).get('/admin/alerts')).status).toBe(403);
    const { page, open } = await tested.visit({ person: member });
    await open('/');
    await waitForScreen(page, 'Overview');
    await expect.poll(() => page.getByRole('link', { name: /^Alerts/ }).count()).toBe(0);
    await expect.poll(() => page.getByRole('list', { name: 'Alerts' }).count()).toBe(0);
  });
});
