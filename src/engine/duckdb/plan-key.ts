/** Which plans find the same rows: digests of what decides it. A file never changes. */
import { createHash } from 'node:crypto';
import type { QueryPlan } from '../../plan/query-plan.ts';

/** Columns go by their name; other values that JSON lacks get a form that no text has. */
function keyValue(name: string, value: unknown): unknown {
  if (name === 'column') return (value as { readonly name: string }).name;
  return typeof value === 'bigint' ? { bigint: `${value}` } : value;
}

function digest(parts: unknown): string {
  return createHash('sha256').update(JSON.stringify(parts, keyValue)).digest('base64');
}

/** The same for plans that find the same rows, whatever their order, columns and page. */
export function foundRowsKey({ partitions, predicates, grants }: QueryPlan): string {
  return digest([partitions.map(({ file }) => file), predicates, grants]);
}

/** The same for the pages of one walk: plans that differ in nothing but `offset` and `limit`. */
export function walkKey(plan: QueryPlan): string {
  return digest([foundRowsKey(plan), plan.sort, plan.columns.map(({ name }) => name)]);
}
