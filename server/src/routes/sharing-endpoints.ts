/** Delta Sharing: its lists, and the version of a table, its columns and its files. */
import type { FastifyReply } from 'fastify';
import * as v from 'valibot';
import { type Fault, type Fields, type FieldValues, optional } from '../admin/field.ts';
import { COUNT } from '../admin/field-kinds.ts';
import { ApiError } from '../base/errors.ts';
import type { Dataset } from '../catalog/dataset.ts';
import { TABLE_FILE } from '../delivery/file-formats.ts';
import { partitionsOf } from '../delivery/manifest.ts';
import type { QueryPlan } from '../engine/query-plan.ts';
import { commonDataset } from '../plan/column-rights.ts';
import { firstDay, lastDay } from '../plan/prune.ts';
import { requireOwnRules } from '../query/coverage.ts';
import { accountOf, asOfNow, inTurn } from '../query/reader.ts';
import {
  currentVersion,
  planTable,
  readableSnapshot,
  requireOrder,
  sizeOfTable,
  type TableRows,
  tableRequest,
  type VersionSpan,
  versionAt,
  versionFrom,
} from '../query/shared-tables.ts';
import { nameFiles, requireSmall } from '../query/whole-files.ts';
import { keywords, legal, parsed } from '../schema/schema.ts';
import { hintTest } from '../sharing/predicate-hints.ts';
import {
  endAction,
  type FileVersion,
  fileAction,
  jsonLine,
  linesOf,
  metadataAction,
  NDJSON,
  PROTOCOL,
  schemaName,
  shareId,
  shareName,
  TABLE_VERSION,
  type TableFile,
  type TableMetadata,
  tableId,
} from '../sharing/tables.ts';
import type { Account } from '../store/accounts.ts';
import type { FileExchange, SharingEndpoint } from './endpoint.ts';
import { fileLinks } from './file-endpoint.ts';
import { bodyInput, queryInput, readInput } from './request-fields.ts';

const TIMESTAMP = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,9})?(Z|[+-]\d{2}:\d{2})$/;

/** Epoch milliseconds. */
const TIME = v.pipe(
  v.string(),
  keywords({ format: 'date-time' }),
  legal('a time such as 2026-11-20T00:00:00Z'),
  parsed((text: string) => {
    const atMs = TIMESTAMP.test(text) ? Date.parse(text) : Number.NaN;
    return Number.isFinite(atMs) ? atMs : undefined;
  }),
);
const TEXT = v.pipe(v.string(), legal('a text'));
const TEXTS = v.pipe(v.array(v.string()), legal('a list of texts'));
const UNREAD_FLAG = v.pipe(v.unknown(), keywords({ type: 'boolean' }));

const FROM_FIELDS = {
  startingTimestamp: optional(TIME, 'Asks for the first version at or after it'),
};
const VERSION_FIELDS = {
  version: optional(COUNT, 'Version to read; default: the current one'),
  timestamp: optional(TIME, 'Reads the version that was current then'),
};
const QUERY_FIELDS = {
  predicateHints: optional(TEXTS, 'Comparisons in SQL; dates leave out files'),
  jsonPredicateHints: optional(TEXT, 'Comparisons in JSON; dates leave out files'),
  limitHint: optional(COUNT, 'Rows that are wanted: no more files than they need'),
  ...VERSION_FIELDS,
  startingVersion: optional(COUNT, 'Asks for changes instead, from this version on'),
  endingVersion: optional(COUNT, 'Last version of changes; default: the current one'),
};
const CHANGES_FIELDS = {
  startingVersion: optional(COUNT, 'First version; it or the time has to be given'),
  startingTimestamp: optional(TIME, 'From the first version at or after it'),
  endingVersion: optional(COUNT, 'Last version; default: the current one'),
  endingTimestamp: optional(TIME, 'Up to the last version at or before it'),
  includeHistoricalMetadata: optional(UNREAD_FLAG, 'Changes nothing: columns are those of now'),
};

/** An ApiError 'invalid' for the second of two that cannot be used together. */
function requireOne<Name extends string>(
  values: Readonly<Partial<Record<Name, unknown>>>,
  one: Name,
  other: Name,
): void {
  if (values[one] === undefined || values[other] === undefined) return;
  throw new ApiError('invalid', `Give either '${one}' or '${other}'`);
}

