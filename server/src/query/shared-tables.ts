/** Tables of Delta Sharing: all rows of a dataset, within the rules of the account. */
import { isoSeconds } from '../base/clock.ts';
import { ApiError } from '../base/errors.ts';
import type { Dataset } from '../catalog/dataset.ts';
import type { DeliveredFiles } from '../delivery/delivered-files.ts';
import { TABLE_FILE } from '../delivery/file-formats.ts';
import { fileFingerprint } from '../delivery/manifest.ts';
import type { Ticket } from '../delivery/ticket.ts';
import type { QueryPlan } from '../engine/query-plan.ts';
import type { Lake } from '../lake/lake.ts';
import type { DatasetSnapshot } from '../lake/snapshots.ts';
import { filePlansOf } from '../plan/plan-bulk.ts';
import { parseDataRequest } from '../request/data-request.ts';
import { variantParameters } from '../request/segment-parameters.ts';
import type { DataRequestLimits } from '../request/settings.ts';
import type { TableMetadata } from '../sharing/tables.ts';
import { requireOwnRules, rowsCountedFor } from './coverage.ts';
import { planRequest } from './plan-request.ts';
import { type DataServices, nameSubject, type Reader } from './reader.ts';
import { planBesides } from './whole-files.ts';

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

/** The request that files are part of, as it can be asked again. */
export type LinkedRequest = Pick<Ticket, 'group' | 'segment' | 'queryString' | 'besides'>;

/** The bulk request that finds the rows. */
export function tableRequest(
  { dataset, version, besides }: TableRows,
  limits: DataRequestLimits,
): LinkedRequest {
  const { group, segment } = dataset;
  const words = new URLSearchParams(variantParameters(dataset, limits));
  if (version > 0) words.set('dataset_version', `${version}`);
  return { group, segment, queryString: `${words}`, besides };
}

/** The plans of the files, in natural order. */
export async function planTable(reader: Reader, rows: TableRows): Promise<QueryPlan[]> {
  const { config, lake } = reader.services;
  const linked = tableRequest(rows, config);
  const request = parseDataRequest({ ...linked, pathParameters: [] }, config);
  const planAsked = planBesides(lake, rows.besides);
  const { plan } = await planRequest(reader, { dataset: rows.dataset, request, planAsked });
  nameSubject(reader.tally, plan);
  return filePlansOf(plan);
}

interface TableServices extends DataServices {
  readonly files: DeliveredFiles;
}

/**
 * Exact for files that were made; for others, what is stored of their rows. Null if one is not made
 * and the account may not read all that is stored.
 */
export async function sizeOfTable(
  { services, caller }: Pick<Reader, 'caller'> & { readonly services: TableServices },
  dataset: Dataset,
  plans: readonly QueryPlan[],
): Promise<TableMetadata['size']> {
  const rules = requireOwnRules({ services, caller }, dataset);
  const mayCountStored = (await rowsCountedFor(services, dataset, rules)) !== null;
  let byteCount = 0;
  let fileCount = 0;
  for (const plan of plans) {
    const file = services.files.find(fileFingerprint(plan, TABLE_FILE));
    if (!file && !mayCountStored) return null;
    file?.release();
    byteCount += file?.bytes.byteCount ?? plan.scannedBytes;
    fileCount += file?.rowCount === 0 ? 0 : 1;
  }
  return { byteCount, fileCount };
}

const MS_PER_SECOND = 1000;

/** 0 before the first publication. */
export async function currentVersion(lake: Lake, { datasetId }: Dataset): Promise<number> {
  return (await lake.snapshot(datasetId))?.version ?? 0;
}

/** An ApiError 'invalid' for one that cannot be read, or never was; null for version 0. */
export async function readableSnapshot(
  lake: Lake,
  { datasetId }: Dataset,
  version: number,
): Promise<DatasetSnapshot | null> {
  if (version === 0) return null;
  const snapshot = await lake.snapshotAt(datasetId, version);
  if (typeof snapshot !== 'string') return snapshot;
  const why = snapshot === 'gone' ? 'is no longer retained' : 'has never been published';
  throw new ApiError('invalid', `Version ${version} ${why}`);
}

/** The last version that was published at or before a time. */
export async function versionAt(lake: Lake, dataset: Dataset, atMs: number): Promise<number> {
  const version = await lake.versionAsOf(dataset.datasetId, atMs);
  if (version !== null) return version;
  throw new ApiError('invalid', `The table had no version yet at ${isoSeconds(atMs)}`);
}

/**
 * The first version that was published at or after a time; publications are told in whole seconds.
 */
export async function versionFrom(lake: Lake, dataset: Dataset, atMs: number): Promise<number> {
  const secondMs = Math.ceil(atMs / MS_PER_SECOND) * MS_PER_SECOND;
  const before = await lake.versionAsOf(dataset.datasetId, secondMs - MS_PER_SECOND);
  const version = (before ?? 0) + 1;
  if (version <= (await currentVersion(lake, dataset))) return version;
  throw new ApiError('invalid', `The table has no version at or after ${isoSeconds(secondMs)}`);
}

/** Versions from `first` to `last`, both inclusive. */
export interface VersionSpan {
  readonly first: number;
  readonly last: number;
}

/** Throws an ApiError 'invalid' unless both are versions, and in order. */
export function requireOrder({ first, last }: VersionSpan, current: number): VersionSpan {
  const refuse = (what: string) => new ApiError('invalid', `The changes should ${what}`);
  const most = `at version ${current} at most, which is the current one`;
  if (first > current) throw refuse(`start ${most}`);
  if (last > current) throw refuse(`end ${most}`);
  if (first <= last) return { first, last };
  throw refuse(`start before they end: version ${first} is after ${last}`);
}
