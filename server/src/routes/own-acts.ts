/** What people do for themselves: from where, and its row in the audit log. */
import { sourceNetwork } from '../access/source-network.ts';
import type { StoreTransaction } from '../store/control-store.ts';
import type { Person } from '../store/people.ts';
import type { Exchange, SignInServices } from './endpoint.ts';
import { requestSource, sourceText } from './http-headers.ts';

export function networkOf({ services, request }: Exchange<SignInServices>): string | null {
  return sourceNetwork(requestSource(request, services.config));
}

export async function auditOwn(
  { services, request }: Exchange<SignInServices>,
  { audit }: Pick<StoreTransaction, 'audit'>,
  { personId }: Pick<Person, 'personId'>,
  operation: string,
): Promise<void> {
  const { clock, config } = services;
  await audit.append({
    happenedAtMs: clock.now(),
    actor: `person:${personId}`,
    source: sourceText(request, config),
    operation,
    target: `person:${personId}`,
    before: null,
    after: null,
  });
}
