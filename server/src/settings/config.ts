/** Settings: one table of name, kind, default and help, read from the environment once. */
import { resolve } from 'node:path';
import { parseSubnet, type Subnet } from '../access/subnet.ts';
import { UsageError } from '../base/errors.ts';
import { DEFAULT_DATA_REQUEST_LIMITS } from '../request/data-request-limits.ts';
import { isTimeZone, TIME_ZONE_LEGAL, type TimeZone } from '../time/time-zone.ts';

interface SettingKind<T> {
  readonly parse: (text: string) => T | undefined;
  /** A legal value in words, for errors and docs. */
  readonly legal: string;
}

const text: SettingKind<string> = {
  parse: (value) => (value === '' ? undefined : value),
  legal: 'non-empty text',
};

function choice<T extends string>(...values: readonly T[]): SettingKind<T> {
  return {
    parse: (value) => values.find((candidate) => candidate === value),
    legal: values.join(' or '),
  };
}

function integer(min: number, max: number): SettingKind<number> {
  return {
    parse: (value) => {
      const number = /^\d{1,15}$/.test(value) ? Number(value) : Number.NaN;
      return number >= min && number <= max ? number : undefined;
    },
    legal: `an integer from ${min} to ${max}`,
  };
}

/** Items between commas, of which each has to be legal; none at all is an empty list. */
function list<T>(item: SettingKind<T>, legal: string): SettingKind<readonly T[]> {
  return {
    parse: (value) => {
      const texts = value.split(',').filter((text) => text !== '');
      const items = texts.flatMap((text) => item.parse(text.trim()) ?? []);
      return items.length === texts.length ? items : undefined;
    },
    legal,
  };
}

const subnets = list<Subnet>(
  { parse: (value) => parseSubnet(value) ?? undefined, legal: 'a subnet' },
  'addresses or subnets such as 10.0.0.0/8, separated by commas',
);

/** As browsers write it: in lower case, without a port that goes without saying. */
const origin: SettingKind<string> = {
  parse: (value) => {
    const url = URL.parse(value);
    const isOrigin = url !== null && /^https?:$/.test(url.protocol) && !value.endsWith('/');
    return isOrigin && url.href === `${url.origin}/` ? url.origin : undefined;
  },
  legal: 'an origin such as https://data.example.com',
};

const timeZone: SettingKind<TimeZone> = {
  parse: (value) => (isTimeZone(value) ? value : undefined),
  legal: TIME_ZONE_LEGAL,
};

const prefix: SettingKind<string> = {
  parse: (value) => (/^(\/[a-z0-9-]+)+$/.test(value) ? value : undefined),
  legal: 'a path such as /v1',
};

const prefixes: SettingKind<readonly string[]> = {
  parse: (value) => {
    const items = list(prefix, prefix.legal).parse(value) ?? [];
    return items.length > 0 && new Set(items).size === items.length ? items : undefined;
  },
  legal: 'one or more different paths such as /v1, separated by commas',
};

/** `value` undefined in `default`: the setting is off until it is given. */
interface Setting<T> {
  readonly environment: string;
  readonly kind: SettingKind<T>;
  readonly default: T;
  readonly help: string;
}

function setting<T>(
  environment: string,
  kind: SettingKind<T>,
  defaultValue: T,
  help: string,
): Setting<T> {
  return { environment, kind, default: defaultValue, help };
}

const optional = <T>(kind: SettingKind<T>): SettingKind<T | null> => kind;

const MEBIBYTE = 1024 * 1024;
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

