/** What is told of publications to administrators, with the names of the interface. */
import type { DroppedVersions } from '../lake/retention.ts';
import type {
  PartChange,
  PartTotals,
  PublicationRecord,
  PublicationSource,
  PublishedDataset,
} from '../store/publications.ts';

/** Further sources are only counted. */
const SOURCES_MAX = 1000;

function datasetView(dataset: PublishedDataset) {
  return {
    dataset_id: dataset.datasetId,
    version: dataset.version,
    added_partition_count: dataset.addedPartCount,
    replaced_partition_count: dataset.replacedPartCount,
    removed_partition_count: dataset.removedPartCount,
    row_count_before: dataset.rowCountBefore,
    row_count_after: dataset.rowCountAfter,
    byte_count_before: dataset.byteCountBefore,
    byte_count_after: dataset.byteCountAfter,
    content_digest: dataset.contentDigest,
    rolled_back_by: dataset.rolledBackBy,
  };
}

export function summaryView(record: PublicationRecord) {
  return {
    publication_id: record.publicationId,
    kind: record.kind,
    state: record.state,
    is_open: record.isOpen,
    command: record.command,
    actor: record.actor,
    reason: record.reason,
    vendor: record.vendor,
    started_at: record.startedAt,
    finished_at: record.finishedAt,
    message: record.message,
    source_count: record.sources.length,
    datasets: record.datasets.map(datasetView),
  };
}

function sourceView({ datasetId, name, byteCount, sha256, derivation }: PublicationSource) {
  return {
    ...{ dataset_id: datasetId, name, byte_count: byteCount, sha256 },
    derivation: derivation ? JSON.parse(derivation) : null,
  };
}

export function recordView(record: PublicationRecord) {
  return {
    ...summaryView(record),
    sources: record.sources.slice(0, SOURCES_MAX).map(sourceView),
    checks: record.checks.map(({ datasetId, name, severity, count, examples }) => ({
      ...{ dataset_id: datasetId, name, severity, count, examples },
    })),
  };
}

function totalsView(totals: PartTotals | null) {
  if (totals === null) return null;
  const { rowCount, byteCount, contentDigest } = totals;
  return { row_count: rowCount, byte_count: byteCount, content_digest: contentDigest };
}

interface Compared {
  readonly datasetId: string;
  readonly fromVersion: number;
  readonly toVersion: number;
  /** In the order of their keys. */
  readonly changes: readonly PartChange[];
}

/** At most `limit` partitions, those after one. */
export function differenceView(
  { datasetId, fromVersion, toVersion, changes }: Compared,
  after: string | undefined,
  limit: number,
) {
  const left = after === undefined ? changes : changes.filter(({ key }) => key > after);
  const shown = left.slice(0, limit);
  return {
    dataset_id: datasetId,
    from_version: fromVersion,
    to_version: toVersion,
    partition_count: changes.length,
    partitions: shown.map((each) => ({
      key: each.key,
      change: each.change,
      before: totalsView(each.before),
      after: totalsView(each.after),
    })),
    next_after: left.length > limit ? (shown.at(-1)?.key ?? null) : null,
  };
}

export function droppedView({ datasetId, versions, firstVersion, byteCount }: DroppedVersions) {
  return {
    dataset_id: datasetId,
    versions,
    first_version: firstVersion,
    byte_count: byteCount,
  };
}
