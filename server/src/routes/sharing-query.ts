/** What clients of Delta Sharing ask of a table: its version, its columns, its files. */
import type { FastifyReply } from 'fastify';
import type { Dataset } from '../catalog/dataset.ts';
import { partitionsOf } from '../delivery/manifest.ts';
import type { QueryPlan } from '../engine/query-plan.ts';
import { firstDay, lastDay } from '../plan/prune.ts';
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
} from '../sharing/actions.ts';
import { tableId } from '../sharing/names.ts';
import { hintTest } from '../sharing/predicate-hints.ts';
import type { FileExchange } from './endpoint.ts';
import { sendChanges, spanOfQuery } from './sharing-changes.ts';
import { requireTable } from './sharing-lists.ts';
import {
  agreeOnCapabilities,
  bodyGiven,
  type Given,
  queryGiven,
  readCount,
  readText,
  readTexts,
  readTimestamp,
  requireOne,
} from './sharing-parameters.ts';
import { type FilesWanted, inTableTurn, planTable, sizeOf, tableFiles } from './sharing-table.ts';
import { currentVersion, requireSnapshot, versionAt, versionFrom } from './sharing-versions.ts';

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

/** What the client is going to read, as far as it says so. */
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
