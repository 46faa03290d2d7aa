/**
 * A process for tests to kill. Publishes load after load into two datasets at once and reports each
 * load begun and published. Environment: as for a server. Argument: the first load's number.
 */
import { Random } from '@ticklake/demo/random.ts';
import { systemClock } from '../../src/base/clock.ts';
import { failureText } from '../../src/base/failure-text.ts';
import { batchOfRows } from '../../src/engine/columns.ts';
import { openServices } from '../../src/open-services.ts';
import { readConfig } from '../../src/settings/config.ts';
import { anyMoment } from '../any-moment.ts';
import { DATASET_IDS, ROWS_OF } from './loads.ts';

const PAUSE_MS = 200;

const [first = ''] = process.argv.slice(2);
const random = new Random(first);

const { catalog, lake } = await openServices(readConfig(process.env), systemClock);
// Rows that are made up say nothing sensible: checks have tests of their own.
const datasets = catalog.datasets
  .filter(({ datasetId }) => DATASET_IDS.includes(datasetId))
  .map((dataset) => ({ ...dataset, checks: [] }));

async function publish(load: number): Promise<void> {
  await lake.publication({ datasets, command: 'test' }, async (publication) => {
    for (const dataset of datasets) {
      const rows = ROWS_OF[dataset.datasetId]?.(load) ?? [];
      const writer = await lake.openWriter(dataset);
      try {
        await writer.append(batchOfRows(dataset.columns, rows));
        await publication.write({ dataset, mode: 'replace-all' }, writer);
      } finally {
        await writer.close();
      }
    }
  });
}

for (let load = Number(first); ; load++) {
  process.stdout.write(`began ${load}\n`);
  try {
    await publish(load);
    process.stdout.write(`published ${load}\n`);
  } catch (error) {
    // Storage is away.
    process.stdout.write(`failed ${load} ${failureText(error)}\n`);
  }
  await anyMoment(random, PAUSE_MS);
}
