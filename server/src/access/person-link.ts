/**
 * Links by which people choose a password: how one is made, and whether it still opens anything.
 */
import { randomBytes } from 'node:crypto';
import type { Account } from '../store/accounts.ts';
import type { StoreReader, StoreTransaction } from '../store/control-store.ts';
import type { Person } from '../store/people.ts';
import type { LinkKind, PersonLink } from '../store/person-links.ts';
import { hashToken, mayBeSignedIn } from './session.ts';

const TOKEN_BYTES = 32;

/** Behind `#`, where browsers send it to nobody: neither in requests nor in `Referer`. */
const LINK_PATH = '/console/choose-password#';

export interface LinkLifetimes {
  readonly invitationLifetimeMs: number;
  readonly resetLinkLifetimeMs: number;
}

/** Whoever has never signed in is invited. */
export function linkKindOf({ isPasswordInitial, lastSignInAtMs }: Person): LinkKind {
  return isPasswordInitial && lastSignInAtMs === null ? 'invitation' : 'password_reset';
}

/**
 * The link's address is known to nobody else, nor can it be read again; the person's earlier one
 * ends.
 */
export async function makePersonLink(
  { personLinks }: Pick<StoreTransaction, 'personLinks'>,
  person: Person,
  nowMs: number,
  { invitationLifetimeMs, resetLinkLifetimeMs }: LinkLifetimes,
): Promise<PersonLink & { readonly path: string }> {
  const token = randomBytes(TOKEN_BYTES).toString('base64url');
  const kind = linkKindOf(person);
  const lifetimeMs = kind === 'invitation' ? invitationLifetimeMs : resetLinkLifetimeMs;
  const link = {
    tokenHash: hashToken(token),
    personId: person.personId,
    kind,
    createdAtMs: nowMs,
    expiresAtMs: nowMs + lifetimeMs,
  };
  await personLinks.put(link);
  return { ...link, path: `${LINK_PATH}${token}` };
}

export interface OpenLink {
  readonly link: PersonLink;
  readonly person: Person;
  /** The account that the person belongs to; null of an owner without one. */
  readonly account: Account | null;
}

/** Null where the link was used, replaced or has expired, or its person may not sign in. */
export async function findOpenLink(
  store: Pick<StoreReader, 'personLinks' | 'people' | 'accounts'>,
  token: string,
  nowMs: number,
): Promise<OpenLink | null> {
  const link = await store.personLinks.findByHash(hashToken(token));
  if (!link || nowMs >= link.expiresAtMs) return null;
  const person = await store.people.find(link.personId);
  if (!person) return null;
  const { accountId } = person;
  const account = accountId === null ? null : await store.accounts.find(accountId);
  return mayBeSignedIn(person, account, nowMs) ? { link, person, account } : null;
}
