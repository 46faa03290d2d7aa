/**
 * A process for tests to kill: publishes versions of the sample dataset one after the other, each
 * replacing all rows, and prints the number of each one that is out. Arguments: the home; N, where
 * it kills itself just after it has written its N-th part; the grace period in ms.
 */
import { systemClock } from '../../src/base/clock.ts';
import { batchOfRows } from '../../src/engine/columns.ts';
import type { PartStorage } from '../../src/engine/engine.ts';
import { INSTALLED_ENGINE, tryLockFile } from '../../src/installed.ts';
import { Lake } from '../../src/lake/lake.ts';
import { openHomeIndex } from '../../src/open-home.ts';
import { publishBatches } from '../publish-batches.ts';
import { sampleDataset } from './sample-dataset.ts';
import { rowsOfVersion } from './sample-version.ts';

const [home = '', killAfter = 'never', graceMs = '0'] = process.argv.slice(2);
const dataset = sampleDataset('day');
const storage = INSTALLED_ENGINE.openStorage({ home }, tryLockFile);
let writtenCount = 0;

const fatalStorage: PartStorage = {
  ...storage,
  async openWriter(...args) {
    const writer = await storage.openWriter(...args);
    const write = writer.write.bind(writer);
    writer.write = async (...target) => {
      const written = await write(...target);
      writtenCount++;
      if (`${writtenCount}` === killAfter) process.kill(process.pid, 'SIGKILL');
      return written;
    };
    return writer;
  },
};

async function* batches(version: number) {
  yield batchOfRows(dataset.columns, rowsOfVersion(version));
}

const lake = await Lake.open({
  home,
  index: openHomeIndex(home),
  storage: fatalStorage,
  clock: systemClock,
  actor: 'test',
  graceMs: Number(graceMs),
});
for (;;) {
  const next = ((await lake.snapshot(dataset.datasetId))?.version ?? 0) + 1;
  await publishBatches(lake, { dataset, mode: 'replace-all', batches: batches(next) });
  process.stdout.write(`${next}\n`);
}