async function showVersion(exchange: FileExchange): Promise<FastifyReply> {
  const { lake } = exchange.services;
  const { dataset } = requireTable(exchange);
  const { startingTimestamp: fromMs } = readSharing(exchange, FROM_FIELDS);
  const version = await (fromMs === undefined
    ? currentVersion(lake, dataset)
    : versionFrom(lake, dataset, fromMs));
  return exchange.reply.header(TABLE_VERSION, `${version}`).send('');
}

interface TableAnswer {
  readonly version: number;
  /** The version if the request names it, and when it was published. */
  readonly named: FileVersion | null;
  readonly size: TableMetadata['size'];
  readonly actions: readonly object[];
  readonly expiresAtMs: number | null;
}

const CAPABILITIES = 'delta-sharing-capabilities';

/** Sends the table's columns and then the actions, with the last line that a client may ask for. */
function sendLines({ request, reply }: FileExchange, table: Table, answer: TableAnswer) {
  const { version, named, size, actions, expiresAtMs } = answer;
  const { dataset, account } = table;
  const id = tableId(account, dataset);
  const metadata = metadataAction({ id, dataset, size, version: named?.version ?? null });
  const asked = `${request.headers[CAPABILITIES] ?? ''}`.toLowerCase().replaceAll(' ', '');
  const hasEnd = asked.split(';').includes('includeendstreamaction=true');
  const end = hasEnd ? ';includeendstreamaction=true' : '';
  const lines = [PROTOCOL, metadata, ...actions, ...(hasEnd ? [endAction(expiresAtMs)] : [])];
  return reply
    .headers({ [CAPABILITIES]: `responseformat=parquet${end}`, [TABLE_VERSION]: `${version}` })
    .type(NDJSON)
    .send(linesOf(lines));
}

async function askedTable(
  { services: { lake } }: FileExchange,
  dataset: Dataset,
  asked: FieldValues<typeof VERSION_FIELDS>,
): Promise<Pick<TableAnswer, 'version' | 'named'>> {
  requireOne(asked, 'version', 'timestamp');
  const { timestamp: atMs } = asked;
  const version = atMs === undefined ? asked.version : await versionAt(lake, dataset, atMs);
  if (version === undefined) return { version: await currentVersion(lake, dataset), named: null };
  const snapshot = await readableSnapshot(lake, dataset, version);
  return { version, named: { version, publishedAtMs: Date.parse(snapshot?.publishedAt ?? EPOCH) } };
}

const EPOCH = '1970-01-01T00:00:00Z';

async function showMetadata(exchange: FileExchange): Promise<FastifyReply> {
  const table = requireTable(exchange);
  const { dataset } = table;
  const asked = await askedTable(exchange, dataset, readSharing(exchange, VERSION_FIELDS));
  const plans = await planTable(exchange, { dataset, version: asked.version, besides: null });
  const size = await sizeOfTable(exchange, dataset, plans);
  const answer = { ...asked, size, actions: [], expiresAtMs: null };
  return sendLines(exchange, asPlanned(table, plans), answer);
}

/** The table with the types of the version that the plans read. */
function asPlanned(table: Table, [plan]: readonly QueryPlan[]): Table {
  return plan ? { ...table, dataset: plan.dataset } : table;
}

interface FilesWanted {
  readonly rows: TableRows;
  readonly plans: readonly QueryPlan[];
  /** Once there are so many rows, no more files are wanted. */
  readonly rowsMax?: number | undefined;
}

/** Links to files, which are made where they are not there yet. */
async function tableFiles(
  exchange: FileExchange,
  { rows, plans, rowsMax }: FilesWanted,
  signal: AbortSignal,
): Promise<TableFile[]> {
  const { services } = exchange;
  requireSmall(plans, services.config);
  const links = fileLinks(exchange, tableRequest(rows, services.config), TABLE_FILE);
  const named = await nameFiles(services, { plans, fileFormat: TABLE_FILE, rowsMax }, signal);
  return named.map(({ plan, fingerprint, file: { sha256, bytes, rowCount } }) => ({
    ...{ url: links.urlOf({ plan, fingerprint }), sha256, rowCount },
    firstPartition: partitionsOf(plan).first,
    byteCount: bytes.byteCount,
    expiresAtMs: links.expiresAtMs,
  }));
}

/** Runs the work in the account's turn, for the caller and by the rules of that moment. */
function inTableTurn<T>(
  exchange: FileExchange,
  { account }: Table,
  work: (exchange: FileExchange, signal: AbortSignal) => Promise<T>,
): Promise<T> {
  return inTurn(exchange, account.accountId, async (signal) =>
    work(await asOfNow(exchange), signal),
  );
}

