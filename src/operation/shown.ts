/**
 * What logs show of what callers write. A caller may put a key where it does not belong; it must
 * not be found in the log then.
 */
import { KEY_CHARACTERS } from '../access/api-key.ts';

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
