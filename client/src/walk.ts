/** Pages of one question, along their links, of one version. */
import { type About, IntegrityError } from './errors.ts';
import type { Parameter } from './request.ts';
import { base64Of, sha256 } from './sha256.ts';
import { bytesOf, type Opened, type Transport } from './transport.ts';

/** A page, and what was made of its bytes. */
export interface WalkedPage<Body> {
  readonly body: Body;
  readonly headers: Headers;
  /** Rows before it. */
  readonly offset: number;
  readonly next: URL | null;
  /** True for the last page of the walk. */
  readonly isLast: boolean;
}

/** Versions by the parameters that ask for them, and what each is of. */
const VERSIONS = {
  dataset_version: '',
  factors_version: ' of the factors',
  rolls_version: ' of the ranks',
} as const;
type VersionName = keyof typeof VERSIONS;
const NAMES = Object.keys(VERSIONS) as VersionName[];

/** The versions of rows, factors and ranks, which the first answer fixes for all others. */
export class Pin {
  readonly #versions: Partial<Record<VersionName, number>> = {};

  of(name: VersionName): number | null {
    return this.#versions[name] ?? null;
  }

  /** Parameters that ask for the same versions; none before the first publication. */
  get parameters(): Parameter[] {
    if (!this.of('dataset_version')) return [];
    return Object.entries(this.#versions).map(([name, version]) => [name, `${version}`]);
  }

  /** Throws an IntegrityError where an answer is of other versions than those before. */
  hold(told: { readonly [Name in VersionName]?: number | null }): void {
    for (const name of NAMES) {
      const version = told[name] ?? null;
      if (version === null) continue;
      this.#versions[name] ??= version;
      if (this.#versions[name] === version) continue;
      throw new IntegrityError(
        `Version ${version}${VERSIONS[name]} was answered after version ${this.#versions[name]}`,
      );
    }
  }

  holdHeader(headers: Headers): void {
    const told = NAMES.map((name) => [name, headers.get(`x-${name.replace('_', '-')}`)] as const);
    const given = told.flatMap(([name, text]) => (text === null ? [] : [[name, Number(text)]]));
    this.hold(Object.fromEntries(given));
  }
}

const NEXT = /<([^<>]*)>\s*;[^,]*\brel="?next"?/;

/** The next page; null after the last one. Two headers tell, and have to agree. */
function nextOf(headers: Headers, from: URL, transport: Transport): URL | null {
  const [, target] = NEXT.exec(headers.get('link') ?? '') ?? [];
  const nextOffset = headers.get('x-pagination-next-offset');
  if (target === undefined) {
    if (nextOffset) throw new IntegrityError('A page with rows after it has no link to them');
    return null;
  }
  const url = transport.ownUrl(target, from);
  if (nextOffset && url.searchParams.get('offset') !== nextOffset) {
    throw new IntegrityError('The link of a page and its headers name different next rows');
  }
  return url;
}

/** Throws an IntegrityError where the bytes are not those that the service has sent. */
function checkDigest(headers: Headers, bytes: Uint8Array): void {
  // The digest is that of the coded bytes, and fetch has decoded them.
  if (headers.has('content-encoding')) return;
  const [, told] = /sha-256=:([^:]*):/.exec(headers.get('repr-digest') ?? '') ?? [];
  if (told === undefined) return;
  const hash = sha256();
  hash.update(bytes);
  if (base64Of(hash.digest()) !== told) {
    throw new IntegrityError('The bytes of a page are not those of its digest');
  }
}

export interface Walk<Body> {
  readonly transport: Transport;
  readonly pin: Pin;
  readonly first: URL;
  /** Rows of a page, at most. */
  readonly pageRows: number | null;
  /** Rows in all, at most. */
  readonly limit: number;
  readonly dataset: string;
  readonly signal: AbortSignal;
  /** Rejects with an IntegrityError where the bytes of a page are not whole. */
  readonly decode: (bytes: Uint8Array<ArrayBuffer>, headers: Headers) => Body | Promise<Body>;
}

function withLimit(url: URL, { pageRows, limit }: Walk<unknown>, offset: number): URL {
  const left = limit - offset;
  const rows = Math.min(pageRows ?? Number.POSITIVE_INFINITY, left);
  const limited = new URL(url);
  if (rows !== Number.POSITIVE_INFINITY) limited.searchParams.set('limit', String(rows));
  return limited;
}

async function readPage<Body>(
  walk: Walk<Body>,
  url: URL,
  offset: number,
): Promise<WalkedPage<Body>> {
  const { transport, pin, signal, dataset } = walk;
  const limited = withLimit(url, walk, offset);
  const headers = { 'Want-Repr-Digest': 'sha-256=1' };
  const about: About = { dataset, version: pin.of('dataset_version') };
  const read = async ({ headers, chunks }: Opened) => {
    pin.holdHeader(headers);
    const next = nextOf(headers, limited, transport);
    const bytes = await bytesOf(chunks);
    checkDigest(headers, bytes);
    return { body: await walk.decode(bytes, headers), headers, offset, next, isLast: false };
  };
  return transport.send({ url: limited, headers, signal, about }, read);
}

/** Rows up to the page's end; from there on, the next page begins. */
function endOffset(next: URL, offset: number): number {
  const end = Number(next.searchParams.get('offset'));
  if (end > offset) return end;
  throw new IntegrityError('The link to the next page leads back');
}

/** Pages in order. From the second one on, the next is asked for while one is worked on. */
export async function* walkPages<Body>(walk: Walk<Body>): AsyncGenerator<WalkedPage<Body>> {
  const ahead = new AbortController();
  const inner = { ...walk, signal: AbortSignal.any([walk.signal, ahead.signal]) };
  let coming: Promise<WalkedPage<Body>> | null = null;
  let position: { url: URL; offset: number } | null = { url: walk.first, offset: 0 };
  try {
    for (let count = 0; position !== null; count++) {
      const { url, offset } = position;
      const page: WalkedPage<Body> = await (coming ?? readPage(inner, url, offset));
      const end: number = page.next === null ? 0 : endOffset(page.next, page.offset);
      position = page.next === null || end >= walk.limit ? null : { url: page.next, offset: end };
      coming = position && count > 0 ? readPage(inner, position.url, position.offset) : null;
      // The next round awaits the page, if at all.
      coming?.catch(() => undefined);
      yield { ...page, isLast: position === null };
    }
  } finally {
    ahead.abort();
  }
}
