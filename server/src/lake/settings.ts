/** How long earlier versions stay readable, and what publications may hold and take away. */
import { integer, setting, type ValuesOf } from '../schema/setting.ts';

const GIBIBYTE = 1_073_741_824;

export const LOSS_SETTINGS = {
  lossPercentMax: setting(
    'TICKLAKE_LOSS_PERCENT_MAX',
    integer(0, 100),
    10,
    'Rows in percent that a load may take from a date without `--allow-loss`.',
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

export const OPEN_PUBLICATION_SETTINGS = {
  openPublicationsMax: setting(
    'TICKLAKE_OPEN_PUBLICATIONS_MAX',
    integer(1, 1000),
    20,
    'Publications that may be open at the same time.',
  ),
  openPublicationDays: setting(
    'TICKLAKE_OPEN_PUBLICATION_DAYS',
    integer(1, 36_500),
    14,
    'Days after which a publication that is still open is abandoned.',
  ),
  openPublicationPartitionsMax: setting(
    'TICKLAKE_OPEN_PUBLICATION_PARTITIONS_MAX',
    integer(1, 10_000_000),
    100_000,
    'Partitions that open publications may hold together before they are committed.',
  ),
  openPublicationBytesMax: setting(
    'TICKLAKE_OPEN_PUBLICATION_BYTES_MAX',
    integer(1, 10 ** 15 - 1),
    50 * GIBIBYTE,
    'Disk space for what open publications hold together before they are committed.',
  ),
};

export type OpenPublicationLimits = ValuesOf<typeof OPEN_PUBLICATION_SETTINGS>;

export const DEFAULT_OPEN_PUBLICATION_LIMITS = Object.fromEntries(
  Object.entries(OPEN_PUBLICATION_SETTINGS).map(([name, each]) => [name, each.default]),
) as OpenPublicationLimits;
