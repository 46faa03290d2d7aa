/**
 * Staging: an engine in a folder of this process, which loads, checks and sorts
 * them before they go to the servers, and makes files of those that come from there.
 */
import type { Column, Dataset } from '../../catalog/dataset.ts';
import type { ColumnBatch } from '../columns.ts';
import type { EngineReader, PartStorage } from '../engine.ts';
import type { Part, WrittenPart } from '../part.ts';
import { WHOLE_KEY } from '../partition-key.ts';

export interface StagingEngine {
  readonly storage: PartStorage;
  readonly openReader: () => Promise<EngineReader>;
}

/** Opens the engine in a folder, which is empty. */
export type OpenStaging = (directory: string) => StagingEngine;

/** Numbers the rows, which are kept in that order. No column of a dataset has such a name. */
const NUMBER: Column = {
  ...{ name: 'row_number', dataType: 'integer', description: '', fractionDigits: 0 },
};

const LIST = {
  ...{ naturalOrder: [NUMBER.name], identifierColumns: [], universeColumns: [] },
  ...{ partitioning: { unit: 'whole' as const, column: null }, alsoStoredBy: null, checks: [] },
  ...{ requiredFilters: [], dateColumn: null, sameDayColumns: [], rootColumn: null },
} satisfies Partial<Dataset>;

/** A dataset of other columns, whose rows stay in the order in which they come. */
export function listDataset(dataset: Dataset, columns: readonly Column[]): Dataset {
  const numbered = [...columns, NUMBER];
  const columnByName = new Map(numbered.map((column) => [column.name, column]));
  return { ...dataset, ...LIST, columns: numbered, columnByName };
}

function numbered({ rowCount, columns }: ColumnBatch, first: number): ColumnBatch {
  const values = BigInt64Array.from({ length: rowCount }, (_, row) => BigInt(first + row));
  return { rowCount, columns: [...columns, { type: 'integer', values, nulls: null }] };
}

export type StagedPart = Part & WrittenPart;

/** Keeps rows as one part of a list; null: there are none. */
export async function stageRows(
  storage: PartStorage,
  list: Dataset,
  batches: AsyncIterable<ColumnBatch>,
  signal?: AbortSignal,
): Promise<StagedPart | null> {
  const writer = await storage.openWriter(list, signal);
  try {
    let rowCount = 0;
    for await (const batch of batches) {
      await writer.append(numbered(batch, rowCount));
      rowCount += batch.rowCount;
    }
    if (rowCount === 0) return null;
    const location = storage.newLocation(list, WHOLE_KEY);
    const written = await writer.write(WHOLE_KEY, location, null);
    return { id: 0, key: WHOLE_KEY, location, ...written };
  } finally {
    await writer.close();
  }
}
