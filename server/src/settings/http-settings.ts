/** Addresses, links and limits of connections. */
import * as v from 'valibot';
import { legal } from '../schema/schema.ts';
import {
  anyText,
  choice,
  integer,
  listOf,
  optionalSetting,
  setting,
  textOf,
} from '../schema/setting.ts';

/** As browsers write it: in lower case, without the port that its scheme implies. */
const origin = textOf('an origin such as https://data.example.com', (text) => {
  const url = URL.parse(text);
  const isOrigin = url !== null && /^https?:$/.test(url.protocol) && !text.endsWith('/');
  return isOrigin && url.href === `${url.origin}/` ? url.origin : undefined;
});

const prefix = textOf('a path such as /v1', (text) =>
  /^(\/[a-z0-9-]+)+$/.test(text) ? text : undefined,
);

const PREFIXES_LEGAL = 'one or more different paths such as /v1, separated by commas';
const prefixes = v.pipe(
  listOf(prefix, PREFIXES_LEGAL),
  v.check((paths) => paths.length > 0 && new Set(paths).size === paths.length),
  legal(PREFIXES_LEGAL),
);

export const HTTP_SETTINGS = {
  host: setting('HOST', anyText, '127.0.0.1', 'Address to listen on.'),
  port: setting('PORT', integer(0, 65_535), 8080, 'Port to listen on; 0 picks a free one.'),
  prefixes: setting(
    'TICKLAKE_PREFIXES',
    prefixes,
    ['/v1', '/api/v1'],
    'Version prefixes that the interface is served under.',
  ),
  publicUrl: optionalSetting(
    'TICKLAKE_PUBLIC_URL',
    origin,
    'Origin used in links; if unset, the host of the request.',
  ),
  corsOrigins: setting(
    'TICKLAKE_CORS_ORIGINS',
    listOf(origin, 'origins such as https://app.example.com, separated by commas'),
    [],
    'Origins whose pages may call the interface from a browser; others get a 400.',
  ),
  validationDetail: setting(
    'TICKLAKE_VALIDATION_DETAIL',
    choice('array', 'string'),
    'array',
    'Form of `detail` in a 422: one object for each problem, or one plain text.',
  ),
  connectionsMax: setting(
    'TICKLAKE_CONNECTIONS_MAX',
    integer(1, 1_000_000),
    4096,
    'Open connections, at most half of the files that the process may open; past that, new ones are closed.',
  ),
};

export const HTTP_LIMITS = {
  /** A longer request body gets a 422. */
  bodyBytesMax: 256 * 1024,
  /** From one IPv4 address or IPv6 /64 but trusted proxies; past that, new ones are closed. */
  connectionsPerAddressMax: 512,
  /** Without an accepted key or session; past that, the oldest idle one is closed. */
  anonymousConnectionsMax: 1024,
  /** Waiting behind another request; past that, the connection with most is closed. */
  pipelinedRequestsMax: 8192,
  /** Without a byte sent or received, not counting the query; then the connection is closed. */
  stallTimeoutMs: 30_000,
  /** For a request to arrive completely; a slower one gets a 408. */
  requestTimeoutMs: 60_000,
};
