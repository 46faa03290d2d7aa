/** Refused loads stay known until rows of their dates are loaded, or somebody says that they are looked after. */
import { existsSync } from 'node:fs';
import { UsageError } from '../base/errors.ts';
import type { Dataset } from '../catalog/dataset.ts';
import type { PartWriter } from '../engine/engine.ts';
import type { Lake } from '../lake/lake.ts';
import type { OpenPublication } from '../lake/publication.ts';
import type { PublishMode } from '../lake/publication-options.ts';

const DATE_IN_NAME = /(?:19|20|21)\d\d-?(?:0[1-9]|1[0-2])-?(?:0[1-9]|[12]\d|3[01])/g;

/** The dates in the names of files, such as `trades-20260105.csv`. */
function namedDates(files: readonly string[]): string[] {
  return files
    .flatMap((file) => file.split(/[\\/]/).at(-1)?.match(DATE_IN_NAME) ?? [])
    .map((found) => found.replaceAll('-', '').replace(/(....)(..)(..)/, '$1-$2-$3'))
    .sort();
}

export interface FileLoad {
  readonly lake: Lake;
  readonly dataset: Dataset;
  readonly mode: PublishMode;
  readonly files: readonly string[];
  readonly publication: OpenPublication;
  readonly writer: PartWriter;
}

/** Whether a load brings all rows that its dataset has from then on, so that it makes up for any earlier one. */
function bringsAll({ dataset, mode }: FileLoad): boolean {
  return mode === 'replace-all' || (mode === 'replace' && dataset.partitioning.unit === 'whole');
}

/** Runs a load, and notes whether its dates are still to come or are there now. */
export async function notingRefusal<
  T extends { readonly isPublished: boolean; readonly isUnchanged: boolean },
>(own: FileLoad, load: () => Promise<T>): Promise<T> {
  const { lake, dataset, files, publication, writer } = own;
  const note = async () => {
    const loaded = await writer.dates().catch(() => []);
    const dates = loaded.length > 0 ? loaded : namedDates(files);
    // A path that leads nowhere is a slip of whoever typed it, and no delivery.
    if (dates.length === 0 && !files.some((file) => existsSync(file))) return;
    await publication.note({ refusedDates: dates.length > 0 ? `${dates[0]} ${dates.at(-1)}` : '' });
  };
  try {
    const report = await load();
    if (publication.isRefused) await note();
    if (report.isPublished || report.isUnchanged) {
      const dates = bringsAll(own) ? 'all' : await writer.dates();
      await lake.ledger.settleRefused(dataset.datasetId, dates);
    }
    return report;
  } catch (error) {
    if (error instanceof UsageError) await note();
    throw error;
  }
}