type AskedQuery = FieldValues<typeof QUERY_FIELDS>;

/** Tests if the file of a plan may hold rows that the client's hints ask for. */
function planTest(asked: AskedQuery, { partitioning }: Dataset): (plan: QueryPlan) => boolean {
  const { predicateHints = [], jsonPredicateHints = null } = asked;
  const mayHold = hintTest({ predicateHints, jsonPredicateHints }, partitioning.column);
  return (plan) => {
    const { first, last } = partitionsOf(plan);
    return mayHold({ first: firstDay(first), last: lastDay(last) });
  };
}

/** The table as of one version. */
async function sendTable(exchange: FileExchange, asked: AskedQuery): Promise<FastifyReply> {
  const table = requireTable(exchange);
  const { dataset } = table;
  const mayHold = planTest(asked, dataset);
  const version = await askedTable(exchange, dataset, asked);
  const rows = { dataset, version: version.version, besides: null };
  const { files, size, plans } = await inTableTurn(exchange, table, async (now, signal) => {
    const plans = await planTable(now, rows);
    const wanted = { rows, plans: plans.filter(mayHold), rowsMax: asked.limitHint };
    const found = await tableFiles(now, wanted, signal);
    return { files: found, size: await sizeOfTable(now, dataset, plans), plans };
  });
  const actions = files.map((file) => fileAction('file', file, version.named));
  const expiresAtMs = files[0]?.expiresAtMs ?? null;
  const answer = { ...version, size, actions, expiresAtMs };
  return sendLines(exchange, asPlanned(table, plans), answer);
}

async function queryTable(exchange: FileExchange): Promise<FastifyReply> {
  const asked = readSharing(exchange, QUERY_FIELDS);
  const { startingVersion: first, endingVersion } = asked;
  if (first === undefined) return await sendTable(exchange, asked);
  return await sendChanges(exchange, async ({ dataset }) => {
    const current = await currentVersion(exchange.services.lake, dataset);
    // Here the end is but a hint.
    return requireOrder({ first, last: Math.min(endingVersion ?? current, current) }, current);
  });
}

/** The lines of one version. */
async function changesOf(
  exchange: FileExchange,
  dataset: Dataset,
  version: number,
  signal: AbortSignal,
) {
  const { lake } = exchange.services;
  const snapshot = await readableSnapshot(lake, dataset, version);
  await readableSnapshot(lake, dataset, version - 1);
  const at = { version, publishedAtMs: Date.parse(snapshot?.publishedAt ?? '') };
  const filesOf = async (rows: TableRows) =>
    await tableFiles(exchange, { rows, plans: await planTable(exchange, rows) }, signal);
  const isFirst = version === 1;
  const removed = isFirst ? [] : await filesOf({ dataset, version: version - 1, besides: version });
  const added = await filesOf({ dataset, version, besides: version - 1 });
  return [
    ...removed.map((file) => fileAction('remove', file, at)),
    ...added.map((file) => fileAction('add', file, at)),
  ];
}

/** Versions of which nothing changed for the account have no lines. */
async function sendChanges(
  exchange: FileExchange,
  spanOf: (table: Table) => Promise<VersionSpan>,
): Promise<FastifyReply> {
  const { clock, config } = exchange.services;
  const { bulkFilesMax, linkLifetimeMs } = config;
  const table = requireTable(exchange);
  const { first, last } = await spanOf(table);
  const actions: object[] = [];
  await inTableTurn(exchange, table, async (now, signal) => {
    for (let version = Math.max(1, first); version <= last; version++) {
      actions.push(...(await changesOf(now, table.dataset, version, signal)));
      if (actions.length <= bulkFilesMax) continue;
      const text = `The changes come to more than ${bulkFilesMax} files: ask for fewer versions`;
      throw new ApiError('invalid', text);
    }
  });
  const expiresAtMs = clock.now() + linkLifetimeMs;
  const answer = { version: first, named: null, size: null, actions, expiresAtMs };
  return sendLines(exchange, table, answer);
}

