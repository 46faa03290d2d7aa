/** Homes that are large in their index: one for planning, one for starting. */

import { makeDemoAccount } from '@ticklake/demo/prepare-demo.ts';
import type { Dataset, PartitionUnit } from '../../src/catalog/dataset.ts';
import { batchOfRows, type CellValue } from '../../src/engine/columns.ts';
import type { OpenServices } from '../../src/open-services.ts';
import { publishBatches } from '../../test/publish-batches.ts';
import { buildOnce } from './build-once.ts';
import { type DataSet, openBenchServices, tradingDays } from './data-set.ts';
import { type LinkedDataset, type PartTemplate, publishLinked } from './linked-partitions.ts';

async function buildHome(
  home: string,
  linkedBy: (services: OpenServices) => Promise<LinkedDataset[]>,
): Promise<string> {
  await buildOnce(home, async (building) => {
    const services = await openBenchServices(building);
    try {
      await makeDemoAccount(services);
      await publishLinked(building, await linkedBy(services));
    } finally {
      await services.close();
    }
  });
  return home;
}

/** The last published part of a dataset. */
async function lastPartition(
  { lake }: OpenServices,
  { datasetId, textId }: Dataset,
): Promise<PartTemplate> {
  const snapshot = await lake.snapshot(datasetId);
  const part = snapshot?.parts.at(-1);
  if (!snapshot || !part) throw new Error(`${textId}: nothing published`);
  const [rowGroups = []] = await snapshot.rowGroups([part]);
  return { ...part, rowGroups };
}

async function lastTickDay({ home }: DataSet, dataset: Dataset): Promise<PartTemplate> {
  const services = await openBenchServices(home);
  try {
    return await lastPartition(services, dataset);
  } finally {
    await services.close();
  }
}

const CELLS: Readonly<Record<Dataset['columns'][number]['dataType'], (row: number) => CellValue>> =
  {
    string: (row) => `A${row % 7}`,
    integer: (row) => BigInt(row),
    number: (row) => row / 4,
    date: () => '2025-06-16',
    'date-time': (row) => 1_750_080_600_000_000_000n + BigInt(row),
    'array of string': (row) => [`A${row % 7}`],
    'array of integer': (row) => [BigInt(row % 7)],
    'array of number': (row) => [row / 4],
    decimal: (row) => BigInt(row),
    boolean: (row) => row % 2 === 0,
  };
const SMALL_ROWS = 20;

async function publishSmall(services: OpenServices, dataset: Dataset): Promise<PartTemplate> {
  const rows = Array.from({ length: SMALL_ROWS }, (_, row) =>
    dataset.columns.map(({ dataType }) => CELLS[dataType](row)),
  );
  async function* batches() {
    yield batchOfRows(dataset.columns, rows);
  }
  await publishBatches(services.lake, {
    dataset: { ...dataset, checks: [] },
    mode: 'replace',
    vendor: 'Bench',
    batches: batches(),
  });
  return await lastPartition(services, dataset);
}

export const PLANNED_DATASET = 'eq_taq';

/** A home whose index holds the same day of ticks, row group by row group, under each date. */
export function planningHome(data: DataSet, dates: readonly string[]): Promise<string> {
  return buildHome(`${data.home}-planning`, async (services) => {
    const dataset = services.catalog.byTextId(PLANNED_DATASET) as Dataset;
    const { location } = await publishSmall(services, dataset);
    return [{ dataset, template: await lastTickDay(data, dataset), location, keys: dates }];
  });
}

const FIRST_YEAR = 1985;
const YEARS = Array.from({ length: 40 }, (_, y) => `${FIRST_YEAR + y}`);
const MONTHS = Array.from({ length: 12 }, (_, m) => `${m + 1}`.padStart(2, '0'));

/** As many partitions altogether as wanted, most of them daily. */
function keysByUnit(datasets: readonly Dataset[], count: number) {
  const keys: Record<PartitionUnit, readonly string[]> = {
    whole: ['all'],
    year: YEARS,
    month: YEARS.flatMap((year) => MONTHS.map((month) => `${year}-${month}`)),
    day: [],
  };
  const units = datasets.map(({ partitioning }) => partitioning.unit);
  const others = units.reduce((sum, unit) => sum + keys[unit].length, 0);
  const days = Math.ceil((count - others) / units.filter((unit) => unit === 'day').length);
  return { ...keys, day: tradingDays(`${FIRST_YEAR}-01-01`, days) };
}

/** A home with rows in every dataset, and with as many partitions as the sizes say. */
export function startHome({ home, sizes }: DataSet): Promise<string> {
  return buildHome(`${home}-start`, async (services) => {
    const { datasets } = services.catalog;
    const keys = keysByUnit(datasets, sizes.startPartitions);
    const linked: LinkedDataset[] = [];
    for (const dataset of datasets) {
      const template = await publishSmall(services, dataset);
      linked.push({
        dataset,
        template,
        location: template.location,
        keys: keys[dataset.partitioning.unit],
      });
    }
    return linked;
  });
}
