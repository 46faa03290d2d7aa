/** What versions of a table changed: the files that each of them removed and added, within the rules. */
import type { FastifyReply } from 'fastify';
import { ApiError } from '../base/errors.ts';
import type { Dataset } from '../catalog/dataset.ts';
import {
  endAction,
  fileAction,
  linesOf,
  metadataAction,
  NDJSON,
  PROTOCOL,
  TABLE_VERSION,
} from '../sharing/actions.ts';
import { tableId } from '../sharing/names.ts';
import type { FileExchange } from './endpoint.ts';
import { requireTable } from './sharing-lists.ts';
import {
  agreeOnCapabilities,
  badValue,
  type Given,
  queryGiven,
  readCount,
  readTimestamp,
  requireOne,
} from './sharing-parameters.ts';
import { inTableTurn, planTable, type TableRows, tableFiles } from './sharing-table.ts';
import { currentVersion, requireSnapshot, versionAt, versionFrom } from './sharing-versions.ts';

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
