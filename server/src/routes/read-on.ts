/** Begins the page after one that is being read, where the two are pages of a walk. */
import { requireAccount } from '../access/authenticate.ts';
import { beginPage, type PageReading } from '../response/page-reading.ts';
import { pageTag } from '../response/page-tag.ts';
import type { KeyedExchange } from './endpoint.ts';
import type { PlannedRequest } from './plan-data-request.ts';

/**
 * A walk shows itself by a page that begins where the one before it ended. The engine looks for the
 * next one's rows as soon as it has found those of this one; they are written when this one is.
 */
export function readOn(
  { services, caller, reply }: KeyedExchange,
  { request, plan, tag }: PlannedRequest,
  { found, page }: PageReading,
): void {
  const { readAhead, engine, pages } = services;
  if (!readAhead.isOn) return;
  const { identityId } = requireAccount(caller);
  const { responseFormat: format, pathParameters } = request;
  const next = { ...plan, offset: plan.offset + plan.limit };
  const nextTag = pageTag(next, format, pathParameters);
  const bytesBefore = readAhead.bytesBefore(identityId, tag);
  let isWanted = true;
  const drop = () => {
    isWanted = false;
    readAhead.drop(identityId, nextTag);
  };
  const written = page.then(({ nextOffset, body }) => {
    if (nextOffset === null) drop();
    else readAhead.noteEnd(identityId, nextTag, body.length);
  }, drop);
  if (bytesBefore === null) return;
  found.then(() => {
    if (!isWanted || reply.raw.destroyed || pages.has(nextTag)) return;
    readAhead.begin(identityId, nextTag, bytesBefore, (signal) =>
      beginPage(engine, { plan: next, format, pathParameters }, signal, written),
    );
  });
  reply.raw.once('close', drop).once('finish', () => reply.raw.off('close', drop));
}