function listChanges(exchange: FileExchange): Promise<FastifyReply> {
  return sendChanges(exchange, async ({ dataset }) => {
    const { lake } = exchange.services;
    const asked = readSharing(exchange, CHANGES_FIELDS);
    requireOne(asked, 'startingVersion', 'startingTimestamp');
    requireOne(asked, 'endingVersion', 'endingTimestamp');
    const { startingTimestamp: fromMs, endingTimestamp: toMs, endingVersion } = asked;
    const first =
      fromMs === undefined ? asked.startingVersion : await versionFrom(lake, dataset, fromMs);
    if (first === undefined) {
      throw new ApiError('invalid', "'startingVersion' or 'startingTimestamp' should be given");
    }
    const current = await currentVersion(lake, dataset);
    const last = toMs === undefined ? endingVersion : await versionAt(lake, dataset, toMs);
    return requireOrder({ first, last: last ?? current }, current);
  });
}

interface Table {
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

function requireTable(exchange: FileExchange): Table {
  const account = requireShare(exchange);
  const datasets = requireSchema(exchange);
  const dataset = named(exchange, 'table', (name) =>
    datasets.find(({ textId }) => name === textId.toLowerCase()),
  );
  return { dataset: commonDataset(dataset, requireOwnRules(exchange, dataset)), account };
}

/**
 * The values of a request, as the endpoint declares them. The protocol may have others, which are
 * passed over. Throws an ApiError 'invalid'.
 */
function readSharing<F extends Fields>(exchange: FileExchange, fields: F): FieldValues<F> {
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

const PAGE_FIELDS = {
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

function listShares(exchange: FileExchange) {
  const account = accountOf(exchange);
  return sendPage(exchange, new Map([[shareName(account), shareItem(account)]]));
}

function listSchemas(exchange: FileExchange) {
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

function listTables(exchange: FileExchange, datasetsOf: (exchange: FileExchange) => Dataset[]) {
  const account = requireShare(exchange);
  return sendPage(exchange, tableItems(account, datasetsOf(exchange)));
}

const SHARES = '/delta-sharing/shares';
const SHARE = `${SHARES}/:share`;
const TABLES = `${SHARE}/schemas/:schema/tables`;
const TABLE = `${TABLES}/:table`;

function endpoint(
  [operationId, summary]: readonly [string, string],
  handling: Pick<SharingEndpoint, 'path' | 'answers' | 'handle'> & Partial<SharingEndpoint>,
): SharingEndpoint {
  return {
    ...{ method: 'GET', operationId, summary, errorStatuses: [404, 504] },
    ...{ isPublic: false, takesQuery: true, isSharing: true },
    ...handling,
  };
}

const LIST = { answers: 'items', query: PAGE_FIELDS } as const;
const VERSION = { answers: 'version', query: FROM_FIELDS, handle: showVersion } as const;
const METADATA = { answers: 'lines', query: VERSION_FIELDS, handle: showMetadata } as const;
const QUERY = { method: 'POST', answers: 'lines', body: QUERY_FIELDS, handle: queryTable } as const;
const CHANGES = { answers: 'lines', query: CHANGES_FIELDS, handle: listChanges } as const;

export const SHARING_ENDPOINTS: readonly SharingEndpoint[] = [
  endpoint(['listShares', 'The share of the account'], {
    ...LIST,
    path: SHARES,
    handle: listShares,
  }),
  endpoint(['showShare', 'The same by its name'], {
    path: SHARE,
    answers: 'items',
    handle: (exchange) => sendJson(exchange, { share: shareItem(requireShare(exchange)) }),
  }),
  endpoint(['listSchemas', 'The data groups in it'], {
    ...LIST,
    path: `${SHARE}/schemas`,
    handle: listSchemas,
  }),
  endpoint(['listTables', 'The datasets of a data group'], {
    ...LIST,
    path: TABLES,
    handle: (exchange) => listTables(exchange, requireSchema),
  }),
  endpoint(['listAllTables', 'All datasets in it'], {
    ...LIST,
    path: `${SHARE}/all-tables`,
    handle: (exchange) => listTables(exchange, sharedDatasets),
  }),
  endpoint(['showTableVersion', 'The version of a table'], {
    ...VERSION,
    path: `${TABLE}/version`,
  }),
  endpoint(['headTable', 'The same in its old form'], { ...VERSION, method: 'HEAD', path: TABLE }),
  endpoint(['showTable', 'The columns of a table'], { ...METADATA, path: `${TABLE}/metadata` }),
  endpoint(['queryTable', 'The files of a table'], { ...QUERY, path: `${TABLE}/query` }),
  endpoint(['listTableChanges', 'The files that versions of a table removed and added'], {
    ...CHANGES,
    path: `${TABLE}/changes`,
  }),
];
