/** How long earlier versions stay readable, and what publications may hold and take away. */
import { DEFAULT_DISK_LIMITS } from '../base/budgets.ts';
import { integer, setting } from '../schema/setting.ts';

export const LAKE_SETTINGS = {
  lossPercentMax: setting(
    'TICKLAKE_LOSS_PERCENT_MAX',
    integer(0, 100),
    10,
    "Largest share of a date's rows, in percent, that a load may remove without `--allow-loss`.",
  ),
  retentionDays: setting(
    'TICKLAKE_RETENTION_DAYS',
    integer(0, 36_500),
    30,
    'Days for which a version of a dataset stays readable after it was replaced.',
  ),
};

export const LAKE_LIMITS = {
  /** Versions before the current one that stay readable, however old they are. */
  retentionVersions: 2,
  openPublicationsMax: 20,
  /** Then a publication that is still open is abandoned. */
  openPublicationDays: 14,
  /** In all open publications together. */
  openPublicationPartitionsMax: 100_000,
};

export type OpenPublicationLimits = Pick<
  typeof LAKE_LIMITS & typeof DEFAULT_DISK_LIMITS,
  | 'openPublicationsMax'
  | 'openPublicationDays'
  | 'openPublicationPartitionsMax'
  | 'openPublicationBytesMax'
>;

export const DEFAULT_OPEN_PUBLICATION_LIMITS: OpenPublicationLimits = {
  ...LAKE_LIMITS,
  ...DEFAULT_DISK_LIMITS,
};
