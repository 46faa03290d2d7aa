/**
 * Datasets of very many partitions, which all are one small file under as many names: small, so
 * that a copy of the folder that does not keep hard links fills no disk.
 */
import { linkSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../../src/base/clock.ts';
import type { Dataset } from '../../src/catalog/dataset.ts';
import { EMPTY_DIGEST } from '../../src/engine/content-digest.ts';
import type { Part, RowGroup } from '../../src/engine/part.ts';
import { storedColumnsOf } from '../../src/engine/stored-columns.ts';
import { openHomeIndex } from '../../src/open-home.ts';

/** A part as it stands in the index. */
export interface PartTemplate extends Part {
  readonly rowGroups: readonly RowGroup[];
}

export interface LinkedDataset {
  readonly dataset: Dataset;
  /** Whose row groups each of the partitions has in the index. */
  readonly template: PartTemplate;
  /** The location of the file that each of the partitions is. */
  readonly location: string;
  readonly keys: readonly string[];
}

/** `2025-06-16` of the keys `2025-06-16`, `2025-06` and `2025`: a date inside the partition. */
function dateOf(key: string, fallback: string | null): string | null {
  return key === 'all' ? fallback : key + '2025-06-16'.slice(key.length);
}

function linkPartition(
  home: string,
  { dataset, template, location: linked }: LinkedDataset,
  key: string,
) {
  const location = `${dataset.textId}/${key}-000000000000.parquet`;
  linkSync(join(home, 'lake', linked), join(home, 'lake', location));
  const date = dateOf(key, null);
  const column = dataset.partitioning.column ?? '';
  const rowGroups = template.rowGroups.map((group) => ({
    ...group,
    bounds: date === null ? group.bounds : { ...group.bounds, [column]: { min: date, max: date } },
  }));
  const storedByteCount = template.byteCount;
  const dates = { firstDate: date, lastDate: date };
  return {
    ...template,
    ...dates,
    ...{ key, location, vendors: ['Bench'], publicationIds: [] },
    storedColumns: storedColumnsOf(dataset),
    ...{ contentDigest: EMPTY_DIGEST, storedByteCount, rowGroups },
  };
}

/** Publishes the partitions into the index of a home that no other process publishes into. */
export async function publishLinked(home: string, linked: readonly LinkedDataset[]): Promise<void> {
  const index = openHomeIndex(home);
  try {
    for (const each of linked) {
      const { datasetId, textId } = each.dataset;
      mkdirSync(join(home, 'lake', textId), { recursive: true });
      const publicationId = await index.ledger.begin({
        ...{ datasetIds: [datasetId], kind: 'load', command: 'bench', actor: 'bench' },
        ...{ reason: null, vendor: null, lifeMark: '', startedAt: '2025-06-30T00:00:00Z' },
      });
      const current = (await index.versions.version(datasetId))?.parts ?? [];
      const parts = each.keys.map((key) => ({
        ...{ key, part: linkPartition(home, each, key) },
        baseId: current.find((part) => part.key === key)?.id ?? null,
      }));
      const dropped = current
        .filter(({ key }) => !each.keys.includes(key))
        .map(({ key, id }) => ({ key, part: null, baseId: id }));
      const change = { datasetId, baseVersion: 1, parts: [...parts, ...dropped] };
      await index.stage(publicationId, change);
      await index.commit(publicationId, systemClock.now());
    }
  } finally {
    await index.close();
  }
}
