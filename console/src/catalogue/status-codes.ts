import type { StatusCode } from '../api/records';

/** Every status that a dataset may have, the usual one first. */
export const STATUS_CODES: readonly StatusCode[] = [
  'current',
  'updating',
  'late',
  'failed',
  'closed',
  'empty',
];
