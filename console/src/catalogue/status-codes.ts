/** Every status that a dataset may have, the usual one first. */
import type { StatusCode } from '@ticklake/client';
export const STATUS_CODES: readonly StatusCode[] = [
  'current',
  'updating',
  'late',
  'failed',
  'closed',
  'empty',
];
