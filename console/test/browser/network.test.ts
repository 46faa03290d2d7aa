/** The allow-list: edited with care, since it can lock out the one who edits it. */
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { graveFaults } from './accessibility.ts';
import { describe, startConsole } from './harness.ts';
import { waitForScreen } from './screens.ts';

const tested = startConsole();

async function openNetwork(name: string) {
  const owner = await tested.signIn(tested.owner);
  const { identity_id: id } = await owner.post('/identities', { name });
  const manager = await tested.addPerson(`manager@${name}.test`, 'manager', id);
  const visit = await tested.visit({ person: manager });
  await visit.open('/network');
  await waitForScreen(visit.page, 'Network');
  const stored = async () => {
    const { body } = await (await tested.signIn(manager)).get('/account/my');
    return body.ip_subnets;
  };
  return { ...visit, stored };
}

async function addSubnet(page: Page, number: number, text: string): Promise<void> {
  await page.getByRole('button', { name: 'Add subnet' }).click();
  await page.getByLabel(`Subnet ${number}`, { exact: true }).fill(text);
}

describe('the allow-list', () => {
  it('warns before it locks out the person, changes nothing without a yes, and everything with it', async () => {
    const { page, stored } = await openNetwork('lock-out');
    await page.getByText('No restriction:').waitFor();
    await addSubnet(page, 1, '203.0.113.0/24');
    await page.getByText('This list would lock out your own address 127.0.0.1').waitFor();
    await page.getByRole('button', { name: 'Save' }).click();
    const question = page.getByRole('dialog', { name: 'Lock out your own address?' });
    await question.waitFor();
    expect(await graveFaults(page)).toEqual([]);
    await question.getByRole('button', { name: 'Cancel' }).click();
    expect(await stored()).toEqual([]);
    await expect
      .poll(() => page.getByLabel('Subnet 1', { exact: true }).inputValue())
      .toBe('203.0.113.0/24');
    await page.getByRole('button', { name: 'Save' }).click();
    await question.getByRole('button', { name: 'Save and lock it out' }).click();
    await page.getByText('The allow-list was saved').first().waitFor();
    expect(await stored()).toEqual(['203.0.113.0/24']);
    await page.getByText('Your own address 127.0.0.1 is locked out').waitFor();
  });

  it('takes a list that lets the person in without a question', async () => {
    const { page, stored } = await openNetwork('let-in');
    await addSubnet(page, 1, '127.0.0.0/8');
    await addSubnet(page, 2, '2001:db8::/32');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('The allow-list was saved').first().waitFor();
    expect(await stored()).toEqual(['127.0.0.0/8', '2001:db8::/32']);
  });

  it('says what is wrong with a subnet as it is typed, and sends nothing until it is right', async () => {
    const { page, stored } = await openNetwork('typing');
    await addSubnet(page, 1, '10.1.2.3/8');
    const field = page.getByLabel('Subnet 1', { exact: true });
    await expect.poll(() => field.getAttribute('aria-invalid')).toBe('true');
    const save = page.getByRole('button', { name: 'Save' });
    await expect.poll(() => save.isDisabled()).toBe(true);
    for (const wrong of ['10.0.0.0/33', '10.0.0', 'fe80::/129', '300.0.0.0/8', 'localhost']) {
      await field.fill(wrong);
      await expect.poll(() => field.getAttribute('aria-invalid'), { message: wrong }).toBe('true');
    }
    await field.fill('127.0.0.1/32');
    await expect.poll(() => field.getAttribute('aria-invalid')).not.toBe('true');
    await save.click();
    await page.getByText('The allow-list was saved').first().waitFor();
    expect(await stored()).toEqual(['127.0.0.1/32']);
  });

  it('tells of any address whether it would be allowed, as the service judges it', async () => {
    const { page } = await openNetwork('address-test');
    await addSubnet(page, 1, '127.0.0.0/8');
    await addSubnet(page, 2, '10.1.0.0/16');
    const address = page.getByLabel('Address', { exact: true });
    const edited = page.getByRole('status').filter({ hasText: 'With your changes' });
    await address.fill('10.1.2.3');
    await edited.getByText('by 10.1.0.0/16').waitFor();
    await address.fill('10.2.2.3');
    await edited.getByText('refused').waitFor();
    await address.fill('10.2.2');
    await expect.poll(() => address.getAttribute('aria-invalid')).toBe('true');
  });
});
