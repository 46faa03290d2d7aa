/**
 * Datasets of very many partitions, which all are one small file under as many names: small, so
 * that a copy of the folder that does not keep hard links fills no disk.
 */
import { linkSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../../server/src/base/clock.ts';
import type { Dataset } from '../../server/src/catalog/dataset.ts';
import type { Partition, RowGroup } from '../../server/src/engine/partition.ts';
import { LakeIndex } from '../../server/src/store/sqlite/lake-index.ts';

/** A partition as it stands in the index. */
export interface PartitionTemplate extends Partition {
  readonly rowGroups: readonly RowGroup[];
}

export interface LinkedDataset {
  readonly dataset: Dataset;
  /** Whose row groups each of the partitions has in the index. */
  readonly template: PartitionTemplate;
  /** The file of each of the partitions. */
  readonly file: string;
  readonly keys: readonly string[];
}

/** `2025-06-16` of the keys `2025-06-16`, `2025-06` and `2025`: a date inside the partition. */
function dateOf(key: string, fallback: string | null): string | null {
  return key === 'all' ? fallback : key + '2025-06-16'.slice(key.length);
}

function linkPartition(
  home: string,
  { dataset, template, file: linked }: LinkedDataset,
  key: string,
) {
  const file = `${dataset.textId}/${key}-v2-000000000000.parquet`;
  linkSync(linked, join(home, 'lake', file));
  const date = dateOf(key, null);
  const column = dataset.partitioning.column ?? '';
  const rowGroups = template.rowGroups.map((group) => ({
    ...group,
    bounds: date === null ? group.bounds : { ...group.bounds, [column]: { min: date, max: date } },
  }));
  const fileByteCount = template.byteCount;
  const dates = { firstDate: date, lastDate: date };
  return { ...template, ...dates, key, file, vendors: ['Bench'], fileByteCount, rowGroups };
}

/** Publishes the partitions into the index of a home that no other process publishes into. */
export function publishLinked(home: string, linked: readonly LinkedDataset[]): void {
  const index = new LakeIndex(join(home, 'lake.db'));
  try {
    for (const each of linked) {
      const { datasetId, textId } = each.dataset;
      mkdirSync(join(home, 'lake', textId), { recursive: true });
      const publicationId = index.begin({
        datasetIds: [datasetId],
        command: 'bench',
        lifeMark: '',
        startedAt: '2025-06-30T00:00:00Z',
      });
      const partitions = each.keys.map((key) => linkPartition(home, each, key));
      const version = { datasetId, version: 2, partitions, dropsOthers: true };
      index.commit(publicationId, [version], systemClock.now());
    }
  } finally {
    index.close();
  }
}
