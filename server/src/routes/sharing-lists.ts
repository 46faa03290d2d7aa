/** The lists of Delta Sharing: shares, schemas and tables, in pages and by their names. */
import * as v from 'valibot';
import { type Fault, type Fields, type FieldValues, optional } from '../admin/field.ts';
import { COUNT } from '../admin/field-kinds.ts';
import { ApiError } from '../base/errors.ts';
import type { Dataset } from '../catalog/dataset.ts';
import { accountOf } from '../query/reader.ts';
import { legal, parsed } from '../schema/schema.ts';
import { jsonLine, schemaName, shareId, shareName, tableId } from '../sharing/tables.ts';
import type { Account } from '../store/accounts.ts';
import type { FileExchange } from './endpoint.ts';
import { bodyInput, queryInput, readInput } from './request-fields.ts';

export interface Table {
  readonly dataset: Dataset;
  readonly account: Account;
}

/** The datasets that the account has rules for. */
function sharedDatasets({ services, caller }: FileExchange): Dataset[] {
  const { accountId } = accountOf({ services, caller });
  const rules = services.store.replica.rulesOf(accountId);
  const ids = new Set(rules.map(({ datasetId }) => datasetId));
  return services.catalog.datasets.filter(({ datasetId }) => ids.has(datasetId));
}

type Kind = 'share' | 'schema' | 'table';

/** The one that the path names; an ApiError 'not found' where the account may not read it. */
function named<T>({ request }: FileExchange, kind: Kind, find: (name: string) => T | undefined): T {
  const name = (request.params as Readonly<Record<Kind, string>>)[kind];
  const found = find(name.toLowerCase());
  if (found !== undefined) return found;
  throw new ApiError('not found', `There is no ${kind} '${name}', or the account may not read it`);
}

/** The account, whose share the path names. */
function requireShare(exchange: FileExchange): Account {
  const account = accountOf(exchange);
  return named(exchange, 'share', (name) => (name === shareName(account) ? account : undefined));
}

function requireSchema(exchange: FileExchange): Dataset[] {
  requireShare(exchange);
  return named(exchange, 'schema', (name) => {
    const found = sharedDatasets(exchange).filter((each) => name === schemaName(each));
    return found.length > 0 ? found : undefined;
  });
}

export function requireTable(exchange: FileExchange): Table {
  const account = requireShare(exchange);
  const datasets = requireSchema(exchange);
  const dataset = named(exchange, 'table', (name) =>
    datasets.find(({ textId }) => name === textId.toLowerCase()),
  );
  return { dataset, account };
}

/**
 * The values of a request, as the endpoint declares them. The protocol may have others, which are
 * passed over. Throws an ApiError 'invalid'.
 */
export function readSharing<F extends Fields>(exchange: FileExchange, fields: F): FieldValues<F> {
  const { queryString, request, endpoint } = exchange;
  const place = endpoint.method === 'POST' ? 'body' : 'query';
  const faults: Fault[] = [];
  const given =
    place === 'body'
      ? bodyInput(request.body, Object.keys(fields), faults)
      : queryInput(fields, queryString, faults);
  // A member that is null counts as not given.
  const input = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null));
  const known = faults.filter(({ type }) => type !== 'unknown_field');
  return readInput(exchange, fields, { input, place, faults: known });
}

const PAGE_ITEMS_MAX = 500;
/** Keeps a token from being empty, which some clients take for one to go on with. */
const TOKEN_MARK = 'after ';

const TOKEN = v.pipe(
  v.string(),
  legal('the nextPageToken of an earlier answer'),
  parsed((token: string) => {
    const text = Buffer.from(token, 'base64url').toString();
    return text.startsWith(TOKEN_MARK) ? text.slice(TOKEN_MARK.length) : undefined;
  }),
);

export const PAGE_FIELDS = {
  maxResults: optional(COUNT, 'Most items of the page'),
  pageToken: optional(TOKEN, 'nextPageToken of the page before'),
};

const tokenAfter = (name: string) => Buffer.from(`${TOKEN_MARK}${name}`).toString('base64url');

/** A page of items, which are in the order of their keys. */
function sendPage(exchange: FileExchange, items: ReadonlyMap<string, object>) {
  const { maxResults, pageToken: after = '' } = readSharing(exchange, PAGE_FIELDS);
  const limit = Math.min(maxResults ?? PAGE_ITEMS_MAX, PAGE_ITEMS_MAX);
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
