import { expect, it } from 'vitest';
import { browserName } from './session-table';

const CHROME =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36';
const SAFARI =
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Safari/605.1.15';

it.each([
  [CHROME, 'Chrome on Linux'],
  [`${CHROME.replace('X11; Linux x86_64', 'Windows NT 10.0')} Edg/140.0`, 'Edge on Windows'],
  [SAFARI, 'Safari on macOS'],
  ['Mozilla/5.0 (Android 15; Mobile; rv:143.0) Gecko/143.0 Firefox/143.0', 'Firefox on Android'],
  ['curl/8.14.1', 'curl'],
  ['python-httpx/0.28', 'python-httpx/0.28'],
  ['', 'Unknown browser'],
])('%s is %s', (agent, name) => {
  expect(browserName(agent)).toBe(name);
});
