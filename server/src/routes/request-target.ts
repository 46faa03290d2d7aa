/**
 * The target of a request line, brought into one form before anything looks at it. A client or a
 * proxy may write the same target with scheme and host before it, or with letters and digits
 * percent-encoded that need no encoding.
 */
import { plainCharacters } from '../request/plain-characters.ts';

const SCHEME_AND_HOST = /^https?:\/\/([^/?#]*)/i;

const BROKEN_ENCODING = /%(?![\dA-F]{2})/i;

function splitQuery(target: string): readonly [path: string, query: string] {
  const mark = target.indexOf('?');
  return mark === -1 ? [target, ''] : [target.slice(0, mark), target.slice(mark)];
}

/** `host` or `host:port` that the target names; null where it is a path alone, as it mostly is. */
export function targetHost(rawUrl: string): string | null {
  return SCHEME_AND_HOST.exec(rawUrl)?.[1] ?? null;
}

/** Path and query of the target, still percent-encoded where that makes a difference. */
export function requestTarget(rawUrl: string): string {
  const target = rawUrl.replace(SCHEME_AND_HOST, '');
  const [path, query] = splitQuery(target);
  const rooted = path === '' ? '/' : path;
  if (!rooted.includes('%') || BROKEN_ENCODING.test(rooted)) return `${rooted}${query}`;
  return `${plainCharacters(rooted)}${query}`;
}

function isDecodable(path: string): boolean {
  try {
    decodeURIComponent(path);
    return true;
  } catch {
    return false;
  }
}

/**
 * The path that the router matches. The router gives up on a path that it cannot decode; here such a
 * path keeps its segments, so that it reaches the endpoint, which says what is wrong with it. `*`,
 * which is not a path, becomes `/*`, because the router would take it for the root.
 */
export function routedTarget(rawUrl: string): string {
  const target = requestTarget(rawUrl).replace(/^\*/, '/*');
  const [path, query] = splitQuery(target);
  return isDecodable(path) ? target : `${path.replaceAll('%', '%25')}${query}`;
}
