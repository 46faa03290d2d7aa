/** A dataset that is published repeatedly, with the rows of each version by a plain reading. */
import fc from 'fast-check';
import type { Dataset } from '../../src/catalog/dataset.ts';
import { batchOfRows, type CellValue } from '../../src/engine/columns.ts';
import type { PublishMode } from '../../src/lake/publish.ts';
import type { TestService } from '../harness.ts';
import { anyRows } from '../oracle/random-rows.ts';
import { publishBatches } from '../publish-batches.ts';
import { SEED } from '../seed.ts';

type Rows = readonly (readonly CellValue[])[];

export async function publishRows(
  { services }: TestService,
  dataset: Dataset,
  rows: Rows,
  mode: PublishMode = 'replace',
): Promise<number> {
  async function* batches() {
    yield batchOfRows(dataset.columns, rows);
  }
  // Tests make up rows that say nothing sensible: checks have tests of their own.
  const target = { ...dataset, checks: [] };
  const options = { dataset: target, mode, vendor: 'Test', batches: batches() };
  return (await publishBatches(services.lake, options)).version;
}

/** Publications that may happen between two pages. */
export const anyRepublication: fc.Arbitrary<PublishMode> = fc.oneof(
  { weight: 3, arbitrary: fc.constant<PublishMode>('replace') },
  { weight: 2, arbitrary: fc.constant<PublishMode>('append') },
  // Drops the partitions that the new rows do not fall into.
  { weight: 1, arbitrary: fc.constant<PublishMode>('replace-all') },
);

/** Publishes some random rows in a way, other ones for each version. Resolves to the version. */
export async function republish(
  service: TestService,
  dataset: Dataset,
  mode: PublishMode,
  rowCount: number,
): Promise<number> {
  const published = await service.services.lake.snapshot(dataset.datasetId);
  const seed = SEED + (published?.version ?? 0);
  const [rows = []] = fc.sample(anyRows(dataset, rowCount), { numRuns: 1, seed });
  return await publishRows(service, dataset, rows, mode);
}
