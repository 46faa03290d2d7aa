/** The table endpoints of Delta Sharing: version, columns and files. */
import type { FastifyReply } from 'fastify';
import { ApiError } from '../base/errors.ts';
import type { Dataset } from '../catalog/dataset.ts';
import { partitionsOf } from '../delivery/manifest.ts';
import type { QueryPlan } from '../engine/query-plan.ts';
import { firstDay, lastDay } from '../plan/prune.ts';
import { hintTest } from '../sharing/predicate-hints.ts';
import {
  endAction,
  type FileVersion,
  fileAction,
  linesOf,
  metadataAction,
  NDJSON,
  PROTOCOL,
  TABLE_VERSION,
  type TableMetadata,
  tableId,
} from '../sharing/tables.ts';
import type { FileExchange, SharingEndpoint } from './endpoint.ts';
import {
  agreeOnCapabilities,
  badValue,
  bodyGiven,
  type Given,
  listAllTables,
  listSchemas,
  listShares,
  listTables,
  queryGiven,
  readCount,
  readText,
  readTexts,
  readTimestamp,
  requireOne,
  requireTable,
  showShare,
} from './sharing-lists.ts';
import {
  currentVersion,
  type FilesWanted,
  inTableTurn,
  planTable,
  requireSnapshot,
  sizeOf,
  type TableRows,
  tableFiles,
  versionAt,
  versionFrom,
} from './sharing-tables.ts';

export async function showVersion(exchange: FileExchange): Promise<FastifyReply> {
  const { lake } = exchange.services;
  const { dataset } = requireTable(exchange);
  const fromMs = readTimestamp(queryGiven(exchange), 'startingTimestamp');
  const version =
    fromMs === null
      ? await currentVersion(lake, dataset)
      : await versionFrom(lake, dataset, fromMs);
  return exchange.reply.header(TABLE_VERSION, `${version}`).send('');
}

/** The version that a request reads, and when it was published, if the request names it. */
interface AskedTable {
  readonly version: number;
  readonly named: FileVersion | null;
}

async function askedTable(
  { services: { lake } }: FileExchange,
  dataset: Dataset,
  given: Given,
): Promise<AskedTable> {
  requireOne(given, ['version', 'timestamp']);
  const atMs = readTimestamp(given, 'timestamp');
  const asked = atMs === null ? readCount(given, 'version') : await versionAt(lake, dataset, atMs);
  if (asked === null) return { version: await currentVersion(lake, dataset), named: null };
  const snapshot = await requireSnapshot(lake, dataset, asked);
  const publishedAtMs = Date.parse(snapshot?.publishedAt ?? '1970-01-01T00:00:00Z');
  return { version: asked, named: { version: asked, publishedAtMs } };
}

export async function showMetadata(exchange: FileExchange): Promise<FastifyReply> {
  const { reply } = exchange;
  const { dataset, account } = requireTable(exchange);
  const { version, named } = await askedTable(exchange, dataset, queryGiven(exchange));
  const rows = { dataset, version, besides: null };
  const plans = await planTable(exchange, rows);
  const hasEnd = agreeOnCapabilities(exchange);
  const metadata = metadataAction({
    ...{ id: tableId(account, dataset), dataset, version: named?.version ?? null },
    size: await sizeOf(exchange, rows, plans),
  });
  const actions = [PROTOCOL, metadata, ...(hasEnd ? [endAction(null)] : [])];
  return reply.header(TABLE_VERSION, `${version}`).type(NDJSON).send(linesOf(actions));
}

/** The files that the client's hints and limit ask for. */
function filesWanted(given: Given, { partitioning }: Dataset): FilesWanted {
  const mayHold = hintTest(
    {
      predicateHints: readTexts(given, 'predicateHints'),
      jsonPredicateHints: readText(given, 'jsonPredicateHints'),
    },
    partitioning.column,
  );
  return {
    mayHold: (plan: QueryPlan) => {
      const { first, last } = partitionsOf(plan);
      return mayHold({ first: firstDay(first), last: lastDay(last) });
    },
    rowsMax: readCount(given, 'limitHint') ?? Number.POSITIVE_INFINITY,
  };
}

