/** People: who may sign in, as what, and for which account. */

/** What a person may do: look, change the own account, administer all of them. */
export const ROLES = ['member', 'manager', 'owner'] as const;
export type Role = (typeof ROLES)[number];

export interface Person {
  readonly personId: number;
  /** In lower case, which no other person has. */
  readonly email: string;
  readonly role: Role;
  /** The account that the person belongs to; only an owner may have none. */
  readonly identityId: number | null;
  readonly isActive: boolean;
  /** Whether the password is still the one that was made with the person or by a reset. */
  readonly isPasswordInitial: boolean;
  readonly createdAtMs: number;
  readonly lastSignInAtMs: number | null;
}
