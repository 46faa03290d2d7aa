import type { SampleRow } from './sample-rows.ts';

export const PARTITIONS_PER_VERSION = 4;
const ROWS_PER_PARTITION = 50;
const FIRST_DAY = 20_770;

/**
 * All rows of one version of the dataset that the crash tests publish, in natural order. Versions
 * fall on days of their own in part, and each row carries the version's number in its ASID.
 */
export function rowsOfVersion(version: number): SampleRow[] {
  return Array.from({ length: PARTITIONS_PER_VERSION * ROWS_PER_PARTITION }, (_, i) => [
    FIRST_DAY + (version % 3) + Math.floor(i / ROWS_PER_PARTITION),
    'A',
    BigInt(i),
    version / 4,
    BigInt(version),
    null,
  ]);
}
