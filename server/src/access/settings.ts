/** Where requests come from, and how long people stay signed in. */
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
  sessionMs: setting(
    'TICKLAKE_SESSION_MS',
    integer(1000, 365 * DAY_MS),
    24 * HOUR_MS,
    'Time after which a person must sign in again, however active they are.',
  ),
  invitationLifetimeMs: setting(
    'TICKLAKE_INVITATION_LIFETIME_MS',
    integer(60_000, 90 * DAY_MS),
    7 * DAY_MS,
    'Time after which a link that invites a person expires.',
  ),
  resetLinkLifetimeMs: setting(
    'TICKLAKE_RESET_LINK_LIFETIME_MS',
    integer(60_000, 30 * DAY_MS),
    DAY_MS,
    'Time after which a link to reset a password expires.',
  ),
};
