/** Where the server listens, what its links say, and what clients may ask of its connections. */
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

const MINUTE_MS = 60_000;

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
  bodyBytesMax: setting(
    'TICKLAKE_BODY_BYTES_MAX',
    integer(1024, 64 * 1024 * 1024),
    256 * 1024,
    'Longest request body, in bytes; a longer one gets a 422.',
  ),
  connectionsMax: setting(
    'TICKLAKE_CONNECTIONS_MAX',
    integer(1, 1_000_000),
    4096,
    'Open connections, at most half of the files that the process may open; past that, new ones are closed.',
  ),
  connectionsPerAddressMax: setting(
    'TICKLAKE_CONNECTIONS_PER_ADDRESS_MAX',
    integer(1, 1_000_000),
    512,
    'Open connections from one IPv4 address or one IPv6 network (/64), unless it is a trusted proxy; past that, new ones are closed.',
  ),
  anonymousConnectionsMax: setting(
    'TICKLAKE_ANONYMOUS_CONNECTIONS_MAX',
    integer(1, 1_000_000),
    1024,
    'Open connections on which no key or session has been accepted yet; past that, the oldest idle one is closed.',
  ),
  pipelinedRequestsMax: setting(
    'TICKLAKE_PIPELINED_REQUESTS_MAX',
    integer(0, 1_000_000),
    8192,
    'Requests that wait behind another one on the same connection, over all connections; past that, the connection with most of them is closed.',
  ),
  unsentBytesMax: setting(
    'TICKLAKE_UNSENT_BYTES_MAX',
    integer(1024, 1e12),
    128 * 1024 * 1024,
    'Bytes of answers that may wait for clients to fetch them; past that, a 503.',
  ),
  unsentBytesPerIdentityMax: setting(
    'TICKLAKE_UNSENT_BYTES_PER_IDENTITY_MAX',
    integer(1024, 1e12),
    64 * 1024 * 1024,
    'Bytes of pages that may wait for the clients of one account; past that, a 503.',
  ),
  stallTimeoutMs: setting(
    'TICKLAKE_STALL_TIMEOUT_MS',
    integer(10, 60 * MINUTE_MS),
    MINUTE_MS / 2,
    'Time without a byte sent or received, not counting the query, after which a connection is closed.',
  ),
  requestTimeoutMs: setting(
    'TICKLAKE_REQUEST_TIMEOUT_MS',
    integer(10, 60 * MINUTE_MS),
    MINUTE_MS,
    'Time in which a request must arrive completely; a slower one gets a 408.',
  ),
};
