/**
 * The person at the command line, as the audit log names them. A server that runs a command for
 * somebody else says who that is and where they are.
 */
import { userInfo } from 'node:os';

const { TICKLAKE_ACTOR, TICKLAKE_ACTOR_SOURCE } = process.env;

export const LOCAL_SOURCE = TICKLAKE_ACTOR_SOURCE ?? 'command line';

function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return String(process.getuid?.() ?? 'unknown');
  }
}

export function localActor(): string {
  return TICKLAKE_ACTOR ?? `local:${userName()}`;
}
