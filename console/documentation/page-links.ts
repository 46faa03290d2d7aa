/** Links between files of the repository, as links between pages of the documentation. */
import { posix } from 'node:path';
import { FILES, pagePath } from './pages.ts';

const IMAGES = 'docs/images/';

/**
 * The target of a link in a file, on a server: a page, an image, or another site. Null if the
 * documentation does not have the file that is named.
 */
export function linkTarget(file: string, href: string): string | null {
  if (/^https?:\/\//.test(href) || href.startsWith('#')) return href;
  const [path = '', anchor] = href.split('#');
  const target = posix.join(posix.dirname(file), path);
  if (target.startsWith(IMAGES)) return `/${target}`;
  if (!FILES.includes(target)) return null;
  return pagePath(target) + (anchor === undefined ? '' : `#${anchor}`);
}
