/**
 * Administrative operations: what each one takes and does. HTTP endpoints and commands are made
 * from the same table, see `operations.ts`.
 */
import { isDeepStrictEqual } from 'node:util';
import type { LinkLifetimes } from '../access/person-link.ts';
import type { SessionLimits } from '../access/session.ts';
import type { ErrorKind } from '../base/errors.ts';
import type { Catalog } from '../catalog/dataset.ts';
import type { Message } from '../mail/mailer.ts';
import type { Answer } from '../schema/answer.ts';
import type { Schema } from '../schema/schema.ts';
import type { Account } from '../store/accounts.ts';
import type { ControlStore, StoreReader, StoreTransaction } from '../store/control-store.ts';
import {
  BadInput,
  type Fault,
  type Fields,
  type FieldValues,
  readFields,
  requireAny,
} from './field.ts';

/** A password that is made for a person, shown once, for them to change. */
export interface InitialPassword {
  readonly password: string;
  readonly hash: string;
}

/** How links to people are made. */
export interface Links extends LinkLifetimes {
  /** `https://host`, or '' where nobody knows it. */
  readonly origin: string;
  /** True if the mail server took the message; null without one. */
  readonly send: ((message: Message, personId: number) => Promise<boolean>) | null;
  /** Throws ApiError 'too many requests' after too many e-mails; absent: no limit. */
  readonly countMail?: (address: string) => void;
}

/** The data that operations work on, and who asks from where, as the audit log records it. */
interface ContextOf<Store> {
  readonly store: Store;
  readonly catalog: Catalog;
  readonly nowMs: number;
  readonly actor: string;
  readonly source: string;
  /** E-mail address of the person who asks; absent: none does. */
  readonly email?: string;
  /** The account of the person who asks; null or absent: there is none. */
  readonly ownAccount?: Account | null;
  /** Made before, because it takes long, for an operation that gives one. */
  readonly initialPassword?: InitialPassword;
  /** For an operation that gives a link. */
  readonly links?: Links;
  /** For an operation on sessions. */
  readonly sessionLimits?: SessionLimits;
}

type Method = 'GET' | 'POST';

/** Services of an operation: a reader cannot write, a writer has a transaction. */
export type OperationContext<M extends Method = 'POST'> = ContextOf<
  M extends 'POST' ? StoreTransaction : StoreReader
>;
export type PerformContext = ContextOf<ControlStore>;

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

/** The part of an operation that endpoints, commands, documents and checks are made from. */
export interface DescribedOperation<F extends Fields = Fields, S extends Schema = Schema> {
  /** Unique; the operation id of its endpoint. */
  readonly name: string;
  /** One line, without a full stop. */
  readonly summary: string;
  /** A GET reads, a POST changes. */
  readonly method: Method;
  /** Path parameters are fields. */
  readonly path: string;
  /** The words of its command; empty: it has none. */
  readonly words: readonly string[];
  readonly fields: F;
  /** Optional fields of which at least one has to be given. */
  readonly needsOneOf: readonly string[];
  /** Schema of the answer, which has a name in the OpenAPI document. */
  readonly answer: S;
  /** Kinds of its own refusals, beyond those of every operation. */
  readonly refusals: readonly ErrorKind[];
}

/** A description as it is written down. */
export interface Description<F extends Fields, S extends Schema, M extends Method = Method>
  extends Pick<DescribedOperation<F, S>, 'name' | 'summary' | 'fields' | 'answer'> {
  readonly endpoint: `${M} /${string}`;
  readonly command?: string;
  /** True if it takes at least one of its optional fields. */
  readonly needsOne?: boolean;
  /** Beyond what the path says. */
  readonly refusals?: readonly ErrorKind[];
}

