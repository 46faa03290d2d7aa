/**
 * How logs and operators see text that callers wrote. A caller may put a key where it does not
 * belong; it must not show up there.
 */
import { KEY_CHARACTERS } from '../access/api-key.ts';
import { plainCharacters } from '../request/query-string.ts';

/** As long as anything that paths are made of, and much shorter than a key. */
const SHOWN_SEGMENT_CHARACTERS = 24;

/** A URL's path without its query; a segment so long that it may hold a key is shown as `*`. */
export function shownPath(url: string): string {
  const [path = ''] = url.split(/[?#]/);
  return path
    .split('/')
    .map((segment) => (segment.length > SHOWN_SEGMENT_CHARACTERS ? '*' : segment))
    .join('/');
}

const KEY_LIKE = new RegExp(`(?<![\\w-])[\\w-]{${KEY_CHARACTERS}}(?![\\w-])`, 'g');

/** A text with each word that may be a key shown as `*`. */
export function withoutKeys(text: string): string {
  return text.replaceAll(KEY_LIKE, '*');
}

const LONG_WORD = new RegExp(`[\\w-]{${KEY_CHARACTERS},}`, 'g');

/** A text with each word that may hold a key, though not be one, shown as `*` too. */
export function withoutLongWords(text: string): string {
  return text.replaceAll(LONG_WORD, '*');
}

/** Names of secret parameters; `pw` only as a whole word, because other words contain it. */
const SECRET_NAME = /key|pass|pwd|^pw$|secret|token|auth|credential|cookie|signature/i;

function shownParameter(parameter: string): string {
  const nameEnd = parameter.indexOf('=');
  const isSecret = nameEnd !== -1 && SECRET_NAME.test(parameter.slice(0, nameEnd));
  return isSecret ? `${parameter.slice(0, nameEnd)}=*` : parameter;
}

/** A URL with its query, in which what may be a secret is shown as `*`. */
export function shownTarget(url: string): string {
  const [path = '', ...query] = plainCharacters(url).split('?');
  const parameters = query.join('?').split('&').map(shownParameter).join('&');
  return withoutLongWords(query.length > 0 ? `${path}?${parameters}` : path);
}
