/** Whether an account may read a dataset at all; `plan/` keeps its requests to what it may read. */

import { ApiError } from '../base/errors.ts';
import type { Dataset } from '../catalog/dataset.ts';
import type { AccessRule } from '../store/access-rules.ts';
import type { Replica } from '../store/replica.ts';

/** The rules by which an account reads a dataset's rows, oldest window first; 'forbidden' without any. */
export function requireRules(
  replica: Replica,
  identityId: number,
  dataset: Dataset,
): readonly AccessRule[] {
  const rules = replica.rulesOfDataset(identityId, dataset.datasetId);
  if (rules.length > 0) return rules;
  throw new ApiError(
    'forbidden',
    `The account is not authorized to access the dataset ${dataset.name}`,
  );
}
