/**
 * Sends bytes that are read on the way. They count to the quota as the connection takes them, so that a
 * client that goes away has paid for what it may have got; until then all of them are reserved.
 */
import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { ApiError } from '../base/errors.ts';
import { STREAM_BYTES_MAX } from '../base/opened-file.ts';
import type { StoredBytes } from '../base/stored-bytes.ts';
import type { ByteRange } from '../delivery/byte-range.ts';
import { UnreadablePartError } from '../engine/engine.ts';
import type { KeyedExchange } from './endpoint.ts';
import type { Sending } from './request-tally.ts';

async function* counted(chunks: AsyncIterable<Buffer>, sending: Sending): AsyncGenerator<Buffer> {
  try {
    for await (const chunk of chunks) {
      yield chunk;
      sending.sentBytes += chunk.length;
    }
  } catch (error) {
    // Before the first byte, it is answered as what it is.
    throw new UnreadablePartError('the stored bytes of an answer cannot be read', error);
  }
}

/** Releases what was made for an answer when that is sent, or its client gone. */
export function releaseAfter({ raw }: FastifyReply, bytes: StoredBytes): void {
  if (raw.destroyed) bytes.release();
  else raw.once('close', () => bytes.release());
}

/**
 * Sends a range of the bytes, with their length told before. Status and other headers are the caller's. An
 * ApiError 'client gone' where nobody is there any more.
 */
export function sendStored(
  { services, reply, tally }: KeyedExchange,
  bytes: StoredBytes,
  { start, end }: ByteRange = { start: 0, end: bytes.byteCount },
): FastifyReply {
  // Its end would not be told any more, and what it reserves never be given back.
  if (reply.raw.destroyed) throw new ApiError('client gone', 'The client went away');
  const { account } = tally;
  const byteCount = end - start;
  services.unsent.hold(
    account?.identityId ?? null,
    Math.min(byteCount, STREAM_BYTES_MAX),
    reply.raw,
  );
  const release = account
    ? services.usage.reserveBytes(account.identityId, byteCount)
    : () => undefined;
  const sending: Sending = { sentBytes: 0, release };
  tally.sending = sending;
  const body = Readable.from(counted(bytes.chunks(start, end), sending), { objectMode: false });
  return reply.header('Content-Length', `${byteCount}`).send(body);
}
