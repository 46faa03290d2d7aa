/** Endpoints of operations: their input read from path, query string or body, and the answer. */
import type { Caller } from '../access/authenticate.ts';
import { csvText, type RowsAnswer, rowColumns } from '../admin/csv-text.ts';
import { BadInput, type Fault, type Field } from '../admin/field.ts';
import { type LakeOperation, runOnLake } from '../admin/lake-operation.ts';
import { givesPassword, type Operation, perform, valuesOf } from '../admin/operation.ts';
import { LAKE_OPERATIONS, OPERATIONS } from '../admin/operations.ts';
import { newInitialPassword } from '../admin/person-operations.ts';
import { atEnd } from '../base/at-end.ts';
import { ApiError, type Problem, UsageError } from '../base/errors.ts';
import { capitalized } from '../base/printable.ts';
import { PublisherBusy } from '../lake/publication-options.ts';
import { asOfNow, type DataServices, inTurn } from '../query/reader.ts';
import { RULE_CHANGES, WHAT_IF, whatIf } from '../query/what-if.ts';
import { valueOfText } from '../schema/read-value.ts';
import type { Schema } from '../schema/schema.ts';
import { admitIn, requireRight } from './admit.ts';
import type { DataExchange, KeyedEndpoint, KeyedExchange, SignInServices } from './endpoint.ts';
import { STATUS_OF } from './error-status.ts';
import { nextLink, sourceText } from './http-headers.ts';
import { linksOf } from './link-endpoints.ts';
import { bodyInput, queryInput } from './request-fields.ts';

type Input = Record<string, unknown>;
type Place = 'path' | 'query' | 'body';
/** The parts of an operation that describe its input. */
type Asked = Pick<Operation, 'method' | 'path' | 'fields'>;

function pathNames({ path }: Asked): string[] {
  return [...path.matchAll(/:(\w+)/g)].map(([, name]) => name as string);
}

/** The fields that come in the query string of a GET, or in the body of a POST. */
function openFields(operation: Asked): [string, Field<unknown>][] {
  const inPath = pathNames(operation);
  return Object.entries(operation.fields).filter(([name]) => !inPath.includes(name));
}

function pathInput(operation: Asked, { request }: KeyedExchange): Input {
  const parameters = request.params as Record<string, string>;
  return Object.fromEntries(
    pathNames(operation).map((name) => [
      name,
      valueOfText(operation.fields[name]?.kind as Schema, parameters[name] ?? ''),
    ]),
  );
}

function problemOf(operation: Asked, { path, type, complaint, input }: Fault): Problem {
  const [name = ''] = path;
  const open: Place = operation.method === 'GET' ? 'query' : 'body';
  const isInPath = type !== 'unknown_field' && pathNames(operation).includes(name);
  const place = isInPath ? 'path' : open;
  return { type, loc: [place, ...path], msg: `'${path.join('.')}' ${complaint}`, input, ctx: {} };
}

/**
 * The change, made only if the caller may still ask for it: a body can arrive long after the head
 * that its sender was let in by. It is asked inside the change's transaction, so that nothing comes
 * between.
 */
function stillAllowed(operation: Operation, exchange: KeyedExchange<SignInServices>): Operation {
  const run: Operation['run'] = async (context, values) => {
    const caller = await admitIn(context.store, exchange);
    requireRight(caller, exchange.endpoint);
    return operation.run({ ...context, ownAccount: caller.account }, values);
  };
  return { ...operation, run };
}

/** Who asks, as the audit log says it. */
export function actorOf(caller: Caller): string {
  if (!caller.key) return `person:${caller.person.personId}`;
  return `identity:${caller.account.accountId}/key:${caller.key.keyId}`;
}

/** Reads an operation's input from a request; adds to the faults. */
export function inputOf(operation: Asked, exchange: KeyedExchange, faults: Fault[]): Input {
  const names = openFields(operation).map(([name]) => name);
  return {
    ...(operation.method === 'GET'
      ? queryInput(Object.fromEntries(openFields(operation)), exchange.queryString, faults)
      : bodyInput(exchange.request.body, names, faults)),
    ...pathInput(operation, exchange),
  };
}

/** An ApiError 'invalid' in place of `BadInput`. */
export function callersError(operation: Asked, error: unknown): unknown {
  if (!(error instanceof BadInput)) return error;
  return new ApiError(
    'invalid',
    error.faults.map((one) => problemOf(operation, one)),
  );
}

/** The rows of an answer as a file for spreadsheets. */
function sendCsv(
  exchange: KeyedExchange<SignInServices>,
  { name, answer: schema }: Operation,
  answer: unknown,
) {
  const { reply } = exchange;
  const { data, pagination } = answer as RowsAnswer;
  const after = pagination?.next_after ?? null;
  if (after !== null) reply.header('Link', nextLink(exchange, { parameters: { after } }));
  return reply
    .type('text/csv; charset=utf-8')
    .header('Content-Disposition', `attachment; filename="${name}.csv"`)
    .send(csvText(rowColumns(schema), data));
}

