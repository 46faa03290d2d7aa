/** The person at the command line, as the audit log names them. */
import { userInfo } from 'node:os';

export const LOCAL_SOURCE = 'command line';

function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return String(process.getuid?.() ?? 'unknown');
  }
}

export function localActor(): string {
  return `local:${userName()}`;
}
