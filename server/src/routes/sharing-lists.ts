/** The share of an account, its schemas and its tables, in the order of their names. */
import { ApiError } from '../base/errors.ts';
import type { Dataset } from '../catalog/dataset.ts';
import { accountOf } from '../query/reader.ts';
import { parseQueryString } from '../request/query-string.ts';
import { jsonLine, schemaName, shareId, shareName, tableId } from '../sharing/tables.ts';
import type { Account } from '../store/accounts.ts';
import type { Exchange, FileExchange } from './endpoint.ts';
import { bodyMembers } from './request-fields.ts';

interface Table {
  readonly dataset: Dataset;
  readonly account: Account;
}

/** The datasets that the account has rules for. */
export function sharedDatasets({ services, caller }: FileExchange): Dataset[] {
  const { accountId } = accountOf({ services, caller });
  const rules = services.store.replica.rulesOf(accountId);
  const ids = new Set(rules.map(({ datasetId }) => datasetId));
  return services.catalog.datasets.filter(({ datasetId }) => ids.has(datasetId));
}

function missing(kind: 'share' | 'schema' | 'table', name: string): ApiError {
  return new ApiError('not found', `There is no ${kind} '${name}', or the account may not read it`);
}

type Names = Readonly<Record<'share' | 'schema' | 'table', string>>;
const namesOf = ({ request }: FileExchange) => request.params as Names;
const isSame = (one: string, other: string) => one.toLowerCase() === other.toLowerCase();

/** The account, whose share the path names; an ApiError 'not found' for any other. */
export function requireShare(exchange: FileExchange): Account {
  const account = accountOf(exchange);
  const { share } = namesOf(exchange);
  if (isSame(share, shareName(account))) return account;
  throw missing('share', share);
}

function requireSchema(exchange: FileExchange): Dataset[] {
  requireShare(exchange);
  const { schema } = namesOf(exchange);
  const found = sharedDatasets(exchange).filter((each) => isSame(schema, schemaName(each)));
  if (found.length > 0) return found;
  throw missing('schema', schema);
}

/** The table that the path names. An ApiError 'not found' unless the account may read it. */
export function requireTable(exchange: FileExchange): Table {
  const account = requireShare(exchange);
  const { table } = namesOf(exchange);
  const dataset = requireSchema(exchange).find(({ textId }) => isSame(table, textId));
  if (!dataset) throw missing('table', table);
  return { dataset, account };
}

const PAGE_ITEMS_MAX = 500;
/** Keeps a token from being empty, which some clients take for one to go on with. */
const TOKEN_MARK = 'after ';

function readToken(token: string): string {
  const text = Buffer.from(token, 'base64url').toString();
  if (text.startsWith(TOKEN_MARK)) return text.slice(TOKEN_MARK.length);
  throw badValue("'pageToken' should be the nextPageToken of an earlier answer");
}

const tokenAfter = (name: string) => Buffer.from(`${TOKEN_MARK}${name}`).toString('base64url');

/** A page of items, which are in the order of their keys. */
function sendPage(exchange: FileExchange, items: ReadonlyMap<string, object>) {
  const given = queryGiven(exchange);
  const limit = Math.min(readCount(given, 'maxResults') ?? PAGE_ITEMS_MAX, PAGE_ITEMS_MAX);
  const token = readText(given, 'pageToken');
  const after = token === null ? '' : readToken(token);
  const left = [...items].sort(([a], [b]) => (a < b ? -1 : 1)).filter(([key]) => key > after);
  const shown = left.slice(0, limit);
  const next = left.length > limit ? { nextPageToken: tokenAfter(shown.at(-1)?.[0] ?? after) } : {};
  return sendJson(exchange, { items: shown.map(([, item]) => item), ...next });
}

function sendJson({ reply }: FileExchange, value: object) {
  return reply.type('application/json; charset=utf-8').send(jsonLine(value));
}

function shareItem(account: Account) {
  return { name: shareName(account), id: shareId(account), displayName: account.name };
}

export function listShares(exchange: FileExchange) {
  const account = accountOf(exchange);
  return sendPage(exchange, new Map([[shareName(account), shareItem(account)]]));
}

