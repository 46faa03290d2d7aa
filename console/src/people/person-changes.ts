import type { Person, Role } from '@ticklake/client';
import { postJson } from '../api/client';
import type { Confirmation } from '../ui/dialog';

export const ROLE_OPTIONS: readonly { readonly value: Role; readonly label: string }[] = [
  { value: 'member', label: 'Member: sees the account and explores data' },
  { value: 'manager', label: 'Manager: also changes keys, subnets and the team' },
  { value: 'owner', label: 'Owner: administers all accounts' },
];

interface ActText {
  readonly title: (email: string) => string;
  readonly description: string;
  readonly confirmLabel: string;
  readonly done: (email: string) => string;
  readonly isDangerous?: boolean;
}

/** By the last part of their path. */
const ACTS = {
  'reset-password': {
    title: (email) => `Reset the password of ${email}?`,
    description:
      'The current password stops working and all of this person’s sessions end. ' +
      'The new one is shown once.',
    confirmLabel: 'Reset password',
    done: (email) => `The password of ${email} was reset`,
    isDangerous: true,
  },
  deactivate: {
    title: (email) => `Deactivate ${email}?`,
    description:
      'All of this person’s sessions end, and they cannot sign in until you activate them again.',
    confirmLabel: 'Deactivate',
    done: (email) => `${email} was deactivated`,
    isDangerous: true,
  },
  activate: {
    title: (email) => `Activate ${email}?`,
    description: 'This person can sign in again with their old password.',
    confirmLabel: 'Activate',
    done: (email) => `${email} was activated`,
  },
  'reset-second-factor': {
    title: (email) => `Reset the second factor of ${email}?`,
    description:
      'All of this person’s sessions end, and the password alone is enough to sign in until they turn it on again. ' +
      'First make sure that the request really comes from this person.',
    confirmLabel: 'Reset second factor',
    done: (email) => `The second factor of ${email} was reset`,
    isDangerous: true,
  },
  delete: {
    title: (email) => `Delete ${email}?`,
    description:
      'This person can no longer sign in. This cannot be undone. Their changes stay in the audit log.',
    confirmLabel: 'Delete',
    done: (email) => `${email} was deleted`,
    isDangerous: true,
  },
} as const satisfies Readonly<Record<string, ActText>>;

/** `people`: path of those whom the caller may change. */
export function personChange(
  act: keyof typeof ACTS,
  { person_id: id, email }: Person,
  people = '/people',
): Confirmation {
  const { title, done, ...text } = ACTS[act];
  return {
    ...{ ...text, title: title(email), done: done(email), touches: [['people']] },
    send: () => postJson(`${people}/${id}/${act}`),
  };
}
