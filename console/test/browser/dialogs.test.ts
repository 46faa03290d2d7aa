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
import { waitUntilLoaded } from './screens.ts';

const tested = startConsole();

const SOURCES = join(import.meta.dirname, '../../src');
/** What dialogs are made of. */
const KINDS = ['dialog', 'confirm-dialog', 'confirm-change', 'secret-dialog'];
const SHOWS_ONE = /<(?:Dialog|ConfirmDialog|ConfirmChange|SecretDialog)\b/;
/** Those that come after a second factor was turned on. */
const INSPECTED_ELSEWHERE = [
  'profile/recovery-codes-dialog.tsx',
  'profile/second-factor-change-dialog.tsx',
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

describe('every file that shows a dialog', () => {
  it('has one among those that are inspected', () => {
    const known = [...OWNER_DIALOGS, ...CUSTOMER_DIALOGS].map(({ source }) => source);
    const kinds = KINDS.map((name) => `ui/${name}.tsx`);
    const showing = globSync('**/*.tsx', { cwd: SOURCES }).filter((path) =>
      SHOWS_ONE.test(readFileSync(join(SOURCES, path), 'utf8')),
    );
    expect(showing.filter((path) => !kinds.includes(path)).toSorted()).toEqual(
      [...new Set([...known, ...INSPECTED_ELSEWHERE])].toSorted(),
    );
  });
});

describe('without a grave fault of accessibility, within the window, light and dark', () => {
  it.each(sampleOf(OWNER_DIALOGS))('is the dialog $name', (dialog) =>
    inspect(tested.owner, dialog),
  );

  it.each(sampleOf(CUSTOMER_DIALOGS))('is a customer’s dialog $name', (dialog) =>
    inspect(customer, dialog),
  );
});
