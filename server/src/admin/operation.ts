/**
 * Administrative operations: what each one takes and does. HTTP endpoints and commands are made
 * from the same table, see `operations.ts`.
 */
import { isDeepStrictEqual } from 'node:util';
import type { ErrorKind } from '../base/errors.ts';
import type { Catalog } from '../catalog/dataset.ts';
import type { Answer } from '../schema/answer.ts';
import type { Schema } from '../schema/schema.ts';
import type { ControlStore } from '../store/control-store.ts';
import type { Identity } from '../store/identities.ts';
import {
  BadInput,
  type Fault,
  type Fields,
  type FieldValues,
  readFields,
  requireAny,
} from './field.ts';
import type { InitialPassword } from './initial-password.ts';

/** The data that operations work on, and who asks from where, as the audit log records it. */
export interface OperationContext {
  readonly store: ControlStore;
  readonly catalog: Catalog;
  readonly nowMs: number;
  readonly actor: string;
  readonly source: string;
  /** The account of the person who asks; null or absent: there is none. */
  readonly ownIdentity?: Identity | null;
  /** Made before, because it takes long, for an operation that gives one. */
  readonly initialPassword?: InitialPassword;
}

/** The change that an operation made; states are plain objects, or null if there is none. */
interface Change {
  /** Kind and id: `identity:3`. */
  readonly target: string;
  readonly before: object | null;
  readonly after: object | null;
}

interface Outcome<A = unknown> {
  readonly answer: A;
  /** Null of an operation that only reads. */
  readonly change: Change | null;
}

interface OperationOf<F extends Fields, S extends Schema> {
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
  /** Optional fields of which at least one has to be given. */
  readonly needsOneOf?: readonly [keyof F & string, ...(keyof F & string)[]];
  /** Schema of the answer, which has a name in the OpenAPI document. */
  readonly answer: S;
  /** Kinds of its own refusals, beyond those of every operation. */
  readonly refusals: readonly ErrorKind[];
  /** A note about the answer for the person who reads it. */
  readonly note?: string;
  /** The member of the answer that is a secret, which nobody can read again. */
  readonly secret?: 'api_key' | 'password';
  /** Throws an ApiError, or BadInput for what only the store can tell; then nothing is changed. */
  readonly run: (context: OperationContext, values: FieldValues<F>) => Outcome<Answer<S>>;
}

export type Operation = OperationOf<Fields, Schema>;

/** Keeps the types of the fields inside the operation, and holds its answer to its schema. */
export function operation<const F extends Fields, S extends Schema>(
  definition: OperationOf<F, S>,
): Operation {
  return definition as unknown as Operation;
}

export function changed<A>(
  answer: A,
  target: string,
  before: object | null,
  after: object | null,
): Outcome<A> {
  return { answer, change: { target, before, after } };
}

export function found<A>(answer: A): Outcome<A> {
  return { answer, change: null };
}

/**
 * Reads the input and runs the operation; one that changes something in a transaction with its row
 * of the audit log, which has none of states that are equal. `faults` are those that the caller has
 * found already. Throws `BadInput` with all faults, or the operation's own ApiError; nothing is
 * changed then.
 */
export function perform(
  { name, method, fields, needsOneOf, run }: Operation,
  context: OperationContext,
  input: Readonly<Record<string, unknown>>,
  faults: readonly Fault[] = [],
): unknown {
  const { store, catalog, nowMs, actor, source } = context;
  const reading = { catalog, nowMs, faults: [...faults] };
  const values = readFields(fields, input, reading);
  if (reading.faults.length > 0) throw new BadInput(reading.faults);
  if (needsOneOf) requireAny(values, needsOneOf);
  if (method === 'GET') return run(context, values).answer;
  return store.transaction(() => {
    const { answer, change } = run(context, values);
    if (change && !isDeepStrictEqual(change.before, change.after)) {
      store.audit.append({ happenedAtMs: nowMs, actor, source, operation: name, ...change });
    }
    return answer;
  });
}
