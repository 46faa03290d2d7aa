/** How links to people are made for a request: by the origin that it came to, and the server's e-mail. */

import type { Caller } from '../access/authenticate.ts';
import type { Links } from '../admin/operation.ts';
import type { KeyedExchange, SignInServices } from './endpoint.ts';
import { requestOrigin } from './http-headers.ts';

/** The account whose e-mail is counted; null: whoever asks administers all accounts. */
function countedAccount(caller: Caller): number | null {
  if (caller.key || caller.person.role === 'owner') return null;
  return caller.identity?.identityId ?? null;
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
