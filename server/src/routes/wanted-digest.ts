/** `Want-Repr-Digest` and `Repr-Digest`, see RFC 9530. */
import type { FastifyRequest } from 'fastify';
import type { PageBody } from '../formats/format.ts';
import { bodyDigest, DIGEST_ALGORITHMS, type DigestAlgorithm } from '../response/body-digest.ts';

/** A member of the header: an algorithm, and from 0, never, to 10 how much it is wanted. */
const MEMBER = /^([a-z*][a-z0-9_.*-]*)=(\d|10)$/;

const SEPARATOR = /[ \t]*,[ \t]*/;

/** The algorithm that the client wants most of those that there are; null: none. Anything else is passed over. */
export function wantedDigest(header: string): DigestAlgorithm | null {
  const members = header
    .trim()
    .split(SEPARATOR)
    .map((member) => MEMBER.exec(member));
  // Of one that is given twice, the last one counts.
  const wanted = new Map(members.map((match) => [match?.[1], Number(match?.[2] ?? 0)]));
  const preferenceOf = (algorithm: DigestAlgorithm) => wanted.get(algorithm) ?? 0;
  const [best] = DIGEST_ALGORITHMS.toSorted((a, b) => preferenceOf(b) - preferenceOf(a));
  return best !== undefined && preferenceOf(best) > 0 ? best : null;
}

/** The value of `Repr-Digest` for a request; null where it wants none. */
export async function reprDigest(
  { headers }: FastifyRequest,
  body: PageBody,
): Promise<string | null> {
  const header = headers['want-repr-digest'];
  const algorithm = header === undefined ? null : wantedDigest(String(header));
  if (algorithm === null) return null;
  return `${algorithm}=:${(await bodyDigest(body, algorithm)).toString('base64')}:`;
}
