/** Which plans find the same rows: digests of what decides it. A part never changes. */
import { createHash } from 'node:crypto';
import { conditionJson } from '../../plan/condition-json.ts';
import type { QueryPlan } from '../query-plan.ts';

function digest(parts: unknown): string {
  return createHash('sha256').update(JSON.stringify(parts, conditionJson)).digest('base64');
}

/** The same for plans that find the same rows, whatever their order, columns and page. */
export function foundRowsKey({ dataset, parts, predicates, grants }: QueryPlan): string {
  return digest([dataset.datasetId, parts.map(({ id }) => id), predicates, grants]);
}

/** The same for the pages of one walk: plans that differ in nothing but `offset` and `limit`. */
export function walkKey(plan: QueryPlan): string {
  return digest([foundRowsKey(plan), plan.sort, plan.columns.map(({ name }) => name)]);
}
