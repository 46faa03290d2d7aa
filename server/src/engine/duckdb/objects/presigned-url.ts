/**
 * URLs of objects that need no credentials until they expire: AWS Signature Version 4 in the query. Each is for
 * a GET of one object. It holds no secret, but whoever has it can read the object. Pure.
 */
import { createHash, createHmac } from 'node:crypto';
import type { ObjectCredentials } from './object-client.ts';

const ALGORITHM = 'AWS4-HMAC-SHA256';

export interface PresignedGet {
  /** Of the object, as clients reach it, without a query; its path is encoded. */
  readonly url: string;
  readonly region: string;
  readonly credentials: Pick<ObjectCredentials, 'keyId' | 'secret' | 'sessionToken'>;
  readonly atMs: number;
  readonly lifetimeSeconds: number;
  /** Parameters of the store's own, such as `response-content-type`. */
  readonly parameters?: Readonly<Record<string, string>>;
}

export interface ObjectPlace {
  /** Origin of the store; null: AWS. */
  readonly endpoint: string | null;
  readonly region: string;
  readonly bucket: string;
  /** Of characters that URLs take as they are. */
  readonly key: string;
}

/** The URL of an object as clients reach it. */
export function objectUrl({ endpoint, region, bucket, key }: ObjectPlace): string {
  if (endpoint !== null) return `${endpoint}/${bucket}/${key}`;
  const host = `s3.${region}.amazonaws.com${region.startsWith('cn-') ? '.cn' : ''}`;
  // A name with dots is no single label, as certificates need it.
  return bucket.includes('.')
    ? `https://${host}/${bucket}/${key}`
    : `https://${bucket}.${host}/${key}`;
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}

/** `20130524T000000Z`. */
function timeText(atMs: number): string {
  return new Date(atMs).toISOString().replaceAll(/[-:]|\.\d+/g, '');
}

/** As RFC 3986 has it: everything but letters, digits and `-_.~`. */
function encoded(text: string): string {
  const hexOf = (character: string) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
  return encodeURIComponent(text).replaceAll(/[!'()*]/g, hexOf);
}

/** Parameters in the order in which they are signed. */
function queryOf(parameters: Readonly<Record<string, string>>): string {
  return Object.entries(parameters)
    .map(([name, value]) => `${encoded(name)}=${encoded(value)}`)
    .sort()
    .join('&');
}

export function presignedUrl(get: PresignedGet): string {
  const { region, credentials, parameters } = get;
  const { origin, host, pathname } = new URL(get.url);
  const time = timeText(get.atMs);
  const scope = [time.slice(0, 8), region, 's3', 'aws4_request'];
  const query = queryOf({
    ...parameters,
    'X-Amz-Algorithm': ALGORITHM,
    'X-Amz-Credential': [credentials.keyId, ...scope].join('/'),
    'X-Amz-Date': time,
    'X-Amz-Expires': `${get.lifetimeSeconds}`,
    ...(credentials.sessionToken !== null && { 'X-Amz-Security-Token': credentials.sessionToken }),
    'X-Amz-SignedHeaders': 'host',
  });
  const request = ['GET', pathname, query, `host:${host}`, '', 'host', 'UNSIGNED-PAYLOAD'];
  const digest = createHash('sha256').update(request.join('\n')).digest('hex');
  const key = scope.reduce<string | Buffer>(hmac, `AWS4${credentials.secret}`);
  const signature = hmac(key, [ALGORITHM, time, scope.join('/'), digest].join('\n')).toString(
    'hex',
  );
  return `${origin}${pathname}?${query}&X-Amz-Signature=${signature}`;
}
