/**
 * Plans a request for the rows that changed between two versions: within the same rules as a
 * request for rows, without a look-back period, since what is left out could not be told from what
 * is the same.
 */
import type { Part } from '../engine/part.ts';
import { type ComparingPlan, changeColumnOf } from '../engine/row-changes.ts';
import type { DatasetSnapshot } from '../lake/snapshots.ts';
import { ADJUSTMENT_PARAMETERS } from '../request/standard-parameters.ts';
import { refuseParameters } from './conditions.ts';
import { bindQuestion, type QuestionInput } from './plan-query.ts';
import { prune } from './prune.ts';

export interface ChangesInput extends Omit<QuestionInput, 'snapshot'> {
  readonly from: DatasetSnapshot;
  readonly to: DatasetSnapshot;
}

/** Parameters of data requests that choose what is compared here already. */
export const INAPPLICABLE_TO_CHANGES: readonly string[] = [
  'adjusted',
  ...ADJUSTMENT_PARAMETERS,
  'aggregation_logic',
  'interval',
  'session',
  'period',
  'symbols',
  'continuous',
  'dataset_version',
  'as_of',
  'count',
];

/** A snapshot without the parts of whose partition another one holds the same rows. */
export function withoutParts(snapshot: DatasetSnapshot, others: readonly Part[]): DatasetSnapshot {
  const contentOf = ({ key, contentDigest, digest }: Part) => `${key} ${contentDigest ?? digest}`;
  const contents = new Set(others.map(contentOf));
  return { ...snapshot, parts: snapshot.parts.filter((part) => !contents.has(contentOf(part))) };
}

function laterDate(a: string | null, b: string | null): string | null {
  return a !== null && (b === null || a > b) ? a : b;
}

/** Rejects as `questionOf` throws. */
export async function planChanges(input: ChangesInput): Promise<ComparingPlan> {
  const { from, to } = input;
  const lastDate = laterDate(from.lastDate, to.lastDate);
  const both = { lastDate, parts: [...from.parts, ...to.parts] };
  const question = bindQuestion({ ...input, snapshot: both }, null, (request) =>
    refuseParameters(request, INAPPLICABLE_TO_CHANGES, 'changes'),
  );
  const { dataset } = question;
  const before = await prune(dataset, withoutParts(from, to.parts), question);
  const after = await prune(dataset, withoutParts(to, from.parts), question);
  return {
    ...question,
    columns: [changeColumnOf(dataset), ...question.columns],
    version: to.version,
    parts: after.parts,
    comparedParts: before.parts,
    scannedRows: before.scannedRows + after.scannedRows,
    scannedBytes: before.scannedBytes + after.scannedBytes,
  };
}
