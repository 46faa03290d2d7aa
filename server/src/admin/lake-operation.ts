/**
 * Administrative operations on the lake: what each one takes and does. As with those on the store,
 * HTTP endpoints and commands are made from the same table. They differ in that a publication takes
 * long and is no transaction of the store, so that the audit log is told afterwards.
 */
import type { ErrorKind } from '../base/errors.ts';
import { UsageError } from '../base/errors.ts';
import { failureText } from '../base/failure-text.ts';
import type { Catalog } from '../catalog/dataset.ts';
import type { Lake } from '../lake/lake.ts';
import type { RetentionPolicy } from '../lake/retention.ts';
import type { Answer } from '../schema/answer.ts';
import type { Schema } from '../schema/schema.ts';
import type { ControlStore } from '../store/control-store.ts';
import { PublicationConflict } from '../store/lake-index.ts';
import { BadInput, type Fault, type Fields, type FieldValues, readFields } from './field.ts';
import { type Operation, refusalsOf } from './operation.ts';

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

interface LakeOperationOf<F extends Fields, S extends Schema> {
  /** Unique; the operation id of its endpoint. */
  readonly name: string;
  /** One line, without a full stop. */
  readonly summary: string;
  /** A GET reads, a POST changes. Path parameters are fields. */
  readonly method: 'GET' | 'POST';
  readonly path: string;
  /** The words of its command. */
  readonly words: readonly string[];
  readonly fields: F;
  readonly answer: S;
  /** Kinds of its own refusals, beyond those of every operation. */
  readonly refusals: readonly ErrorKind[];
  /** Rejects with BadInput, ApiError 'not found', or a UsageError about what is published. */
  readonly run: (context: LakeContext, values: FieldValues<F>) => Promise<LakeOutcome<Answer<S>>>;
}

export type LakeOperation = LakeOperationOf<Fields, Schema>;

/** Keeps the types of the fields inside the operation, and holds its answer to its schema. */
export function lakeOperation<const F extends Fields, S extends Schema>(
  definition: Omit<LakeOperationOf<F, S>, 'refusals'> & Partial<Pick<Operation, 'refusals'>>,
): LakeOperation {
  const { path, refusals } = definition;
  return { ...(definition as unknown as LakeOperation), refusals: refusalsOf(path, refusals) };
}

export function read<A>(answer: A): LakeOutcome<A> {
  return { answer, acts: [], hasEffect: true };
}

/** Throws `BadInput` with all faults. */
export function lakeValues(
  { fields }: LakeOperation,
  { catalog, nowMs }: Pick<LakeContext, 'catalog' | 'nowMs'>,
  input: Readonly<Record<string, unknown>>,
  given: readonly Fault[] = [],
): FieldValues<Fields> {
  const faults = [...given];
  const values = readFields(fields, input, { catalog, nowMs, faults });
  if (faults.length > 0) throw new BadInput(faults);
  return values;
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
