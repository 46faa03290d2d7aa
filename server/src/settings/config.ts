/** Every setting of the product, read from the environment once. */

import { resolve } from 'node:path';
import * as v from 'valibot';
import { ACCESS_LIMITS, ACCESS_SETTINGS } from '../access/settings.ts';
import {
  DISK_BYTES_DEFAULT,
  diskLimits,
  MEMORY_BYTES_DEFAULT,
  memoryLimits,
} from '../base/budgets.ts';
import { UsageError } from '../base/errors.ts';
import { CATALOG_SETTINGS } from '../catalog/settings.ts';
import { DELIVERY_LIMITS, DELIVERY_SETTINGS } from '../delivery/settings.ts';
import { DERIVE_SETTINGS } from '../derive/settings.ts';
import { QUERY_LIMITS, QUERY_SETTINGS } from '../engine/settings.ts';
import { INGEST_LIMITS, INGEST_SETTINGS } from '../ingest/settings.ts';
import { ENGINE_LIMITS, ENGINE_SETTINGS, STORE_LIMITS, STORE_SETTINGS } from '../installed.ts';
import { LAKE_LIMITS, LAKE_SETTINGS } from '../lake/settings.ts';
import { MAIL_SETTINGS } from '../mail/settings.ts';
import { OPERATION_SETTINGS } from '../operation/settings.ts';
import { QUOTA_SETTINGS } from '../quota/settings.ts';
import { DATA_REQUEST_SETTINGS } from '../request/settings.ts';
import { legal } from '../schema/schema.ts';
import {
  anyText,
  choice,
  integer,
  legalSetting,
  listOf,
  optionalSetting,
  type Setting,
  type Settings,
  setting,
  textOf,
  type ValuesOf,
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
  pipelinedRequestsMax: 2048,
  /** Without a byte sent or received, not counting the query; then the connection is closed. */
  stallTimeoutMs: 30_000,
  /** For a request to arrive completely; a slower one gets a 408. */
  requestTimeoutMs: 60_000,
};

const HOME_SETTINGS = {
  home: setting(
    'TICKLAKE_HOME',
    anyText,
    '.ticklake',
    'Folder that holds everything the program stores.',
  ),
};

const BUDGET_SETTINGS = {
  diskBytesMax: setting(
    'TICKLAKE_DISK_BYTES_MAX',
    integer(1024 ** 3, 1e15),
    DISK_BYTES_DEFAULT,
    'Disk space for all that the program keeps beside the current versions of datasets and its stores.',
  ),
  memoryBytesMax: setting(
    'TICKLAKE_MEMORY_BYTES_MAX',
    integer(16 * 1024 ** 2, 1e12),
    MEMORY_BYTES_DEFAULT,
    'Memory for answers: a third keeps recent pages to be sent again; two thirds hold what waits for clients to fetch it, half of that for one account; past that, queries wait.',
  ),
};

/** By the heading of their section in the documentation. */
export const SETTING_GROUPS = {
  Home: HOME_SETTINGS,
  'Disk and memory': BUDGET_SETTINGS,
  'Addresses, links and connections': HTTP_SETTINGS,
  Catalogue: CATALOG_SETTINGS,
  'Size of a data request': DATA_REQUEST_SETTINGS,
  Queries: QUERY_SETTINGS,
  Engine: ENGINE_SETTINGS,
  Publications: LAKE_SETTINGS,
  Files: DELIVERY_SETTINGS,
  Access: ACCESS_SETTINGS,
  'E-mail': MAIL_SETTINGS,
  'Quotas and the ledger': QUOTA_SETTINGS,
  Store: STORE_SETTINGS,
  'Loading over HTTP': { ...INGEST_SETTINGS, ...DERIVE_SETTINGS },
  Operation: OPERATION_SETTINGS,
} satisfies Readonly<Record<string, Settings>>;

/** All members of a union of objects in one. */
type Joined<Union> = (Union extends unknown ? (one: Union) => void : never) extends (
  all: infer All,
) => void
  ? All
  : never;

export const SETTINGS = Object.assign({}, ...Object.values(SETTING_GROUPS)) as Settings;

/** Limits that no setting changes. */
const LIMITS = {
  ...HTTP_LIMITS,
  ...QUERY_LIMITS,
  ...ENGINE_LIMITS,
  ...LAKE_LIMITS,
  ...DELIVERY_LIMITS,
  ...ACCESS_LIMITS,
  ...STORE_LIMITS,
  ...INGEST_LIMITS,
};

type Given = Joined<
  {
    [Group in keyof typeof SETTING_GROUPS]: ValuesOf<(typeof SETTING_GROUPS)[Group]>;
  }[keyof typeof SETTING_GROUPS]
>;

/** Settings, constants and the shares of the budgets: tests may replace any of them. */
export type Config = Omit<Given, 'uploadBytesMax'> &
  typeof LIMITS &
  ReturnType<typeof diskLimits> &
  ReturnType<typeof memoryLimits>;

function readSetting(each: Setting<unknown>, env: NodeJS.ProcessEnv): unknown {
  const given = env[each.environment];
  if (given === undefined) return each.default;
  const { success, output } = v.safeParse(each.schema, given);
  if (!success) throw new UsageError(`${each.environment} must be ${legalSetting(each)}`);
  return output;
}

/** Reads every setting; throws `UsageError` that names the first bad one and what is legal. */
export function readConfig(env: NodeJS.ProcessEnv): Config {
  const entries = Object.entries(SETTINGS).map(([name, each]) => [name, readSetting(each, env)]);
  const given = Object.fromEntries(entries) as Given;
  const disk = diskLimits(given.diskBytesMax);
  return {
    ...LIMITS,
    ...disk,
    ...memoryLimits(given.memoryBytesMax),
    ...given,
    uploadBytesMax: given.uploadBytesMax ?? disk.uploadBytesMax,
    home: resolve(given.home),
  };
}

/** Variables of the program's own that are no settings. */
const OTHER_VARIABLES = ['KEY', 'URL', 'ACTOR', 'ACTOR_SOURCE', 'LAUNCHED'];

/** Names that look like settings: mistyped, or of an earlier release. Null if there are none. */
export function warningOfSettings(env: NodeJS.ProcessEnv): string | null {
  const known = new Set(OTHER_VARIABLES.map((name) => `TICKLAKE_${name}`));
  for (const { environment } of Object.values(SETTINGS)) known.add(environment);
  const unknown = Object.keys(env).filter(
    (name) => name.startsWith('TICKLAKE_') && !known.has(name),
  );
  if (unknown.length === 0) return null;
  return `no such settings, so they change nothing: ${unknown.join(', ')}`;
}