/** The table as of one version. */
async function sendTable(exchange: FileExchange, given: Given): Promise<FastifyReply> {
  const { dataset, account } = requireTable(exchange);
  const wanted = filesWanted(given, dataset);
  const { version, named } = await askedTable(exchange, dataset, given);
  const rows = { dataset, version, besides: null };
  const { files, size } = await inTableTurn(exchange, async (now, signal) => {
    const plans = await planTable(now, rows);
    const found = await tableFiles(now, rows, plans, signal, wanted);
    return { files: found, size: await sizeOf(now, rows, plans) };
  });
  const about: TableMetadata = {
    ...{ id: tableId(account, dataset), dataset },
    ...{ size, version: named?.version ?? null },
  };
  const hasEnd = agreeOnCapabilities(exchange);
  const actions = [
    PROTOCOL,
    metadataAction(about),
    ...files.map((file) => fileAction('file', file, named)),
    ...(hasEnd ? [endAction(files[0]?.expiresAtMs ?? null)] : []),
  ];
  const { reply } = exchange;
  return reply.header(TABLE_VERSION, `${version}`).type(NDJSON).send(linesOf(actions));
}

export async function queryTable(exchange: FileExchange): Promise<FastifyReply> {
  const given = bodyGiven(exchange);
  if (!given.has('startingVersion')) return await sendTable(exchange, given);
  return await sendChanges(exchange, (dataset) => spanOfQuery(exchange, dataset, given));
}

/** Versions from `first` to `last`, both inclusive. */
interface VersionSpan {
  readonly first: number;
  readonly last: number;
}

function requireOrder({ first, last }: VersionSpan, current: number): VersionSpan {
  if (first > current) {
    throw badValue(
      `The changes should start at version ${current} at most, which is the current one`,
    );
  }
  if (last > current) {
    throw badValue(
      `The changes should end at version ${current} at most, which is the current one`,
    );
  }
  if (first <= last) return { first, last };
  throw badValue(`The changes should start before they end: version ${first} is after ${last}`);
}

async function boundOf(
  given: Given,
  name: 'starting' | 'ending',
  ofTime: (atMs: number) => Promise<number>,
): Promise<number | null> {
  const names = [`${name}Version`, `${name}Timestamp`] as const;
  requireOne(given, names);
  const atMs = readTimestamp(given, names[1]);
  return atMs === null ? readCount(given, names[0]) : await ofTime(atMs);
}

async function spanOfChanges(exchange: FileExchange, dataset: Dataset): Promise<VersionSpan> {
  const { lake } = exchange.services;
  const given = queryGiven(exchange);
  const first = await boundOf(given, 'starting', (atMs) => versionFrom(lake, dataset, atMs));
  if (first === null) throw badValue("'startingVersion' or 'startingTimestamp' should be given");
  const current = await currentVersion(lake, dataset);
  const last = await boundOf(given, 'ending', (atMs) => versionAt(lake, dataset, atMs));
  return requireOrder({ first, last: last ?? current }, current);
}

/** The span of a query for changes, whose end is but a hint. */
export async function spanOfQuery(
  { services: { lake } }: FileExchange,
  dataset: Dataset,
  given: Given,
): Promise<VersionSpan> {
  const first = readCount(given, 'startingVersion') ?? 0;
  const current = await currentVersion(lake, dataset);
  const last = Math.min(readCount(given, 'endingVersion') ?? current, current);
  return requireOrder({ first, last }, current);
}

