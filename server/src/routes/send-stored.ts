/**
 * Sends bytes that are read on the way. They count to the quota as the connection takes them, step
 * by step, so that a client that goes away has paid for what it may have got; until then all of
 * them are reserved.
 */
import type { OutgoingHttpHeaders } from 'node:http';
import type { FastifyReply } from 'fastify';
import { ApiError } from '../base/errors.ts';
import { STREAM_BYTES_MAX, type StoredBytes } from '../base/stored-bytes.ts';
import { type UnfinishedBytes, writeChunks } from '../base/unfinished-bytes.ts';
import type { ByteRange } from '../delivery/byte-range.ts';
import { UnreadablePartError } from '../engine/engine.ts';
import { NONE_RESERVED } from '../quota/release.ts';
import { beginSending, countStep, type Sending } from './count-request.ts';
import type { PageExchange } from './endpoint.ts';

async function* read(bytes: StoredBytes, { start, end }: ByteRange): AsyncGenerator<Buffer> {
  try {
    yield* bytes.lentChunks(start, end);
  } catch (error) {
    throw new UnreadablePartError('the stored bytes of an answer cannot be read', error);
  }
}

/**
 * Sends a range of the bytes, with their length told before. Status and other headers are the
 * caller's. An ApiError 'client gone' where nobody is there any more.
 */
export function sendStored(
  exchange: PageExchange,
  bytes: StoredBytes,
  range: ByteRange = { start: 0, end: bytes.byteCount },
): Promise<FastifyReply> {
  const byteCount = range.end - range.start;
  exchange.reply.header('Content-Length', `${byteCount}`);
  const heldBytes = Math.min(byteCount, bytes.heldBytes);
  return sendCounted(exchange, read(bytes, range), byteCount, heldBytes);
}

/** Sends bytes while they are written, likewise. Where they break off, so does the connection. */
export function sendUnfinished(
  exchange: PageExchange,
  bytes: UnfinishedBytes,
): Promise<FastifyReply> {
  const { byteCountEstimate } = bytes;
  const heldBytes = Math.min(byteCountEstimate, STREAM_BYTES_MAX);
  return sendCounted(exchange, bytes.chunks(), byteCountEstimate, heldBytes);
}

async function sendCounted(
  exchange: PageExchange,
  chunks: AsyncGenerator<Buffer>,
  byteCount: number,
  heldBytes: number,
): Promise<FastifyReply> {
  const { services, reply, tally } = exchange;
  // A closed reply reports no end, so its reservation would never be released.
  if (reply.raw.destroyed) throw new ApiError('client gone', 'The client went away');
  const { account } = tally;
  services.unsent.hold(account?.accountId ?? null, heldBytes, reply.raw);
  const reserved = account
    ? services.usage.counters.reserveBytes(account.accountId, byteCount)
    : NONE_RESERVED;
  const sending = beginSending(reserved);
  tally.sending = sending;
  // Before the first byte, an error is answered as what it is.
  const first = await chunks.next();
  reply.hijack();
  void sendBody(exchange, startedWith(first, chunks), sending);
  return reply;
}

async function* startedWith(
  first: IteratorResult<Buffer>,
  rest: AsyncGenerator<Buffer>,
): AsyncGenerator<Buffer> {
  try {
    for (let next = first; !next.done; next = await rest.next()) yield next.value;
  } finally {
    await rest.return(undefined);
  }
}

/**
 * Writes the answer past the framework, which would ask for the next chunk before one has been
 * sent.
 */
async function sendBody(
  { services, reply, tally, request }: PageExchange,
  chunks: AsyncGenerator<Buffer>,
  sending: Sending,
): Promise<void> {
  const { raw } = reply;
  try {
    raw.writeHead(reply.statusCode, reply.getHeaders() as OutgoingHttpHeaders);
    const isWhole = await writeChunks(raw, chunks, (byteCount) => {
      sending.sentBytes += byteCount;
      countStep(services, tally, request);
    });
    if (isWhole) raw.end();
  } catch (err) {
    request.log[raw.destroyed ? 'debug' : 'error']({ err }, 'An answer broke off');
    raw.destroy();
  }
}
