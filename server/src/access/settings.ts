/** Settings of proxies and sessions. */
import { integer, listOf, setting, textOf } from '../schema/setting.ts';
import { parseSubnet } from './subnet.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

const subnets = listOf(
  textOf('a subnet', (text) => parseSubnet(text) ?? undefined),
  'addresses or subnets such as 10.0.0.0/8, separated by commas',
);

export const ACCESS_SETTINGS = {
  trustedProxies: setting(
    'TICKLAKE_TRUSTED_PROXIES',
    subnets,
    [],
    'Proxies in front of the service that are trusted to say where a request comes from.',
  ),
  sessionIdleMs: setting(
    'TICKLAKE_SESSION_IDLE_MS',
    integer(1000, 365 * DAY_MS),
    8 * HOUR_MS,
    'Time without a request after which a person must sign in again.',
  ),
};

export const ACCESS_LIMITS = {
  /** A person signs in again after it, however active they are. */
  sessionMs: DAY_MS,
  invitationLifetimeMs: 7 * DAY_MS,
  resetLinkLifetimeMs: DAY_MS,
};
