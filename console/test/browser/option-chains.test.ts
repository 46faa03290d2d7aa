/** The chain of an underlying, from the menu to the strikes of another expiration. */
import { expect, it } from 'vitest';
import { graveFaults } from './accessibility.ts';
import { describe, startConsole } from './harness.ts';
import { waitForScreen } from './screens.ts';

const tested = startConsole();

describe('option chains', () => {
  it('show quotes, greeks and the smile by one click, and another expiration by two', async () => {
    const { page, open } = await tested.visit({ person: tested.owner });
    await open('/');
    await page.getByRole('link', { name: 'Option chains' }).click();
    await waitForScreen(page, 'Option chains');
    const table = page.getByRole('table', { name: /^Options on \w+, expiring/ });
    await table.getByRole('row').nth(1).waitFor();
    const strike = table.getByRole('rowheader').first();
    expect(Number(await strike.textContent())).toBeGreaterThan(0);
    await page.getByRole('img', { name: /^Implied volatility of/ }).waitFor();
    expect(await graveFaults(page)).toEqual([]);
    await page.getByRole('heading', { name: / at 1\d:00 ET$/ }).waitFor();
    const title = (await table.locator('caption').textContent()) ?? '';
    await page.getByRole('combobox', { name: 'Expiration' }).click();
    // The first one may be chosen already: it depends on the day of the week.
    await page.getByRole('option').last().click();
    await expect.poll(() => table.locator('caption').textContent()).not.toBe(title);
    expect(new URL(page.url()).searchParams.get('expiration')).not.toBeNull();
    await page.getByRole('button', { name: /^Calendar: Date/ }).click();
    await page.getByRole('button', { name: /^Latest day/ }).click();
    await expect
      .poll(() => page.getByRole('textbox', { name: /^Date/ }).inputValue())
      .toMatch(/^2026/);
  });

  it('keep the strikes in sight on a phone, whatever else is scrolled to', async () => {
    const viewport = { width: 390, height: 844 };
    const { page, open } = await tested.visit({ person: tested.owner, viewport });
    await open('/option-chains');
    const table = page.getByRole('table', { name: /^Options on \w+, expiring/ });
    const strike = table.getByRole('rowheader').first();
    await strike.waitFor();
    for (const last of ['Call bid', 'Put bid', 'Put delta']) {
      await table.getByRole('columnheader', { name: last }).scrollIntoViewIfNeeded();
      const { x, width } = (await strike.boundingBox())!;
      expect(x).toBeGreaterThan(0);
      expect(x + width).toBeLessThanOrEqual(viewport.width);
    }
  });

  it('are asked for by expiration where there are more contracts than a page has', async () => {
    const { page, open } = await tested.visit({ person: tested.owner });
    await page.route('**/symbology/option-chain?*', async (route) => {
      const answer = await route.fetch();
      const chain = await answer.json();
      const isWhole = new URL(route.request().url()).searchParams.has('expiration');
      const cut = {
        contracts: chain.contracts.slice(0, 1),
        pagination: { ...chain.pagination, next_offset: 1 },
      };
      await route.fulfill({ response: answer, json: isWhole ? chain : { ...chain, ...cut } });
    });
    await open('/option-chains');
    const table = page.getByRole('table', { name: /^Options on \w+, expiring/ });
    await expect.poll(() => table.getByRole('rowheader').count()).toBeGreaterThan(3);
    await page.unrouteAll();
  });

  it('are not offered to an account without option ticks, which is told where to ask', async () => {
    const owner = await tested.signIn(tested.owner);
    const { identity_id: id } = await owner.post('/identities', { name: 'without options' });
    const person = await tested.addPerson('member@without.test', 'member', id);
    const { page, open } = await tested.visit({ person });
    await open('/option-chains');
    await waitForScreen(page, 'Option chains');
    await page.getByText('Your account can’t read option ticks').waitFor();
    expect(await page.getByRole('link', { name: 'Option chains' }).count()).toBe(0);
  });
});
