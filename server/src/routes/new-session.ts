/** Beginning a session, and the answer about one. */
import type { PersonCaller } from '../access/authenticate.ts';
import {
  beginSession,
  csrfTokenOf,
  endSession,
  expiresAtMs,
  hashToken,
  liveSession,
} from '../access/session.ts';
import { personView, timeOrNull } from '../admin/views.ts';
import { isoSeconds } from '../base/clock.ts';
import type { StoreTransaction } from '../store/control-store.ts';
import type { Person } from '../store/people.ts';
import { forCallerAlone } from './admit.ts';
import type { Exchange, SignInServices } from './endpoint.ts';
import { sourceText } from './http-headers.ts';
import { auditOwn, networkOf } from './own-acts.ts';
import { sessionToken, setSessionCookie } from './session-cookie.ts';

const BROWSER_CHARACTERS_MAX = 300;

/** Of nobody. */
export const NOBODY = { person: null } as const;

/** The answer about a live session. */
export function sessionView(
  { services, request }: Exchange<SignInServices>,
  { person, identity, session }: PersonCaller,
  token: string,
) {
  const { config } = services;
  return {
    person: personView(person),
    identity: identity && {
      identity_id: identity.identityId,
      name: identity.name,
      contract_ends_at: timeOrNull(identity.contractEndsAtMs),
    },
    csrf_token: csrfTokenOf(token),
    expires_at: isoSeconds(expiresAtMs(session, config)),
    source_address: sourceText(request, config),
  };
}

/** What a person is to know a session by. */
function placeOf({ services, request }: Exchange<SignInServices>) {
  const browser = String(request.headers['user-agent'] ?? '').slice(0, BROWSER_CHARACTERS_MAX);
  return { source: sourceText(request, services.config), browser };
}

/** In place of the session that the request carries, with the act's row in the audit log. */
export async function newSession(
  exchange: Exchange<SignInServices>,
  tx: StoreTransaction,
  person: Person,
  operation: string,
): Promise<string> {
  const { clock, config } = exchange.services;
  const old = sessionToken(exchange.request, config);
  if (old !== null) await endSession(tx, old);
  const token = await beginSession(tx, person.personId, clock.now(), config, placeOf(exchange));
  const network = networkOf(exchange);
  if (network !== null) await tx.signInPlaces.remember(person.personId, network, clock.now());
  await auditOwn(exchange, tx, person, operation);
  return token;
}

/** The answer about a session that has just begun. */
export async function answerSession(exchange: Exchange<SignInServices>, token: string) {
  const { services, request, reply } = exchange;
  const { store, clock, config } = services;
  setSessionCookie(request, reply, config, token);
  forCallerAlone(reply);
  await store.catchUp();
  const holder = store.replica.findSession(hashToken(token));
  const caller = liveSession(holder, clock.now(), config);
  return caller ? sessionView(exchange, caller, token) : NOBODY;
}