export const SETTINGS = {
  host: setting('HOST', text, '127.0.0.1', 'Address to listen on.'),
  port: setting('PORT', integer(0, 65_535), 8080, 'Port to listen on; 0 picks a free one.'),
  home: setting(
    'TICKLAKE_HOME',
    text,
    '.ticklake',
    'Folder that holds everything the program stores.',
  ),
  prefixes: setting(
    'TICKLAKE_PREFIXES',
    prefixes,
    ['/v1', '/api/v1'],
    'Version prefixes that the interface is served under.',
  ),
  publicUrl: setting(
    'TICKLAKE_PUBLIC_URL',
    optional(origin),
    null,
    'Origin used in links; if unset, the host of the request.',
  ),
  corsOrigins: setting(
    'TICKLAKE_CORS_ORIGINS',
    list(origin, 'origins such as https://app.example.com, separated by commas'),
    [],
    'Origins whose pages may call the interface from a browser; others get a 400.',
  ),
  trustedProxies: setting(
    'TICKLAKE_TRUSTED_PROXIES',
    subnets,
    [],
    'Proxies in front of the service that are trusted to say where a request comes from.',
  ),
  definitions: setting(
    'TICKLAKE_DEFINITIONS',
    optional(text),
    null,
    'Folder with your own dataset definitions; if unset, the folder `datasets` in the home.',
  ),
  filterTimeZone: setting<TimeZone | null>(
    'TICKLAKE_FILTER_TIME_ZONE',
    optional(timeZone),
    null,
    "Clock by which filters without an offset are read, where a definition names none; if unset, the market's.",
  ),
  vendorAggregationLogic: setting(
    'TICKLAKE_VENDOR_AGGREGATION_LOGIC',
    {
      parse: (value) =>
        /^[a-z][a-z0-9_]{0,39}$/.test(value) && value !== 'industry_std' ? value : undefined,
      legal: 'lower-case letters, digits and underscores, but not industry_std',
    },
    DEFAULT_DATA_REQUEST_LIMITS.vendorAggregationLogic,
    "The value of `aggregation_logic` that selects the vendor's own variant.",
  ),
  validationDetail: setting(
    'TICKLAKE_VALIDATION_DETAIL',
    choice('array', 'string'),
    'array',
    'Form of `detail` in a 422: one object for each problem, or one plain text.',
  ),
  urlBytesMax: setting(
    'TICKLAKE_URL_BYTES_MAX',
    integer(256, 65_536),
    DEFAULT_DATA_REQUEST_LIMITS.urlBytesMax,
    'Longest request URL; a longer one gets a 414.',
  ),
  bodyBytesMax: setting(
    'TICKLAKE_BODY_BYTES_MAX',
    integer(1024, 64 * 1024 * 1024),
    256 * 1024,
    'Longest request body, in bytes; a longer one gets a 422.',
  ),
  filtersMax: setting(
    'TICKLAKE_FILTERS_MAX',
    integer(1, 1000),
    DEFAULT_DATA_REQUEST_LIMITS.filtersMax,
    'Maximum number of filters in one request.',
  ),
  inValuesMax: setting(
    'TICKLAKE_IN_VALUES_MAX',
    integer(1, 100_000),
    DEFAULT_DATA_REQUEST_LIMITS.inValuesMax,
    'Maximum number of values in one `.in` list.',
  ),
  sortFieldsMax: setting(
    'TICKLAKE_SORT_FIELDS_MAX',
    integer(1, 100),
    DEFAULT_DATA_REQUEST_LIMITS.sortFieldsMax,
    'Maximum number of fields in one `sort`.',
  ),
  offsetMax: setting(
    'TICKLAKE_OFFSET_MAX',
    integer(0, 1e12),
    DEFAULT_DATA_REQUEST_LIMITS.offsetMax,
    'Largest `offset`.',
  ),
  queryTimeoutMs: setting(
    'TICKLAKE_QUERY_TIMEOUT_MS',
    integer(10, 60 * MINUTE_MS),
    MINUTE_MS,
    'Time after which a query is stopped and answered with a 504.',
  ),
  queriesMax: setting(
    'TICKLAKE_QUERIES_MAX',
    integer(1, 256),
    3,
    'Queries that run at the same time; busy accounts share them equally.',
  ),
  queueMax: setting(
    'TICKLAKE_QUEUE_MAX',
    integer(0, 100_000),
    256,
    'Queries that may wait for their turn; past that, a 503.',
  ),
  queuePerIdentityMax: setting(
    'TICKLAKE_QUEUE_PER_IDENTITY_MAX',
    integer(0, 100_000),
    128,
    'Queries of one account that may wait for their turn; past that, a 503.',
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
    256 * 1024 * 1024,
    'Bytes of answers that may wait for clients to fetch them; past that, a 503.',
  ),
  unsentBytesPerIdentityMax: setting(
    'TICKLAKE_UNSENT_BYTES_PER_IDENTITY_MAX',
    integer(1024, 1e12),
    128 * 1024 * 1024,
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
  pageCacheBytes: setting(
    'TICKLAKE_PAGE_CACHE_BYTES',
    integer(0, 1e12),
    64 * 1024 * 1024,
    'Bytes of recent pages that are kept in memory to be sent again; 0 keeps none.',
  ),
  readAheadBytes: setting(
    'TICKLAKE_READ_AHEAD_BYTES',
    integer(0, 1e12),
    32 * 1024 * 1024,
    'Bytes of pages read before they are requested, at most half of them for one account; 0 turns reading ahead off.',
  ),
  engineMemoryMegabytes: setting(
    'TICKLAKE_ENGINE_MEMORY_MB',
    integer(64, 1_000_000),
    1024,
    'Memory that the engine may use for queries, in megabytes.',
  ),
  engineThreads: setting(
    'TICKLAKE_ENGINE_THREADS',
    integer(1, 256),
    2,
    'Threads that the engine may use for queries.',
  ),
  walkDiskBytesMax: setting(
    'TICKLAKE_WALK_DISK_BYTES_MAX',
    integer(0, 1e15),
    4 * 1024 ** 3,
    'Disk space for the sorted rows of paged queries, from which later pages are read; 0 keeps none.',
  ),
  walkDiskBytesPerIdentityMax: setting(
    'TICKLAKE_WALK_DISK_BYTES_PER_IDENTITY_MAX',
    integer(0, 1e15),
    1024 ** 3,
    'Disk space for the sorted rows of one account; a paged query that needs more is sorted again for each page.',
  ),
  walkRowsMax: setting(
    'TICKLAKE_WALK_ROWS_MAX',
    integer(0, 1e12),
    20_000_000,
    'Maximum number of sorted rows kept for one paged query; with more, each page is sorted again.',
  ),
  walkIdleMs: setting(
    'TICKLAKE_WALK_IDLE_MS',
    integer(10, 24 * 60 * MINUTE_MS),
    5 * MINUTE_MS,
    'Time after the last page was read at which the sorted rows of a paged query are removed.',
  ),
  stagingBytesMax: setting(
    'TICKLAKE_STAGING_BYTES_MAX',
    integer(64 * 1024 * 1024, 1e15),
    32 * 1024 ** 3,
    'Disk space for the rows of one load that do not fit into memory; a load that needs more is refused.',
  ),
  stopTimeoutMs: setting(
    'TICKLAKE_STOP_TIMEOUT_MS',
    integer(0, 60 * MINUTE_MS),
    10_000,
    'Time that running requests get to finish when the server is stopped.',
  ),
  operationHost: setting(
    'TICKLAKE_OPERATION_HOST',
    text,
    '127.0.0.1',
    'Address to serve `/healthz`, `/readyz` and `/metrics` on.',
  ),
  operationPort: setting(
    'TICKLAKE_OPERATION_PORT',
    optional(integer(0, 65_535)),
    null,
    'Port to serve `/healthz`, `/readyz` and `/metrics` on; without it, they are not served.',
  ),
  retryAfter: setting(
    'TICKLAKE_RETRY_AFTER',
    choice('off', 'on'),
    'off',
    'Whether a 429 has a `Retry-After` header, spread over a few seconds so that clients do not all return at once.',
  ),
  sessionIdleMs: setting(
    'TICKLAKE_SESSION_IDLE_MS',
    integer(1000, 365 * DAY_MS),
    8 * HOUR_MS,
    'Time without a request after which a person must sign in again.',
  ),
  sessionMs: setting(
    'TICKLAKE_SESSION_MS',
    integer(1000, 365 * DAY_MS),
    24 * HOUR_MS,
    'Time after which a person must sign in again, however active they are.',
  ),
  ledgerDays: setting(
    'TICKLAKE_LEDGER_DAYS',
    integer(1, 36_500),
    90,
    'Days that the usage ledger keeps a row for each request; daily totals are kept for good.',
  ),
  storeReserveBytes: setting(
    'TICKLAKE_STORE_RESERVE_BYTES',
    {
      parse: (value) => (value === '0' ? 0 : integer(8 * MEBIBYTE, 1e9).parse(value)),
      legal: `0 or an integer from ${8 * MEBIBYTE} to 1000000000`,
    },
    8 * MEBIBYTE,
    'Bytes that the control store reserves so that it can save changes and usage when the disk is full; 0 reserves none.',
  ),
  logLevel: setting(
    'TICKLAKE_LOG_LEVEL',
    choice('silent', 'error', 'warn', 'info', 'debug'),
    'warn',
    'Lowest severity that is logged, as JSON lines on standard error.',
  ),
} as const;

type SettingTable = typeof SETTINGS;
type ValueOf<S> = S extends Setting<infer T> ? T : never;
export type Config = { readonly [Name in keyof SettingTable]: ValueOf<SettingTable[Name]> };

function readSetting<T>(
  { environment, kind, default: fallback }: Setting<T>,
  env: NodeJS.ProcessEnv,
): T {
  const given = env[environment];
  if (given === undefined) return fallback;
  const value = kind.parse(given);
  if (value === undefined) throw new UsageError(`${environment} must be ${kind.legal}`);
  return value;
}

/** Reads every setting; throws `UsageError` that names the first bad one and what is legal. */
export function readConfig(env: NodeJS.ProcessEnv): Config {
  const entries = Object.entries(SETTINGS).map(([name, entry]) => [
    name,
    readSetting(entry as Setting<unknown>, env),
  ]);
  const config = Object.fromEntries(entries) as Config;
  return { ...config, home: resolve(config.home) };
}
