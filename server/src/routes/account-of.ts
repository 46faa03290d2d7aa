/** The account that a request is about, as it is at this moment. */
import { requireAccount } from '../access/authenticate.ts';
import type { Identity } from '../store/identities.ts';
import type { KeyedExchange } from './endpoint.ts';

/** Throws as `requireAccount` does. */
export function accountOf({
  services,
  caller,
}: Pick<KeyedExchange, 'services' | 'caller'>): Identity {
  return requireAccount(caller, services.clock.now());
}
