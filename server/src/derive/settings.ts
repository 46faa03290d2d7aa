/** Settings of derivations. */
import { choice, setting } from '../schema/setting.ts';

export const DERIVE_SETTINGS = {
  deriveAfterLoads: setting(
    'TICKLAKE_DERIVE_AFTER_LOADS',
    choice('off', 'on'),
    'off',
    'Whether `ingest`, `import`, `watch` and uploads over HTTP derive what a load has made stale, as with `--derive`.',
  ),
};
