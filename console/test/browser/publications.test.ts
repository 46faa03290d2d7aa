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
    await dialog.getByText('US2013: 1 partition will again have').waitFor();
    await dialog.getByRole('textbox', { name: 'Reason' }).fill('it was a mistake');
    await dialog.getByRole('button', { name: 'Roll back', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: new RegExp(`${id + 1}`) }).waitFor();
    await page.getByText('it was a mistake').waitFor();
    expect((await halts()).body.row_count).toBe(rowCount);
    await open(`/publications/${id}`);
    await page.getByText('Rolled back by').waitFor();
    expect(await page.getByRole('button', { name: 'Roll back…' }).count()).toBe(0);
  });
});
