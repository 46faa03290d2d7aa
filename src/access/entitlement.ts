/** Dataset questions: may this caller read the dataset, and from when to when. */
import type { Dataset } from '../catalog/dataset.ts';
import { ApiError } from '../errors.ts';
import type { DatasetSnapshot } from '../lake/snapshot.ts';
import type { AccessRule } from '../store/access-rules.ts';
import type { ControlStore } from '../store/control-store.ts';

/** What a rule allows, with its open end resolved. Dates are inclusive. */
export interface DataAccess {
  readonly windowStart: string;
  readonly windowEnd: string;
  readonly universe: readonly string[];
}

/** The rule that lets an identity read a dataset's rows; 403 without one. */
export function requireRule(store: ControlStore, identityId: number, dataset: Dataset): AccessRule {
  const [rule] = store.rules.listOfDataset(identityId, dataset.datasetId);
  if (rule) return rule;
  throw new ApiError(403, `The account is not authorized to access the dataset ${dataset.name}`);
}

/** An open-ended rule ends at the last published trade date, or today where that is later. */
export function resolveAccess(
  rule: AccessRule,
  snapshot: DatasetSnapshot | null,
  today: string,
): DataAccess {
  const lastDate = snapshot?.lastDate ?? today;
  const openEnd = lastDate > today ? lastDate : today;
  return {
    windowStart: rule.startDate,
    windowEnd: rule.endDate ?? openEnd,
    universe: rule.universe,
  };
}
