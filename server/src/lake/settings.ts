/** How long earlier versions stay readable. */
import { integer, setting } from '../schema/setting.ts';

const GIBIBYTE = 1_073_741_824;

export const LOSS_SETTINGS = {
  lossPercentMax: setting(
    'TICKLAKE_LOSS_PERCENT_MAX',
    integer(0, 100),
    10,
    'Rows in percent that a load may take from a partition without `--allow-loss`.',
  ),
};

export const RETENTION_SETTINGS = {
  retentionDays: setting(
    'TICKLAKE_RETENTION_DAYS',
    integer(0, 36_500),
    30,
    'Days for which a version of a dataset stays readable after it was replaced.',
  ),
  retentionVersions: setting(
    'TICKLAKE_RETENTION_VERSIONS',
    integer(0, 1_000_000),
    2,
    'Versions of a dataset before the current one that stay readable, however old they are.',
  ),
  retentionBytesMax: setting(
    'TICKLAKE_RETENTION_BYTES_MAX',
    integer(0, 10 ** 15 - 1),
    50 * GIBIBYTE,
    'Disk space for what only earlier versions hold; past that, the oldest ones go before their time.',
  ),
};
