/**
 * Fingerprints of plans: equal ones find equal rows, in this process and in any other. They are
 * made of the dataset, of what the parts of its version hold, of the question and of the grants.
 * The content of the parts stands for the version, so that a new version leaves those plans alone
 * that it does not touch, and so that accounts share what they may both read. They are functions of
 * a plan and no part of it: a plan made out of another one has its own.
 */
import { hash } from 'node:crypto';
import { typeText } from '../catalog/column-types.ts';
import type { Column } from '../catalog/dataset.ts';
import type { Part } from './part.ts';
import type { QueryPlan } from './query-plan.ts';

/** A definition may widen the types of a column and of those that it is made of. */
function columnText(column: Column): string {
  const { name, madeOf = [] } = column;
  return [`${name} ${typeText(column)}`, ...madeOf.map(columnText)].join();
}

/** A replacer: a bigint gets a form that no text has. */
function plainValue(name: string, value: unknown): unknown {
  if (name === 'column') return columnText(value as Column);
  return typeof value === 'bigint' ? { bigint: `${value}` } : value;
}

export function fingerprintOf(content: unknown): string {
  return hash('sha256', JSON.stringify(content, plainValue), 'base64url');
}

/** A plan may have many thousands of parts, and is asked for more than one fingerprint. */
const contents = new WeakMap<readonly Part[], string>();

function contentOf(parts: readonly Part[]): string {
  return contents.getOrInsertComputed(parts, () =>
    fingerprintOf(parts.map(({ digest }) => digest)),
  );
}

/** Equal for plans that find the same rows, whatever their order, columns and page. */
export function rowsFingerprint(plan: QueryPlan): string {
  const { dataset, parts, comparedParts, predicates, grants } = plan;
  // Rows are compared by every column that the dataset has for the account.
  const compared = comparedParts ? [contentOf(comparedParts), dataset.columns.map(columnText)] : [];
  return fingerprintOf([dataset.datasetId, contentOf(parts), predicates, grants, ...compared]);
}

function restatementContent({ restatement }: QueryPlan): readonly unknown[] {
  if (restatement === undefined) return [];
  const { adjustments, asOf } = restatement;
  // Grants make no difference: without all factors there are no rows.
  const factors = rowsFingerprint({ ...restatement.factors, grants: [] });
  return [{ adjustments, asOf, factors }];
}

/** Equal for the pages of a walk: plans that differ only in `offset` and `limit`. */
export function walkFingerprint(plan: QueryPlan): string {
  const { dataset, sort, columns, bars, session, groups } = plan;
  const { sessions, calendar } = dataset;
  return fingerprintOf([
    rowsFingerprint(plan),
    sort,
    columns.map(columnText),
    ...(bars ? [bars] : []),
    ...(session ? [{ session }] : []),
    // Both are made by the days of a market, which the home may change.
    ...(bars || session ? [{ sessions, calendar }] : []),
    // The columns of groups name all else.
    ...(groups ? [{ intervals: groups.keys.map(({ interval = null }) => interval) }] : []),
    ...restatementContent(plan),
  ]);
}

/** Equal for plans of the same page. */
export function pageFingerprint(plan: QueryPlan): string {
  return fingerprintOf([walkFingerprint(plan), plan.offset, plan.limit]);
}
