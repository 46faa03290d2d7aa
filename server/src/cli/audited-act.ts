/** What a command did to a home as a whole, for the audit log. */

import { LOCAL_SOURCE, localActor } from '../base/local-actor.ts';
import type { ControlStore } from '../store/control-store.ts';
import type { CommandContext } from './command.ts';

/** `after`: what came of it. */
export async function noteAct(
  store: ControlStore,
  { clock }: CommandContext,
  operation: string,
  after: object,
): Promise<void> {
  await store.transaction(({ audit }) =>
    audit.append({
      happenedAtMs: clock.now(),
      actor: localActor(),
      source: LOCAL_SOURCE,
      operation,
      target: 'home',
      before: null,
      after,
    }),
  );
}