/** The lines of one version, and when their links expire. */
async function changesOf(
  exchange: FileExchange,
  dataset: Dataset,
  version: number,
  signal: AbortSignal,
) {
  const { lake } = exchange.services;
  const snapshot = await requireSnapshot(lake, dataset, version);
  await requireSnapshot(lake, dataset, version - 1);
  const at = { version, publishedAtMs: Date.parse(snapshot?.publishedAt ?? '') };
  const filesOf = async (rows: TableRows) =>
    await tableFiles(exchange, rows, await planTable(exchange, rows), signal);
  const isFirst = version === 1;
  const removed = isFirst ? [] : await filesOf({ dataset, version: version - 1, besides: version });
  const added = await filesOf({ dataset, version, besides: version - 1 });
  return [
    ...removed.map((file) => fileAction('remove', file, at)),
    ...added.map((file) => fileAction('add', file, at)),
  ];
}

/** Versions of which nothing changed for the account have no lines. */
export async function sendChanges(
  exchange: FileExchange,
  spanOf: (dataset: Dataset) => Promise<VersionSpan>,
): Promise<FastifyReply> {
  const { reply, services } = exchange;
  const { dataset, account } = requireTable(exchange);
  const { first, last } = await spanOf(dataset);
  const { bulkFilesMax, linkLifetimeMs } = services.config;
  const actions: object[] = [];
  await inTableTurn(exchange, async (now, signal) => {
    for (let version = Math.max(1, first); version <= last; version++) {
      actions.push(...(await changesOf(now, dataset, version, signal)));
      if (actions.length <= bulkFilesMax) continue;
      const text = `The changes come to more than ${bulkFilesMax} files: ask for fewer versions`;
      throw new ApiError('invalid', text);
    }
  });
  const hasEnd = agreeOnCapabilities(exchange);
  const metadata = { id: tableId(account, dataset), dataset, size: null, version: null };
  const end = hasEnd ? [endAction(services.clock.now() + linkLifetimeMs)] : [];
  return reply
    .header(TABLE_VERSION, `${first}`)
    .type(NDJSON)
    .send(linesOf([PROTOCOL, metadataAction(metadata), ...actions, ...end]));
}

export function listChanges(exchange: FileExchange): Promise<FastifyReply> {
  return sendChanges(exchange, (dataset) => spanOfChanges(exchange, dataset));
}

const SHARES = '/delta-sharing/shares';
const SHARE = `${SHARES}/:share`;
const TABLES = `${SHARE}/schemas/:schema/tables`;
const TABLE = `${TABLES}/:table`;

type Handler = (exchange: FileExchange) => unknown;

function endpoint(
  method: SharingEndpoint['method'],
  path: string,
  [operationId, summary]: readonly [string, string],
  handle: Handler,
): SharingEndpoint {
  return {
    ...{ method, path, operationId, summary, handle },
    errorStatuses: [404, 504],
    isPublic: false,
    takesQuery: true,
    isSharing: true,
  };
}

export const SHARING_ENDPOINTS: readonly SharingEndpoint[] = [
  endpoint('GET', SHARES, ['listShares', 'The share of the account'], listShares),
  endpoint('GET', SHARE, ['showShare', 'The same by its name'], showShare),
  endpoint('GET', `${SHARE}/schemas`, ['listSchemas', 'The data groups in it'], listSchemas),
  endpoint('GET', TABLES, ['listTables', 'The datasets of a data group'], listTables),
  endpoint('GET', `${SHARE}/all-tables`, ['listAllTables', 'All datasets in it'], listAllTables),
  endpoint('GET', `${TABLE}/version`, ['showTableVersion', 'The version of a table'], showVersion),
  endpoint('HEAD', TABLE, ['headTable', 'The same in its old form'], showVersion),
  endpoint('GET', `${TABLE}/metadata`, ['showTable', 'The columns of a table'], showMetadata),
  endpoint('POST', `${TABLE}/query`, ['queryTable', 'The files of a table'], queryTable),
  endpoint(
    ...(['GET', `${TABLE}/changes`] as const),
    ['listTableChanges', 'The files that versions of a table removed and added'],
    listChanges,
  ),
];
