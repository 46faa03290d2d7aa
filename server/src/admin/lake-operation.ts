/**
 * Administrative operations on the lake: what each one takes and does. As with those on the store,
 * HTTP endpoints and commands are made from the same table. They differ in that a publication takes
 * long and is no transaction of the store, so that the audit log is told afterwards.
 */
import { UsageError } from '../base/errors.ts';
import { failureText } from '../base/failure-text.ts';
import type { Catalog } from '../catalog/dataset.ts';
import type { Lake } from '../lake/lake.ts';
import type { RetentionPolicy } from '../lake/retention.ts';
import type { Answer } from '../schema/answer.ts';
import type { Schema } from '../schema/schema.ts';
import type { ControlStore } from '../store/control-store.ts';
import { PublicationConflict } from '../store/lake-index.ts';
import type { Fields, FieldValues } from './field.ts';
import { type DescribedOperation, type Description, described } from './operation.ts';

export interface LakeContext {
  readonly lake: Lake;
  readonly catalog: Catalog;
  readonly policy: RetentionPolicy;
  readonly nowMs: number;
  /** Who asks, as the audit log and the ledger name them. */
  readonly actor: string;
  /** How long another publication is waited for; undefined: as long as the lake says. */
  readonly waitMs?: number | undefined;
  readonly onWait?: (() => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** An entry of the audit log. */
export interface LakeAct {
  readonly target: string;
  readonly after: object;
}

interface LakeOutcome<A> {
  readonly answer: A;
  /** Empty of an operation that only reads. */
  readonly acts: readonly LakeAct[];
  /** False: there was nothing to do. */
  readonly hasEffect: boolean;
}

interface Acting<F extends Fields, S extends Schema> {
  /** Rejects with BadInput, ApiError 'not found', or a UsageError about what is published. */
  readonly run: (context: LakeContext, values: FieldValues<F>) => Promise<LakeOutcome<Answer<S>>>;
}

export type LakeOperation = DescribedOperation & Acting<Fields, Schema>;

/** Keeps the types of the fields inside the operation, and holds its answer to its schema. */
export function lakeOperation<const F extends Fields, S extends Schema>(
  given: Description<F, S> & Acting<F, S>,
): LakeOperation {
  return described(given) as LakeOperation;
}

export function read<A>(answer: A): LakeOutcome<A> {
  return { answer, acts: [], hasEffect: true };
}

interface AuditedContext extends LakeContext {
  /** Keeps the audit log. */
  readonly store: ControlStore;
  /** An address or `command line`, for the audit log. */
  readonly source: string;
}

/** Runs the operation and notes what it did. A change stands even if that cannot be noted. */
export async function runOnLake(
  operation: LakeOperation,
  context: AuditedContext,
  values: FieldValues<Fields>,
): Promise<LakeOutcome<unknown>> {
  const { nowMs, actor, store, source } = context;
  const outcome = await operation.run(context, values).catch((error: unknown) => {
    throw error instanceof PublicationConflict ? new UsageError(error.message) : error;
  });
  const entry = { happenedAtMs: nowMs, actor, source, operation: operation.name, before: null };
  try {
    if (outcome.acts.length > 0) {
      await store.transaction(async ({ audit }) => {
        for (const act of outcome.acts) await audit.append({ ...entry, ...act });
      });
    }
  } catch (error) {
    throw new Error(
      `the operation is done, but could not be recorded in the audit log: ${failureText(error)}`,
    );
  }
  return outcome;
}
