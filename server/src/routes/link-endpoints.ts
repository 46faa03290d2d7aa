/**
 * Choosing a password by a link. The link's token comes in bodies alone: an address would be
 * written to logs. Nobody is signed in by a link: the new password is for the way that everybody
 * takes.
 */

import type { Caller } from '../access/authenticate.ts';
import { findOpenLink, type OpenLink } from '../access/person-link.ts';
import { TOKEN } from '../access/session.ts';
import { required } from '../admin/field.ts';
import { LINK_TOKEN, NEW_PASSWORD } from '../admin/field-kinds.ts';
import type { Links } from '../admin/operation.ts';
import { isoSeconds } from '../base/clock.ts';
import { ApiError } from '../base/errors.ts';
import type { StoreReader } from '../store/control-store.ts';
import { forCallerAlone } from './admit.ts';
import { CHOSEN_PASSWORD, OPEN_LINK } from './answers.ts';
import { requireOwnOrigin } from './cors.ts';
import {
  type Endpoint,
  type Exchange,
  type KeyedExchange,
  publicEndpoint,
  type SignInServices,
} from './endpoint.ts';
import { requestOrigin } from './http-headers.ts';
import { readSecretBody } from './request-fields.ts';
import { auditOwn, networkOf } from './session-endpoints.ts';

const TOKEN_FIELDS = { token: required(LINK_TOKEN, 'Token of the link: what follows its #') };

const CHOICE_FIELDS = {
  ...TOKEN_FIELDS,
  new_password: required(NEW_PASSWORD, 'The password to sign in with from now on'),
};

const REFUSED = 'The link no longer works: it has been used or replaced, or it has expired';

/** From a page of the service, and not too often. */
async function admitLink(exchange: Exchange<SignInServices>): Promise<void> {
  const { services, request, reply } = exchange;
  requireOwnOrigin(request, services.config);
  forCallerAlone(reply);
  await services.linkRate.count(networkOf(exchange));
}

async function requireLink(
  { services }: Exchange<SignInServices>,
  store: Pick<StoreReader, 'personLinks' | 'people' | 'accounts'>,
  token: string,
): Promise<OpenLink> {
  const open = TOKEN.test(token) && (await findOpenLink(store, token, services.clock.now()));
  if (!open) throw new ApiError('not found', REFUSED);
  return open;
}

async function showLink(exchange: Exchange<SignInServices>) {
  const { services } = exchange;
  await admitLink(exchange);
  const { token } = readSecretBody(exchange, TOKEN_FIELDS);
  const { link, person, account } = await requireLink(exchange, services.store, token);
  return {
    email: person.email,
    identity_name: account?.name ?? null,
    link_kind: link.kind,
    link_expires_at: isoSeconds(link.expiresAtMs),
  };
}

async function choosePassword(exchange: Exchange<SignInServices>) {
  const { store, passwords, changes } = exchange.services;
  await admitLink(exchange);
  const { token, new_password } = readSecretBody(exchange, CHOICE_FIELDS);
  // Before the hash, which takes long.
  await changes.count((await requireLink(exchange, store, token)).person);
  const hash = await passwords.hash(new_password);
  return store.transaction(async (tx) => {
    const { person } = await requireLink(exchange, tx, token);
    const { personId, email } = person;
    await tx.people.setPassword(personId, hash, false);
    await tx.personLinks.deleteOf(personId);
    await tx.sessions.endAllOf(personId);
    await tx.signInPlaces.forgetAllOf(personId);
    await auditOwn(exchange, tx, person, 'choosePassword');
    return { email };
  });
}

export const LINK_ENDPOINTS: readonly Endpoint[] = [
  publicEndpoint({
    endpoint: 'POST /session/link',
    operationId: 'showLink',
    summary: 'Who a password link is for, and when it expires',
    answer: OPEN_LINK,
    body: TOKEN_FIELDS,
    errorStatuses: [404, 429],
    handle: showLink,
  }),
  publicEndpoint({
    endpoint: 'POST /session/link/password',
    operationId: 'choosePassword',
    summary: 'Choose a password by a link, which then no longer works; ends all sessions',
    answer: CHOSEN_PASSWORD,
    body: CHOICE_FIELDS,
    errorStatuses: [404, 429, 503],
    handle: choosePassword,
  }),
];

/** The account whose e-mail is counted; null: whoever asks administers all accounts. */
function countedAccount(caller: Caller): number | null {
  if (caller.key || caller.person.role === 'owner') return null;
  return caller.account?.accountId ?? null;
}

/** The operator reads why an e-mail was not sent; whoever asked learns that it was not. */
export function linksOf({
  services,
  request,
  caller,
}: Pick<KeyedExchange<SignInServices>, 'services' | 'request' | 'caller'>): Links {
  const { config, mailer, mailRate } = services;
  const countMail = (address: string) => mailRate.count(countedAccount(caller), address);
  const send: Links['send'] =
    mailer &&
    (async (message) => {
      try {
        await mailer.send(message);
        return true;
      } catch (error) {
        request.log.error({ err: error }, 'an e-mail was not sent');
        return false;
      }
    });
  return { ...config, origin: requestOrigin(request, config), send, countMail };
}
