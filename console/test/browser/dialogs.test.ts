/** Each dialog, light and dark, wide and narrow: accessible and within the window. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { sampleOf } from '../../../server/test/repetitions.ts';
import { CUSTOMER_DIALOGS, OWNER_DIALOGS, type ShownDialog } from './dialogs.ts';
import { furnish } from './furnish.ts';
import { describe, startConsole } from './harness.ts';
import { FEW, inspectLooks } from './looks.ts';
import type { SignIn } from './person.ts';
import { waitForScreen, waitUntilLoaded } from './screens.ts';

const tested = startConsole();

const SOURCES = join(import.meta.dirname, '../../src');
/** The parts that dialogs are made of. */
const PARTS = ['ui/form.tsx', 'ui/dialog.tsx'];
const SHOWS_ONE =
  /<(?:Dialog|FormDialog|ConfirmDialog|ConfirmChange|LeaveQuestion|SecretDialog)\b|\bconfirmChange\(/g;
/**
 * Three come as a second factor is turned on, one after rows to withdraw were found, two to
 * people without an account; the palette comes by a key.
 */
const INSPECTED_ELSEWHERE = [
  'profile/second-factor-card.tsx',
  'profile/second-factor-card.tsx',
  'profile/second-factor-card.tsx',
  'administration/withdraw-dialog.tsx',
  'site/enquiry-dialog.tsx',
  'site/enquiry-dialog.tsx',
  'palette/palette.tsx',
];

let customer: SignIn;
beforeAll(async () => {
  if (!tested.isRunning) return;
  await furnish(tested);
  const owner = await tested.signIn(tested.owner);
  const { identity_id: id } = await owner.post('/identities', { name: 'Third Fund' });
  customer = await tested.addPerson('manager@third.test', 'manager', id);
  await tested.addPerson('colleague@third.test', 'member', id);
});

async function inspect(person: SignIn, { name, path, open }: ShownDialog): Promise<void> {
  const visit = await tested.visit({ person });
  const { page } = visit;
  await visit.open(path);
  await page.getByRole('heading', { level: 1 }).waitFor();
  await waitUntilLoaded(page);
  await open(page);
  await page.getByRole('dialog').waitFor();
  await waitUntilLoaded(page);
  await inspectLooks(page, `dialog-${name}`, FEW);
}

it('inspects every dialog of the console', () => {
  const known = [...OWNER_DIALOGS, ...CUSTOMER_DIALOGS].map(({ source }) => source);
  const shown = globSync('**/*.tsx', { cwd: SOURCES })
    .filter((path) => !PARTS.includes(path))
    .flatMap((path) => {
      const dialogs = readFileSync(join(SOURCES, path), 'utf8').match(SHOWS_ONE) ?? [];
      return dialogs.map(() => path);
    });
  expect(shown.toSorted()).toEqual([...known, ...INSPECTED_ELSEWHERE].toSorted());
});

describe('without a grave fault of accessibility, within the window, light and dark', () => {
  it.each(sampleOf(OWNER_DIALOGS))('is the dialog $name', (dialog) =>
    inspect(tested.owner, dialog),
  );

  it.each(sampleOf(CUSTOMER_DIALOGS))('is a customer’s dialog $name', (dialog) =>
    inspect(customer, dialog),
  );
});

it('goes with the screen that it was opened on', async () => {
  if (!tested.isRunning) return;
  const { page, open } = await tested.visit({ person: tested.owner });
  await open('/plans');
  await waitForScreen(page, 'Plans');
  await page.getByRole('link', { name: 'Accounts', exact: true }).click();
  await waitForScreen(page, 'Accounts');
  await page.getByRole('button', { name: 'New account' }).click();
  await page.getByRole('dialog', { name: 'New account' }).waitFor();
  await page.goBack();
  await waitForScreen(page, 'Plans');
  await page.getByRole('dialog').waitFor({ state: 'hidden' });
});
