import type { NewPerson, Person, Role } from '@ticklake/client';
import { postJson } from '../api/client';
import type { Confirmation } from '../ui/dialog';

export const ROLE_OPTIONS: readonly { readonly value: Role; readonly label: string }[] = [
  { value: 'member', label: 'Member: sees the account and explores data' },
  { value: 'manager', label: 'Manager: also changes keys, subnets and the team' },
  { value: 'owner', label: 'Owner: administers all accounts' },
];

const TOUCHES = [['people']];

function path({ person_id }: Person, act: string, people = '/people'): string {
  return `${people}/${person_id}/${act}`;
}

export function passwordReset(person: Person, onReset: (person: NewPerson) => void): Confirmation {
  return {
    title: `Reset the password of ${person.email}?`,
    description:
      'The current password stops working and all of this person’s sessions end. ' +
      'The new one is shown once.',
    confirmLabel: 'Reset password',
    isDangerous: true,
    send: async () => onReset(await postJson<NewPerson>(path(person, 'reset-password'))),
    touches: TOUCHES,
    done: `The password of ${person.email} was reset`,
  };
}

/** `people`: path of those whom the caller may change. */
export function deactivation(person: Person, people?: string): Confirmation {
  return {
    title: `Deactivate ${person.email}?`,
    description:
      'All of this person’s sessions end, and they cannot sign in until you activate them again.',
    confirmLabel: 'Deactivate',
    isDangerous: true,
    send: () => postJson(path(person, 'deactivate', people)),
    touches: TOUCHES,
    done: `${person.email} was deactivated`,
  };
}

export function activation(person: Person, people?: string): Confirmation {
  return {
    title: `Activate ${person.email}?`,
    description: 'This person can sign in again with their old password.',
    confirmLabel: 'Activate',
    send: () => postJson(path(person, 'activate', people)),
    touches: TOUCHES,
    done: `${person.email} was activated`,
  };
}

export function secondFactorReset(person: Person): Confirmation {
  return {
    title: `Reset the second factor of ${person.email}?`,
    description:
      'All of this person’s sessions end, and the password alone is enough to sign in until they turn it on again. ' +
      'First make sure that the request really comes from this person.',
    confirmLabel: 'Reset second factor',
    isDangerous: true,
    send: () => postJson(path(person, 'reset-second-factor')),
    touches: TOUCHES,
    done: `The second factor of ${person.email} was reset`,
  };
}

export function deletion(person: Person): Confirmation {
  return {
    title: `Delete ${person.email}?`,
    description:
      'This person can no longer sign in. This cannot be undone. Their changes stay in the audit log.',
    confirmLabel: 'Delete',
    isDangerous: true,
    send: () => postJson(path(person, 'delete')),
    touches: TOUCHES,
    done: `${person.email} was deleted`,
  };
}