async function answerOf(
  operation: Operation,
  exchange: KeyedExchange<SignInServices>,
): Promise<unknown> {
  const { services, caller, request } = exchange;
  const faults: Fault[] = [];
  const input = inputOf(operation, exchange, faults);
  const context = {
    store: services.store,
    catalog: services.catalog,
    nowMs: services.clock.now(),
    actor: actorOf(caller),
    source: sourceText(request, services.config),
    ownAccount: caller.account,
    ...(caller.key ? {} : { email: caller.person.email }),
    ...(givesPassword(operation)
      ? { initialPassword: await newInitialPassword(services.passwords) }
      : {}),
    links: linksOf(exchange),
    sessionLimits: services.config,
  };
  try {
    const isReading = operation.method === 'GET';
    const allowed = isReading ? operation : stillAllowed(operation, exchange);
    const answer = await perform(allowed, context, input, faults);
    return input.response_format === 'csv' ? sendCsv(exchange, operation, answer) : answer;
  } catch (error) {
    throw callersError(operation, error);
  }
}

/** The endpoint of an operation, but for whom it is and what it does. */
export function describedEndpoint(
  operation: Asked & Pick<Operation, 'name' | 'summary' | 'answer' | 'refusals' | 'needsOneOf'>,
) {
  const { name, summary, method, path, refusals } = operation;
  const isReading = method === 'GET';
  return {
    method,
    path,
    operationId: name,
    summary: capitalized(summary),
    answer: operation.answer,
    errorStatuses: [403, ...refusals.map((kind) => STATUS_OF[kind])],
    isPublic: false,
    takesQuery: isReading,
    ...(isReading
      ? { query: Object.fromEntries(openFields(operation)) }
      : { body: Object.fromEntries(openFields(operation)), needsOneOf: operation.needsOneOf }),
  } as const;
}

/** `guard` says whom it is for. */
export function operationEndpoint(
  operation: Operation,
  guard: Pick<KeyedEndpoint, 'isAdminOnly' | 'role'>,
): KeyedEndpoint {
  return {
    ...describedEndpoint(operation),
    ...guard,
    handle: (exchange) => answerOf(operation, exchange),
  };
}

/** How long a request waits for a publication of somebody else. */
const WAIT_MS = 5000;

const BUSY = 'Another publication is under way; try again when it has ended';

/**
 * Servers that change what is published at this moment: a second change would slow down all
 * requests.
 */
const changing = new WeakSet<DataServices>();

async function oneAtATime<T>(services: DataServices, work: () => Promise<T>): Promise<T> {
  if (changing.has(services)) throw new ApiError('unavailable', BUSY);
  changing.add(services);
  using _changing = atEnd(() => changing.delete(services));
  return await work();
}

/** Maps a UsageError to a conflict, and a busy publisher to unavailable. */
function conflictOf(error: unknown): unknown {
  if (error instanceof PublisherBusy) return new ApiError('unavailable', BUSY);
  if (!(error instanceof UsageError)) return error;
  return new ApiError('conflict', capitalized(error.message));
}

async function answerOfLake(operation: LakeOperation, exchange: DataExchange): Promise<unknown> {
  const { services, caller, request } = exchange;
  const { lake, catalog, config, store, clock } = services;
  const nowMs = clock.now();
  const by = { lake, catalog, policy: config, nowMs, actor: actorOf(caller), waitMs: WAIT_MS };
  const source = sourceText(request, config);
  try {
    const faults: Fault[] = [];
    const input = inputOf(operation, exchange, faults);
    const values = valuesOf(operation, by, input, faults);
    if (operation.method === 'GET') return (await operation.run(by, values)).answer;
    // A body can arrive long after the head that its sender was let in by.
    requireRight((await asOfNow(exchange)).caller, exchange.endpoint);
    const work = () => runOnLake(operation, { ...by, store, source }, values);
    return (await oneAtATime(services, work)).answer;
  } catch (error) {
    throw conflictOf(callersError(operation, error));
  }
}

/** For an owner who belongs to no account. */
const NOBODY = 0;

async function answerOfWhatIf(exchange: DataExchange): Promise<unknown> {
  const { services, caller, request } = exchange;
  const { store, catalog, lake, engine, clock, config } = services;
  const by = { actor: actorOf(caller), source: sourceText(request, config) };
  const context = { ...{ store, catalog, lake, engine, nowMs: clock.now() }, ...by };
  let within: readonly string[] = [];
  try {
    const faults: Fault[] = [];
    const asked = valuesOf(WHAT_IF, context, inputOf(WHAT_IF, exchange, faults), faults);
    const operation = RULE_CHANGES.find(({ name }) => name === asked.operation) as Operation;
    within = ['input'];
    const unknown: Fault[] = [];
    const input = bodyInput(asked.input, Object.keys(operation.fields), unknown);
    const values = valuesOf(operation, context, input, unknown);
    // A body can arrive long after the head that its sender was let in by.
    requireRight((await asOfNow(exchange)).caller, exchange.endpoint);
    return await inTurn(exchange, caller.account?.accountId ?? NOBODY, (signal) =>
      whatIf({ ...context, signal }, operation, values),
    );
  } catch (error) {
    if (!(error instanceof BadInput)) throw error;
    const faults = error.faults.map((one) => ({ ...one, path: [...within, ...one.path] }));
    throw callersError(WHAT_IF, new BadInput(faults));
  }
}

export const ADMIN_ENDPOINTS: readonly KeyedEndpoint[] = [
  ...OPERATIONS.map((operation) => operationEndpoint(operation, { isAdminOnly: true })),
  ...LAKE_OPERATIONS.map((operation) => ({
    ...describedEndpoint(operation),
    isAdminOnly: true,
    handle: (exchange: DataExchange) => answerOfLake(operation, exchange),
  })),
  { ...describedEndpoint(WHAT_IF), isAdminOnly: true, handle: answerOfWhatIf },
];
