/** How links to people are made for a request: by the origin that it came to, and the server's e-mail. */
import type { Links } from '../admin/operation.ts';
import type { Exchange } from './endpoint.ts';
import { requestOrigin } from './origin.ts';

/** The operator reads why an e-mail was not sent; whoever asked learns that it was not. */
export function linksOf({ services, request }: Pick<Exchange, 'services' | 'request'>): Links {
  const { config, mailer } = services;
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
  return { ...config, origin: requestOrigin(request, config), send };
}
