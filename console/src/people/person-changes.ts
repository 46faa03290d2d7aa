import type { Person, Role } from '@ticklake/client';
import { postJson } from '../api/client';
import { sentenceCase } from '../format/texts';
import type { Confirmation } from '../ui/dialog';

export const ROLE_OPTIONS: readonly { readonly value: Role; readonly label: string }[] = [
  { value: 'member', label: 'Member: sees the account and explores data' },
  { value: 'manager', label: 'Manager: also changes keys, subnets and the team' },
  { value: 'owner', label: 'Owner: administers all accounts' },
];

/** By the last part of their path. */
const DESCRIPTIONS = {
  'reset-password':
    'The current password stops working and all of this person’s sessions end. ' +
    'The new one is shown once.',
  deactivate:
    'All of this person’s sessions end, and they cannot sign in until you activate them again.',
  activate: 'This person can sign in again with their old password.',
  'reset-second-factor':
    'All of this person’s sessions end, and the password alone is enough to sign in until they turn it on again. ' +
    'First make sure that the request really comes from this person.',
  delete:
    'This person can no longer sign in. This cannot be undone. Their changes stay in the audit log.',
};

/** `people`: path of those whom the caller may change. */
export function personChange(
  act: keyof typeof DESCRIPTIONS,
  { person_id: id, email }: Person,
  people = '/people',
): Confirmation {
  // `Reset second factor`, of which `second factor` is what is reset.
  const verb = sentenceCase(act.replaceAll('-', '_'));
  const [, reset] = /^Reset (.+)$/.exec(verb) ?? [];
  return {
    title: reset ? `Reset the ${reset} of ${email}?` : `${verb} ${email}?`,
    description: DESCRIPTIONS[act],
    confirmLabel: verb,
    isDangerous: act !== 'activate',
    send: () => postJson(`${people}/${id}/${act}`),
    touches: [['people']],
    done: reset ? `The ${reset} of ${email} was reset` : `${email} was ${act}d`,
  };
}
