/** The operator's logo: a file that is read once, when the server starts. */
import { readFileSync, statSync } from 'node:fs';
import { extname } from 'node:path';
import { UsageError } from '../base/errors.ts';
import { failureText } from '../base/failure-text.ts';

const LOGO_BYTES_MAX = 256 * 1024;

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
};

export interface SiteLogo {
  readonly body: Buffer;
  readonly contentType: string;
}

/** Null without one. Throws a `UsageError` where the file is none that can be shown. */
export function readSiteLogo(path: string | null): SiteLogo | null {
  if (path === null) return null;
  const contentType = CONTENT_TYPES[extname(path).toLowerCase()];
  if (!contentType) throw new UsageError('TICKLAKE_SITE_LOGO must name an .svg or .png file');
  try {
    if (statSync(path).size <= LOGO_BYTES_MAX) return { body: readFileSync(path), contentType };
  } catch (error) {
    throw new UsageError(`TICKLAKE_SITE_LOGO cannot be read: ${failureText(error)}`);
  }
  throw new UsageError(`TICKLAKE_SITE_LOGO must have at most ${LOGO_BYTES_MAX} bytes`);
}
