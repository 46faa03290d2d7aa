/** Settings for those who run the service. */
import { anyText, choice, integer, optionalSetting, setting } from '../schema/setting.ts';

const MINUTE_MS = 60_000;

export const OPERATION_SETTINGS = {
  operationHost: setting(
    'TICKLAKE_OPERATION_HOST',
    anyText,
    '127.0.0.1',
    'Address to serve `/healthz`, `/readyz` and `/metrics` on.',
  ),
  operationPort: optionalSetting(
    'TICKLAKE_OPERATION_PORT',
    integer(0, 65_535),
    'Port to serve `/healthz`, `/readyz` and `/metrics` on; without it, they are not served.',
  ),
  stopTimeoutMs: setting(
    'TICKLAKE_STOP_TIMEOUT_MS',
    integer(0, 60 * MINUTE_MS),
    10_000,
    'Time that running requests get to finish when the server is stopped.',
  ),
  logLevel: setting(
    'TICKLAKE_LOG_LEVEL',
    choice('silent', 'error', 'warn', 'info', 'debug'),
    'warn',
    'Lowest severity that is logged, as JSON lines on standard error.',
  ),
};