/** Whatever a path names may be missing. */
export function described({
  endpoint,
  command,
  needsOne = false,
  refusals = [],
  ...others
}: Description<Fields, Schema>): DescribedOperation {
  const [method, path] = endpoint.split(' ') as [Method, string];
  const optional = Object.entries(others.fields).filter(([, { isRequired }]) => !isRequired);
  return {
    ...others,
    method,
    path,
    words: command?.split(' ') ?? [],
    needsOneOf: needsOne ? optional.map(([name]) => name) : [],
    refusals: path.includes('/:') ? ['not found', ...refusals] : refusals,
  };
}

interface Acting<F extends Fields, S extends Schema, Context> {
  /** A note about the answer for the person who reads it. */
  readonly note?: string;
  /** The member of the answer that is a secret, which nobody can read again. */
  readonly secret?: 'api_key' | 'password' | 'link';
  /** Rejects with ApiError or BadInput; then nothing is changed. */
  readonly run: (context: Context, values: FieldValues<F>) => Promise<Outcome<Answer<S>>>;
  /** Runs after the change is committed, may fail, and completes the answer. */
  readonly deliver?: (
    context: Pick<ContextOf<unknown>, 'links'>,
    values: FieldValues<F>,
    answer: Answer<S>,
  ) => Promise<Answer<S>>;
}

export type Operation = DescribedOperation & Acting<Fields, Schema, OperationContext>;

/**
 * Keeps the types of the fields and of what it works on inside the operation, and holds its answer
 * to its schema.
 */
export function operation<const F extends Fields, S extends Schema, const M extends Method>(
  given: Description<F, S, M> & Acting<F, S, OperationContext<M>>,
): Operation {
  return described(given as Description<F, S>) as unknown as Operation;
}

/** True if an operation makes a person, or gives one a new password. */
export function givesPassword({ secret, fields }: Pick<Operation, 'secret' | 'fields'>): boolean {
  return secret === 'password' || (secret === 'link' && 'email' in fields);
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
 * found already. Rejects with `BadInput` with all faults, or the operation's own ApiError; nothing
 * is changed then.
 */
export async function perform(
  operation: Operation,
  context: PerformContext,
  input: Readonly<Record<string, unknown>>,
  faults: readonly Fault[] = [],
): Promise<unknown> {
  const values = valuesOf(operation, context, input, faults);
  const { store } = context;
  if (operation.method === 'GET') {
    // The type of a GET operation, which tables do not keep, allows reading only.
    const reading = context as unknown as OperationContext;
    return (await operation.run(reading, values)).answer;
  }
  const answer = await store.transaction((tx) =>
    runAudited(operation, { ...context, store: tx }, values),
  );
  return operation.deliver ? operation.deliver(context, values, answer) : answer;
}

/** As `operation`, for a change within a transaction. */
export async function performIn(
  tx: StoreTransaction,
  operation: Operation,
  context: Omit<PerformContext, 'store'>,
  input: Readonly<Record<string, unknown>>,
): Promise<unknown> {
  const values = valuesOf(operation, context, input);
  return runAudited(operation, { ...context, store: tx }, values);
}

/** Throws `BadInput` with all faults. */
export function valuesOf(
  { fields, needsOneOf }: DescribedOperation,
  { catalog, nowMs }: Pick<PerformContext, 'catalog' | 'nowMs'>,
  input: Readonly<Record<string, unknown>>,
  faults: readonly Fault[] = [],
): FieldValues<Fields> {
  const reading = { catalog, nowMs, faults: [...faults] };
  const values = readFields(fields, input, reading);
  if (reading.faults.length > 0) throw new BadInput(reading.faults);
  requireAny(values, needsOneOf);
  return values;
}

async function runAudited(
  { name, run }: Operation,
  context: OperationContext,
  values: FieldValues<Fields>,
): Promise<unknown> {
  const { store, nowMs, actor, source } = context;
  const { answer, change } = await run(context, values);
  if (change && !isDeepStrictEqual(change.before, change.after)) {
    await store.audit.append({ happenedAtMs: nowMs, actor, source, operation: name, ...change });
  }
  return answer;
}