export function showShare(exchange: FileExchange) {
  return sendJson(exchange, { share: shareItem(requireShare(exchange)) });
}

export function listSchemas(exchange: FileExchange) {
  const share = shareName(requireShare(exchange));
  const names = sharedDatasets(exchange).map(schemaName);
  return sendPage(exchange, new Map(names.map((name) => [name, { name, share }])));
}

function tableItems(account: Account, datasets: readonly Dataset[]) {
  const share = { share: shareName(account), shareId: shareId(account) };
  const items = datasets.map((dataset): [string, object] => {
    const schema = schemaName(dataset);
    const name = dataset.textId;
    return [`${schema}.${name}`, { name, schema, ...share, id: tableId(account, dataset) }];
  });
  return new Map(items);
}

export function listTables(exchange: FileExchange) {
  const account = requireShare(exchange);
  return sendPage(exchange, tableItems(account, requireSchema(exchange)));
}

export function listAllTables(exchange: FileExchange) {
  const account = requireShare(exchange);
  return sendPage(exchange, tableItems(account, sharedDatasets(exchange)));
}

/** An ApiError about the value of a parameter or of a member of the body. */
export function badValue(text: string): ApiError {
  return new ApiError('invalid', text);
}

/** Parameters by name: texts of a query string, values of a body. */
export type Given = ReadonlyMap<string, unknown>;

/** Throws an ApiError 'invalid' for a parameter that is given twice. */
export function queryGiven({ queryString }: Exchange): Given {
  const given = new Map<string, unknown>();
  for (const { name, value } of parseQueryString(queryString)) {
    if (given.has(name)) throw badValue(`'${name}' should be given only once`);
    given.set(name, value);
  }
  return given;
}

/** A member that is null counts as not given. */
export function bodyGiven({ request }: Exchange): Given {
  return new Map(bodyMembers(request.body).filter(([, value]) => value !== null));
}

const DIGITS = /^\d{1,15}$/;

/** Null where it is not given. */
export function readCount(given: Given, name: string): number | null {
  const value = given.get(name);
  if (value === undefined) return null;
  if (typeof value === 'string' && DIGITS.test(value)) return Number(value);
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return value;
  throw badValue(`'${name}' should be a whole number, 0 or more`);
}

const TIMESTAMP = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,9})?(Z|[+-]\d{2}:\d{2})$/;

/** Epoch milliseconds, or null where it is not given. */
export function readTimestamp(given: Given, name: string): number | null {
  const value = given.get(name);
  if (value === undefined) return null;
  const atMs = typeof value === 'string' && TIMESTAMP.test(value) ? Date.parse(value) : Number.NaN;
  if (Number.isFinite(atMs)) return atMs;
  throw badValue(`'${name}' should be a time such as 2026-11-20T00:00:00Z`);
}

/** Null where it is not given. */
export function readText(given: Given, name: string): string | null {
  const value = given.get(name);
  if (value === undefined) return null;
  if (typeof value === 'string') return value;
  throw badValue(`'${name}' should be a text`);
}

export function readTexts(given: Given, name: string): readonly string[] {
  const value = given.get(name) ?? [];
  const isList = Array.isArray(value) && value.every((each) => typeof each === 'string');
  if (isList) return value as string[];
  throw badValue(`'${name}' should be a list of texts`);
}

/** An ApiError for the second of two that cannot be used together. */
export function requireOne(given: Given, names: readonly [string, string]): void {
  const [one, other] = names;
  if (given.has(one) && given.has(other)) throw badValue(`Give either '${one}' or '${other}'`);
}

const CAPABILITIES = 'delta-sharing-capabilities';

/**
 * Says the format of the answer, and whether its last line says that it is whole; returns the
 * latter.
 */
export function agreeOnCapabilities({ request, reply }: Exchange): boolean {
  const asked = `${request.headers[CAPABILITIES] ?? ''}`.toLowerCase().replaceAll(' ', '');
  const hasEnd = asked.split(';').includes('includeendstreamaction=true');
  const end = hasEnd ? ';includeendstreamaction=true' : '';
  reply.header(CAPABILITIES, `responseformat=parquet${end}`);
  return hasEnd;
}
