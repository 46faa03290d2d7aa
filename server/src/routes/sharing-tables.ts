/** The files of a table: all rows of a dataset, within the rules of the account. */

import { isoSeconds } from '../base/clock.ts';
import type { Dataset } from '../catalog/dataset.ts';
import { TABLE_FILE } from '../delivery/file-formats.ts';
import { fileFingerprint, partitionsOf } from '../delivery/manifest.ts';
import type { QueryPlan } from '../engine/query-plan.ts';
import type { Lake } from '../lake/lake.ts';
import type { DatasetSnapshot } from '../lake/snapshots.ts';
import { filePlansOf } from '../plan/plan-bulk.ts';
import { rowsCountedFor } from '../query/coverage.ts';
import { planRequest } from '../query/plan-request.ts';
import { asOfNow, inTurn, nameSubject } from '../query/reader.ts';
import { nameFiles, requireSmall } from '../query/whole-files.ts';
import { parseDataRequest } from '../request/data-request.ts';
import { variantParameters } from '../request/segment-parameters.ts';
import type { TableFile, TableMetadata } from '../sharing/tables.ts';
import type { FileExchange, Services } from './endpoint.ts';
import { fileLinks, type LinkedRequest, planBesides } from './file-endpoint.ts';
import { requireRules } from './requested-dataset.ts';
import { badValue, requireTable } from './sharing-lists.ts';

/**
 * Rows of a table: those of a version, or of its parts alone that another version does not have.
 */
export interface TableRows {
  readonly dataset: Dataset;
  /** 0: nothing was published yet. */
  readonly version: number;
  /** 0: no part; null: all parts of the version are meant. */
  readonly besides: number | null;
}

/** The bulk request that finds the rows. */
function linkedRequest(
  { dataset, version, besides }: TableRows,
  { config }: Pick<Services, 'config'>,
): LinkedRequest {
  const { group, segment } = dataset;
  const words = new URLSearchParams(variantParameters(dataset, config));
  if (version > 0) words.set('dataset_version', `${version}`);
  return { group, segment, queryString: `${words}`, besides };
}

/** The plans of the files, in natural order. */
export async function planTable(exchange: FileExchange, rows: TableRows): Promise<QueryPlan[]> {
  const { config, lake } = exchange.services;
  const linked = linkedRequest(rows, exchange.services);
  const request = parseDataRequest({ ...linked, pathParameters: [] }, config);
  const planAsked = planBesides(lake, linked.besides);
  const { plan } = await planRequest(exchange, { dataset: rows.dataset, request, planAsked });
  nameSubject(exchange.tally, plan);
  return filePlansOf(plan);
}

export interface FilesWanted {
  /** True if a file may hold wanted rows. */
  readonly mayHold: (plan: QueryPlan) => boolean;
  /** Once there are so many rows, no more files are wanted. */
  readonly rowsMax: number;
}

export const EVERY_FILE: FilesWanted = {
  mayHold: () => true,
  rowsMax: Number.POSITIVE_INFINITY,
};

/** Links to files, which are made where they are not there yet. */
export async function tableFiles(
  exchange: FileExchange,
  rows: TableRows,
  plans: readonly QueryPlan[],
  signal: AbortSignal,
  { mayHold, rowsMax }: FilesWanted = EVERY_FILE,
): Promise<TableFile[]> {
  const { services } = exchange;
  const wanted = plans.filter(mayHold);
  requireSmall(wanted, services.config);
  const links = fileLinks(exchange, linkedRequest(rows, services), TABLE_FILE);
  const named = await nameFiles(services, wanted, TABLE_FILE, signal, rowsMax);
  return named.map(({ plan, fingerprint, file: { sha256, bytes, rowCount } }) => ({
    ...{ url: links.urlOf({ plan, fingerprint }), sha256, rowCount },
    firstPartition: partitionsOf(plan).first,
    byteCount: bytes.byteCount,
    expiresAtMs: links.expiresAtMs,
  }));
}

/**
 * Exact for files that were made; for others, what is stored of their rows. Null if one is not made
 * and the account may not read all that is stored.
 */
export async function sizeOf(
  exchange: FileExchange,
  { dataset }: TableRows,
  plans: readonly QueryPlan[],
): Promise<TableMetadata['size']> {
  const rules = requireRules(exchange, dataset);
  const mayCountStored = (await rowsCountedFor(exchange.services, dataset, rules)) !== null;
  let byteCount = 0;
  let fileCount = 0;
  for (const plan of plans) {
    const file = exchange.services.files.find(fileFingerprint(plan, TABLE_FILE));
    if (!file && !mayCountStored) return null;
    file?.release();
    byteCount += file?.bytes.byteCount ?? plan.scannedBytes;
    fileCount += file?.rowCount === 0 ? 0 : 1;
  }
  return { byteCount, fileCount };
}

/** Runs the work in the account's turn, for the caller and by the rules of that moment. */
export async function inTableTurn<T>(
  exchange: FileExchange,
  work: (exchange: FileExchange, signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const { account } = requireTable(exchange);
  return await inTurn(exchange, account.accountId, async (signal) =>
    work(await asOfNow(exchange), signal),
  );
}

const MS_PER_SECOND = 1000;

export async function currentVersion(lake: Lake, { datasetId }: Dataset): Promise<number> {
  return (await lake.snapshot(datasetId))?.version ?? 0;
}

/** An ApiError 'invalid' for one that cannot be read, or never was; null for version 0. */
export async function requireSnapshot(
  lake: Lake,
  { datasetId }: Dataset,
  version: number,
): Promise<DatasetSnapshot | null> {
  if (version === 0) return null;
  const snapshot = await lake.snapshotAt(datasetId, version);
  if (snapshot === 'unknown') throw badValue(`Version ${version} has never been published`);
  if (snapshot === 'gone') throw badValue(`Version ${version} is no longer retained`);
  return snapshot;
}

/** The last version that was published at or before a time. */
export async function versionAt(lake: Lake, dataset: Dataset, atMs: number): Promise<number> {
  const version = await lake.versionAsOf(dataset.datasetId, atMs);
  if (version !== null) return version;
  throw badValue(`The table had no version yet at ${isoSeconds(atMs)}`);
}

/**
 * The first version that was published at or after a time; publications are told in whole seconds.
 */
export async function versionFrom(lake: Lake, dataset: Dataset, atMs: number): Promise<number> {
  const second = Math.ceil(atMs / MS_PER_SECOND);
  const before = await lake.versionAsOf(dataset.datasetId, (second - 1) * MS_PER_SECOND);
  const version = (before ?? 0) + 1;
  if (version <= (await currentVersion(lake, dataset))) return version;
  throw badValue(`The table has no version at or after ${isoSeconds(second * MS_PER_SECOND)}`);
}
