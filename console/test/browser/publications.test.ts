/** The history of publications, as an owner sees it. */
import { expect, it } from 'vitest';
import { describe, NARROW, startConsole, WIDE } from './harness.ts';
import { overflowOf, waitUntilLoaded } from './screens.ts';

const tested = startConsole();

describe('the history of publications', () => {
  it('fits wide and narrow screens', async () => {
    for (const viewport of [WIDE, NARROW]) {
      const { page, open } = await tested.visit({ person: tested.owner, viewport });
      for (const path of ['/publications/history', '/publications/1']) {
        await open(path);
        await page.getByRole('heading', { level: 1 }).waitFor();
        await waitUntilLoaded(page);
        expect(await overflowOf(page), `${path} at ${viewport.width}`).toBeLessThanOrEqual(0);
      }
    }
  });

  it('says in words who published on the server', async () => {
    const { page, open } = await tested.visit({ person: tested.owner });
    await open('/publications/history');
    await page
      .getByRole('row')
      .getByText(/^\S+, on the server$/)
      .first()
      .waitFor();
    await expect.poll(() => page.getByText('local:').count()).toBe(0);
  });

  it('rolls a publication back, after it has said what that does, and shows what it made', async () => {
    const owner = await tested.signIn(tested.owner);
    const halts = () => owner.get('/meta/datasets/US2013/status');
    const rowCount = (await halts()).body.row_count;
    const withdrawal = { dataset_id: 'US2013', all: true, reason: 'by mistake' };
    const made = await owner.post('/admin/publications/withdraw', withdrawal);
    const id = made.publication.publication_id;
    expect((await halts()).body.row_count).toBe(0);
    const { page, open } = await tested.visit({ person: tested.owner });
    await open(`/publications/${id}`);
    await page.getByRole('button', { name: 'Roll back…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('US2013: 1 partition will go back to').waitFor();
    await dialog.getByRole('textbox', { name: 'Reason' }).fill('it was a mistake');
    await dialog.getByRole('button', { name: 'Roll back', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: new RegExp(`${id + 1}`) }).waitFor();
    await page.getByText('it was a mistake').waitFor();
    expect((await halts()).body.row_count).toBe(rowCount);
    await open(`/publications/${id}`);
    await page.getByText('Rolled back by').waitFor();
    await expect.poll(() => page.getByRole('button', { name: 'Roll back…' }).count()).toBe(0);
  });

  it('withdraws rows, after it has said which, and goes back to an earlier version', async () => {
    const owner = await tested.signIn(tested.owner);
    const halts = async () => (await owner.get('/meta/datasets/US2013/status')).body;
    const { row_count: rowCount, version } = await halts();
    const records = await owner.get('/admin/publications?dataset_id=US2013&limit=1');
    const earlier = records.body.data[0].publication_id;
    const { page, open } = await tested.visit({ person: tested.owner });
    await open('/publications/history?dataset=US2013');
    await page.getByRole('button', { name: 'Withdraw rows…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Check rows' }).click();
    await dialog.getByText('Enter days or identifiers, or choose all rows').waitFor();
    await dialog.getByText('Enter a reason').waitFor();
    await dialog.getByRole('checkbox', { name: 'All rows of the dataset' }).click();
    await dialog.getByRole('textbox', { name: 'Reason' }).fill('a wrong vendor');
    await dialog.getByRole('button', { name: 'Check rows' }).click();
    await dialog.getByText('rows will be removed from 1 partition.').waitFor();
    expect(await halts()).toMatchObject({ row_count: rowCount, version });
    await dialog.getByRole('button', { name: 'Withdraw', exact: true }).click();
    // The history shows what was asked for as well.
    await page.getByRole('heading', { level: 1, name: /^Publication \d+$/ }).waitFor();
    await page.getByText('a wrong vendor').waitFor();
    expect(await halts()).toMatchObject({ row_count: 0, version: version + 1 });
    await open(`/publications/${earlier}`);
    await page.getByRole('button', { name: `Roll back to version ${version}…` }).click();
    await dialog
      .getByText(`US2013: 1 partition will go back to version ${version}, with`)
      .waitFor();
    await dialog.getByRole('textbox', { name: 'Reason' }).fill('it was the right one');
    await dialog.getByRole('button', { name: 'Roll back', exact: true }).click();
    await page.getByText('it was the right one').waitFor();
    expect(await halts()).toMatchObject({ row_count: rowCount, version: version + 2 });
  });

  it('asks about the versions of the click, and undoes no load that was published since', async () => {
    const owner = await tested.signIn(tested.owner);
    const status = async () => (await owner.get('/meta/datasets/US2013/status')).body;
    const { version } = await status();
    const wrong = { dataset_id: 'US2013', all: true, reason: 'by mistake' };
    await owner.post('/admin/publications/withdraw', wrong);
    const { page, open } = await tested.visit({ person: tested.owner });
    await open('/publications');
    const offers = (to: number) =>
      page.getByRole('button', { name: `US2013 to version ${to}`, includeHidden: true });
    await offers(version).click();
    const dialog = page.getByRole('dialog', { name: `Roll US2013 back to version ${version}?` });
    await dialog.getByText(`will go back to version ${version}, with`).waitFor();
    await dialog.getByRole('textbox', { name: 'Reason' }).fill('it was a mistake');
    const back = { dataset_id: 'US2013', to_version: version };
    await owner.post('/admin/publications/rollback', back);
    await offers(version + 1).waitFor();
    await dialog.getByText(`Version ${version + 2} was published meanwhile`).waitFor();
    const confirm = dialog.getByRole('button', { name: 'Roll back', exact: true });
    expect(await confirm.isDisabled()).toBe(true);
    expect(await dialog.getByRole('textbox').inputValue()).toBe('it was a mistake');
    expect((await status()).version).toBe(version + 2);
  });

  it('prunes what retention does not keep, after it has said what', async () => {
    const { page, open } = await tested.visit({ person: tested.owner });
    await open('/publications/history');
    const ask = () => page.getByRole('button', { name: 'Prune…' }).click();
    const dialog = page.getByRole('dialog');
    await ask();
    await dialog.getByText('Nothing to prune: retention keeps every version.').waitFor();
    await expect.poll(() => dialog.getByRole('button', { name: 'Prune' }).count()).toBe(0);
    // Beside the one that the cross is.
    await dialog.getByRole('button', { name: 'Close' }).last().click();
    // Nothing that was replaced a moment ago can go, so the service's answer is made up.
    const bodies: unknown[] = [];
    const dropped = { dataset_id: 'US2013', versions: [1, 2], first_version: 3, byte_count: 2048 };
    await page.route('**/admin/publications/prune', async (route) => {
      const body = route.request().postDataJSON();
      bodies.push(body);
      const isDryRun = body.dry_run === true;
      const json = { is_dry_run: isDryRun, byte_count: 2048, datasets: [dropped] };
      await route.fulfill({ json });
    });
    await ask();
    await dialog.getByText('US2013: 2 versions from 1 to 2 will be removed').waitFor();
    await dialog.getByRole('button', { name: 'Prune' }).click();
    await page.getByText('The versions were pruned').waitFor();
    expect(bodies).toContainEqual({ dry_run: true });
    expect(bodies).toContainEqual({});
  });
});
