import type { BodyOf, Person, Role } from '@ticklake/client';
import { emailProblem } from '../ui/input-problems';

export interface PersonFields extends Readonly<Record<string, unknown>> {
  readonly email: string;
  readonly role: Role;
  readonly identity_id: string;
}

export function fieldsOfPerson({ email, role, identity_id }: Person): PersonFields {
  return { email, role, identity_id: identity_id === null ? '' : String(identity_id) };
}

/** The first person of an account manages it: nobody else there could make keys or invite. */
export function firstRole(people: readonly Person[], accountId: string): Role {
  const managing = people.some(
    ({ identity_id, role, is_active }) =>
      String(identity_id) === accountId && role !== 'member' && is_active,
  );
  return accountId === '' || managing ? 'member' : 'manager';
}

export function personProblems({ email, role, identity_id }: PersonFields) {
  const needsAccount = role !== 'owner' && identity_id === '';
  return {
    email: emailProblem(email),
    identity_id: needsAccount ? `Choose the account that the ${role} belongs to` : '',
  };
}

function sentValues({ email, role, identity_id }: PersonFields) {
  return {
    email: email.trim(),
    role,
    identity_id: identity_id === '' ? null : Number(identity_id),
  };
}

/** Body that creates a person; without an account for an owner who has no account. */
export function newPersonBody(fields: PersonFields): BodyOf<'createPerson'> {
  const { identity_id, ...others } = sentValues(fields);
  return identity_id === null ? others : { ...others, identity_id };
}

export function personChanges(fields: PersonFields, kept: PersonFields): BodyOf<'updatePerson'> {
  const before = sentValues(kept);
  const after = Object.entries(sentValues(fields));
  return Object.fromEntries(
    after.filter(([name, value]) => value !== before[name as keyof typeof before]),
  );
}
