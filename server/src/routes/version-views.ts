/** What is told of versions and publications, by the rules of the account that asks. Pure. */
import type { Dataset } from '../catalog/dataset.ts';
import type { ReadablePartitions } from '../plan/readable-partitions.ts';
import type { VersionRecord } from '../store/lake-index.ts';
import type { EndedPublication, PartChange, PublicationRecord } from '../store/publications.ts';

/** More partitions of a publication than anybody reads; `…/versions/{version}` has them all. */
const PARTITIONS_TOLD_MAX = 100;

export interface VersionSubject {
  readonly record: VersionRecord;
  /** The publication that made it. */
  readonly publication: PublicationRecord;
  readonly currentVersion: number;
}

/** Sums of a version are for those who may read all of it. */
export function versionView(
  { record, publication, currentVersion }: VersionSubject,
  { holdsAll }: ReadablePartitions,
) {
  const isWhole = holdsAll(record.firstDate, record.lastDate);
  return {
    version: record.version,
    published_at: record.publishedAt,
    publication_id: record.publicationId,
    kind: publication.kind,
    vendor: publication.vendor,
    reason: publication.reason,
    is_current: record.version === currentVersion,
    is_available: record.isRetained,
    row_count: isWhole ? record.rowCount : null,
    stored_bytes: isWhole ? record.byteCount : null,
    content_digest: isWhole ? record.contentDigest : null,
  };
}

/** Rows are counted for those who may read all of the partition. */
export function partitionView(
  { key, change, before, after }: PartChange,
  { isWhole }: ReadablePartitions,
) {
  const told = (amount: number | undefined) => (isWhole(key) ? (amount ?? 0) : null);
  return {
    partition: key,
    change,
    rows_before: told(before?.rowCount),
    rows_after: told(after?.rowCount),
    stored_bytes_before: told(before?.byteCount),
    stored_bytes_after: told(after?.byteCount),
  };
}

/** One dataset of a publication, with the partitions that the asker may know of. */
export interface EventDataset {
  readonly datasetId: string;
  /** Null: the catalogue no longer has it. */
  readonly dataset: Dataset | null;
  readonly version: number | null;
  readonly partitions: readonly string[];
}

/** The operator's message is for administrators. */
export function eventView(
  record: EndedPublication,
  datasets: readonly EventDataset[],
  isForAdministrator: boolean,
) {
  return {
    publication_id: record.publicationId,
    state: record.state,
    kind: record.kind,
    finished_at: record.finishedAt,
    vendor: record.vendor,
    reason: record.reason,
    message: isForAdministrator ? record.message : null,
    datasets: datasets.map(({ datasetId, dataset, version, partitions }) => ({
      dataset_id: datasetId,
      dataset_name: dataset?.name ?? null,
      version,
      partition_count: partitions.length,
      partitions: partitions.slice(0, PARTITIONS_TOLD_MAX),
    })),
  };
}
