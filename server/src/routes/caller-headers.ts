/** Headers of answers that depend on who asks. */
import type { FastifyReply } from 'fastify';

/**
 * Keeps browsers and proxies from storing the answer for somebody else, errors included; an answer with
 * a tag may be stored to be revalidated. `Vary` tells proxies that store answers anyway what the answer
 * depends on, and `nosniff` keeps browsers from taking it for a page or a script.
 */
export function forCallerAlone(reply: FastifyReply): void {
  reply
    .header('cache-control', 'no-store')
    .header('vary', 'Origin, X-API-KEY, Cookie')
    .header('x-content-type-options', 'nosniff');
}
