/** The own sessions: which there are, and ending them. */
import { hashToken, liveSessions, sessionIdOf } from '../access/session.ts';
import { ENDED_SESSIONS, PERSON_SESSION_LIST } from '../admin/answers.ts';
import { optional } from '../admin/field.ts';
import { SEARCHED_TEXT } from '../admin/field-kinds.ts';
import { sessionView } from '../admin/views.ts';
import { ApiError } from '../base/errors.ts';
import type { Session } from '../store/sessions.ts';
import { admitIn } from './admit.ts';
import { readSecretBody } from './body-fields.ts';
import {
  type Endpoint,
  type KeyedExchange,
  keyedEndpoint,
  type SignInServices,
} from './endpoint.ts';
import { auditOwn } from './own-acts.ts';
import { personOf } from './password-try.ts';
import { sessionToken } from './session-cookie.ts';

const END_FIELDS = {
  session_id: optional(SEARCHED_TEXT, 'The session to end; default: all but the one that asks'),
};

function currentHash({ services, request }: KeyedExchange<SignInServices>): string | null {
  const token = sessionToken(request, services.config);
  return token === null ? null : hashToken(token);
}

async function listSessions(exchange: KeyedExchange<SignInServices>) {
  const { store, clock, config } = exchange.services;
  const sessions = await store.sessions.listOf(personOf(exchange).personId);
  const current = currentHash(exchange);
  return liveSessions(sessions, clock.now(), config).map((each) => sessionView(each, current));
}

/** Those that a person asks to end; never the one that asks, which signs out instead. */
function sessionsToEnd(
  sessions: readonly Session[],
  sessionId: string | undefined,
  current: string | null,
): Session[] {
  const others = sessions.filter(({ tokenHash }) => tokenHash !== current);
  const ended = others.filter((each) => sessionId === undefined || sessionIdOf(each) === sessionId);
  if (sessionId === undefined || ended.length > 0) return ended;
  throw new ApiError('not found', 'You have no other session with the specified id');
}

async function endSessions(exchange: KeyedExchange<SignInServices>) {
  const { services, request } = exchange;
  const { session_id: sessionId } = readSecretBody(services, END_FIELDS, request.body);
  return services.store.transaction(async (tx) => {
    await admitIn(tx, exchange);
    const person = personOf(exchange);
    const sessions = await tx.sessions.listOf(person.personId);
    const ended = sessionsToEnd(sessions, sessionId, currentHash(exchange));
    for (const { tokenHash } of ended) await tx.sessions.end(tokenHash);
    if (ended.length > 0) await auditOwn(exchange, tx, person, 'endMySessions');
    return { ended_count: ended.length };
  });
}

export const OWN_SESSION_ENDPOINTS: readonly Endpoint[] = [
  keyedEndpoint({
    method: 'GET',
    path: '/session/all',
    operationId: 'listMySessions',
    summary: 'Your sessions, the one used last first',
    answer: PERSON_SESSION_LIST,
    errorStatuses: [],
    isPublic: false,
    role: 'member',
    handle: listSessions,
  }),
  keyedEndpoint({
    method: 'POST',
    path: '/session/all/end',
    operationId: 'endMySessions',
    summary: 'End one of your other sessions, or all of them',
    answer: ENDED_SESSIONS,
    body: END_FIELDS,
    errorStatuses: [404],
    isPublic: false,
    role: 'member',
    handle: endSessions,
  }),
];
