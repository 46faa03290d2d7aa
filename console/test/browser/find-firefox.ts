/** Which Firefox the tests drive: Debian's, or the one that the environment names. */
import { existsSync } from 'node:fs';

const PATHS = [
  process.env.TICKLAKE_FIREFOX,
  '/usr/bin/firefox-esr',
  '/usr/bin/firefox',
  '/Applications/Firefox.app/Contents/MacOS/firefox',
];

export const HOW_TO_GET_FIREFOX =
  'install Firefox (Debian: apt-get install firefox-esr), or name it: TICKLAKE_FIREFOX=/path/to/it';

/** Path of its program; null where there is none. */
export function findFirefox(): string | null {
  return PATHS.find((path) => path !== undefined && existsSync(path)) ?? null;
}
