/** Operations on how people are signed in: their sessions, and their second factor. */
import { liveSessions, sessionIdOf } from '../access/session.ts';
import { ApiError } from '../base/errors.ts';
import { ENDED_SESSIONS, PERSON, PERSON_SESSION_LIST } from './answers.ts';
import { optional } from './field.ts';
import { NAME } from './field-kinds.ts';
import { changed, found, type Operation, operation } from './operation.ts';
import { existingPerson, PERSON_ID } from './shared-fields.ts';
import { personView, sessionView } from './views.ts';

const listSessions = operation({
  name: 'listPersonSessions',
  summary: 'list the sessions of a person, the one used last first',
  endpoint: 'GET /people/:person_id/sessions',
  command: 'user sessions',
  fields: { person_id: PERSON_ID },
  answer: PERSON_SESSION_LIST,
  run: async ({ store, nowMs, sessionLimits }, { person_id }) => {
    const { personId } = await existingPerson(store, person_id);
    const sessions = await store.sessions.listOf(personId);
    if (!sessionLimits) throw new Error('nobody says how long sessions last');
    return found(liveSessions(sessions, nowMs, sessionLimits).map((each) => sessionView(each)));
  },
});

const endSessions = operation({
  name: 'endPersonSessions',
  summary: 'end all sessions of a person, or one of them',
  endpoint: 'POST /people/:person_id/end-sessions',
  command: 'user end-sessions',
  fields: {
    person_id: PERSON_ID,
    session_id: optional(NAME, 'Only this session', '--session ID'),
  },
  answer: ENDED_SESSIONS,
  run: async ({ store }, { person_id, session_id }) => {
    const { personId } = await existingPerson(store, person_id);
    const sessions = await store.sessions.listOf(personId);
    const ended = sessions.filter(
      (each) => session_id === undefined || sessionIdOf(each) === session_id,
    );
    if (session_id !== undefined && ended.length === 0) {
      throw new ApiError('not found', 'The session with the specified id is not found');
    }
    for (const { tokenHash } of ended) await store.sessions.end(tokenHash);
    const before = { session_ids: sessions.map(sessionIdOf), ended_count: null };
    const left = sessions.filter((each) => !ended.includes(each));
    const answer = { ended_count: ended.length };
    const after = { session_ids: left.map(sessionIdOf), ...answer };
    return changed(answer, `person:${personId}`, before, after);
  },
});

const resetSecondFactor = operation({
  name: 'resetSecondFactor',
  summary: 'turn off the second factor of a person who has lost it, and end all their sessions',
  endpoint: 'POST /people/:person_id/reset-second-factor',
  command: 'user reset-second-factor',
  fields: { person_id: PERSON_ID },
  answer: PERSON,
  run: async ({ store }, { person_id }) => {
    const before = await existingPerson(store, person_id);
    await store.secondFactors.delete(before.personId);
    await store.sessions.endAllOf(before.personId);
    const after = personView(await existingPerson(store, before.personId));
    return changed(after, `person:${before.personId}`, personView(before), {
      ...after,
      is_second_factor_reset: true,
    });
  },
});

export const SIGN_IN_OPERATIONS: readonly Operation[] = [
  listSessions,
  endSessions,
  resetSecondFactor,
];
