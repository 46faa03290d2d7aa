/** Every dialog: whose screen it is on, and what a person does to see it. */
import type { Page } from 'playwright-core';

export interface ShownDialog {
  readonly name: string;
  /** The file below `console/src` that has it. */
  readonly source: string;
  /** Below `/console`. */
  readonly path: string;
  readonly open: (page: Page) => Promise<void>;
}

/** By what somebody has who belongs to an account that may read little. */
export const CUSTOMER_DIALOGS: readonly ShownDialog[] = [
  {
    name: 'ask-for-access',
    source: 'access/ask-for-access.tsx',
    path: '/catalogue/US1032',
    open: press('Ask for access'),
  },
  { name: 'invite', source: 'team/team-screen.tsx', path: '/team', open: press('Invite') },
  {
    name: 'deactivate-colleague',
    source: 'team/team-screen.tsx',
    path: '/team',
    open: chooseOf('colleague@third.test', 'Deactivate…'),
  },
  {
    name: 'lock-out',
    source: 'network/network-screen.tsx',
    path: '/network',
    open: async (page) => {
      await addSubnet(page);
      await press('Save')(page);
    },
  },
  {
    name: 'leave',
    source: 'ui/leave-guard.tsx',
    path: '/network',
    open: async (page) => {
      await addSubnet(page);
      await page.getByRole('link', { name: 'Usage', exact: true }).click();
    },
  },
  {
    name: 'turn-on-second-factor',
    source: 'profile/second-factor-card.tsx',
    path: '/profile',
    open: press('Turn on'),
  },
];

const RULES = '/accounts/2?tab=rules';
const PERSON = 'colleague@demo.test';

/** On the screens of an owner who belongs to the demo's account. */
export const OWNER_DIALOGS: readonly ShownDialog[] = [
  {
    name: 'new-key',
    source: 'keys/new-key.tsx',
    path: '/keys',
    open: press('Generate key'),
  },
  {
    name: 'shown-key',
    source: 'keys/new-key.tsx',
    path: '/keys',
    open: async (page) => {
      await press('Generate key')(page);
      await page.getByRole('dialog').getByLabel('Name').fill('shown');
      await page.getByRole('dialog').getByRole('button', { name: 'Generate' }).click();
      await page.getByRole('dialog', { name: 'Store the key' }).waitFor();
    },
  },
  {
    name: 'delete-key',
    source: 'keys/keys-table.tsx',
    path: '/keys',
    open: chooseOf('unused', 'Delete…'),
  },
  {
    name: 'rename-key',
    source: 'keys/keys-table.tsx',
    path: '/keys',
    open: chooseOf('unused', 'Rename…'),
  },
  {
    name: 'rotate-key',
    source: 'keys/rotate-key.tsx',
    path: '/keys',
    open: chooseOf('about to expire', 'Rotate…'),
  },
  {
    name: 'new-account',
    source: 'administration/account-forms.tsx',
    path: '/accounts',
    open: press('New account'),
  },
  {
    name: 'deactivate-account',
    source: 'administration/account-screen.tsx',
    path: '/accounts/1',
    open: press('Deactivate'),
  },
  {
    name: 'add-rules',
    source: 'administration/rules-card.tsx',
    path: RULES,
    open: press('Add rules'),
  },
  {
    name: 'copy-rules',
    source: 'administration/rules-card.tsx',
    path: RULES,
    open: press('Copy rules…'),
  },
  {
    name: 'edit-rule',
    source: 'administration/rules-card.tsx',
    path: RULES,
    open: press('Edit the rule'),
  },
  {
    name: 'delete-rule',
    source: 'administration/rules-card.tsx',
    path: RULES,
    open: press('Delete the rule'),
  },
  {
    name: 'new-plan',
    source: 'administration/plan-form.tsx',
    path: '/plans',
    open: press('New plan'),
  },
  {
    name: 'delete-plan',
    source: 'administration/plan-screen.tsx',
    path: '/plans/1',
    open: press('Delete…'),
  },
  {
    name: 'new-person',
    source: 'administration/person-actions.tsx',
    path: '/people',
    open: press('New person'),
  },
  {
    name: 'change-person',
    source: 'administration/person-actions.tsx',
    path: '/people',
    open: chooseOf(PERSON, 'Change…'),
  },
  {
    name: 'initial-password',
    source: 'administration/person-actions.tsx',
    path: '/people',
    open: async (page) => {
      await chooseOf(PERSON, 'Reset password…')(page);
      await page
        .getByRole('dialog')
        .getByRole('button', { name: /^Reset/ })
        .click();
      await page.getByRole('dialog', { name: 'Initial password' }).waitFor();
    },
  },
  {
    name: 'delete-person',
    source: 'administration/person-actions.tsx',
    path: '/people',
    open: chooseOf(PERSON, 'Delete…'),
  },
  {
    name: 'sessions-of-person',
    source: 'administration/person-actions.tsx',
    path: '/people',
    open: chooseOf(PERSON, 'Sessions…'),
  },
  {
    name: 'make-link',
    source: 'people/link-making.tsx',
    path: '/people',
    open: chooseOf(PERSON, 'Invitation link…'),
  },
  {
    name: 'shown-link',
    source: 'people/link-making.tsx',
    path: '/people',
    open: async (page) => {
      await chooseOf(PERSON, 'Invitation link…')(page);
      await press('Show link')(page);
      await page.getByRole('dialog', { name: 'Invitation for' }).waitFor();
    },
  },
  {
    name: 'roll-back',
    source: 'administration/rollback.tsx',
    path: '/publications/1',
    open: press('Roll back…'),
  },
  {
    name: 'withdraw',
    source: 'administration/withdraw-dialog.tsx',
    path: '/publications/history?dataset=US2013',
    open: press('Withdraw rows…'),
  },
  {
    name: 'prune',
    source: 'administration/history-screen.tsx',
    path: '/publications/history',
    open: press('Prune…'),
  },
];

function press(name: string) {
  return (page: Page) => page.getByRole('button', { name }).first().click();
}

/** Chooses from the menu of the row that is named so. */
function chooseOf(row: string, item: string) {
  return async (page: Page) => {
    await page.getByRole('button', { name: `Actions for ${row}` }).click();
    await page.getByRole('menuitem', { name: item }).click();
  };
}

async function addSubnet(page: Page): Promise<void> {
  await press('Add subnet')(page);
  await page.getByLabel('Subnet 1', { exact: true }).fill('203.0.113.0/24');
}
