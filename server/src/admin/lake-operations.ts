/** Every administrative operation on the lake, in the order in which help and documents list them. */
import { COVERAGE_OPERATIONS } from './coverage-operation.ts';
import type { LakeOperation } from './lake-operation.ts';
import { PUBLICATION_CHANGES } from './publication-changes.ts';
import { PUBLICATION_READINGS } from './publication-readings.ts';

export const LAKE_OPERATIONS: readonly LakeOperation[] = [
  ...PUBLICATION_READINGS,
  ...PUBLICATION_CHANGES,
  ...COVERAGE_OPERATIONS,
];
