/**
 * Which browser the tests drive: Debian's Chromium, or the one that the environment names. The
 * headless shell takes half of the time.
 */
import { existsSync } from 'node:fs';

const PATHS = [
  process.env.TICKLAKE_CHROMIUM,
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

export const HOW_TO_GET_IT =
  'install Chromium (Debian: apt-get install chromium-headless-shell), or name it: TICKLAKE_CHROMIUM=/path/to/it';

/** Path of its program; null where there is none. */
export function findChromium(): string | null {
  return PATHS.find((path) => path !== undefined && existsSync(path)) ?? null;
}
