/**
 * A process for tests to kill. Once it reads a line, it publishes, rolls back, withdraws and prunes
 * in an order set by its seed, announcing each act. Arguments: the home, the seed, and the act to
 * favor.
 */
import { once } from 'node:events';
import { systemClock } from '../../src/base/clock.ts';
import { UsageError } from '../../src/base/errors.ts';
import { batchOfRows } from '../../src/engine/columns.ts';
import { INSTALLED_ENGINE, tryLockFile } from '../../src/installed.ts';
import { Lake } from '../../src/lake/lake.ts';
import { openHomeIndex } from '../../src/open-home.ts';
import { publishBatches } from '../publish-batches.ts';
import { sampleDataset } from './sample-dataset.ts';
import { rowsOfVersion } from './sample-version.ts';

const [home = '', seed = '1', favourite = ''] = process.argv.slice(2);
const datasets = [sampleDataset('day'), sampleDataset('day', 'US9002')];
let state = Number(seed);

/** A whole number below `count`. */
function random(count: number): number {
  state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fff_ffff;
  return Math.floor((state / 0x8000_0000) * count);
}

const pick = <T>(items: readonly T[]): T => items[random(items.length)] as T;

async function* batches() {
  const rows = rowsOfVersion(random(50));
  // One day, or all.
  yield batchOfRows(datasets[0]!.columns, random(2) === 0 ? rows : rows.slice(0, 50));
}

async function currentVersion(lake: Lake, datasetId: string): Promise<number> {
  return (await lake.snapshot(datasetId))?.version ?? 0;
}

const EVERYTHING = { retentionDays: 0, retentionVersions: 0, retentionBytesMax: 0 };

const ACTS: Readonly<Record<string, (lake: Lake) => Promise<unknown>>> = {
  publish: (lake) => {
    const mode = pick(['replace', 'append', 'replace-all'] as const);
    return publishBatches(lake, { dataset: pick(datasets), mode, batches: batches() });
  },
  'publish both': (lake) =>
    lake.publication({ datasets, command: 'test' }, async (publication) => {
      for (const dataset of datasets) {
        const writer = await lake.openWriter(dataset);
        for await (const batch of batches()) await writer.append(batch);
        await publication.write({ dataset, mode: 'replace' }, writer);
        await writer.close();
      }
    }),
  'publish in steps': async (lake) => {
    const dataset = pick(datasets);
    const id = await lake.publications.open({ datasets: [dataset], command: 'test' });
    await lake.publication({ into: id, datasets: [], command: 'test' }, async (publication) => {
      const writer = await lake.openWriter(dataset);
      for await (const batch of batches()) await writer.append(batch);
      await publication.write({ dataset, mode: 'replace' }, writer);
      await writer.close();
    });
    if (random(2) === 0) await lake.publications.abandon(id, 'enough');
    else await lake.publications.commit(id);
  },
  'roll back to a version': async (lake) => {
    const { datasetId } = pick(datasets);
    const toVersion = (await currentVersion(lake, datasetId)) - 1 - random(2);
    await lake.publisher.rollBack({ datasetId, toVersion });
  },
  'roll back a publication': async (lake) => {
    const [last] = await lake.ledger.publications({ limit: 1, states: ['published'] });
    if (last) await lake.publisher.rollBack({ publicationId: last.publicationId });
  },
  withdraw: async (lake) => {
    const dataset = pick(datasets);
    const { firstDate } = (await lake.snapshot(dataset.datasetId)) ?? {};
    if (!firstDate) return;
    const dates = { start: firstDate, end: firstDate };
    const identifiers = pick([null, ['A']]);
    await lake.publisher.withdraw(dataset, { dates, identifiers, partitions: null });
  },
  prune: (lake) => lake.publisher.prune(EVERYTHING),
};

await once(process.stdin, 'data');
const lake = await Lake.open({
  home,
  index: openHomeIndex(home),
  storage: INSTALLED_ENGINE.openStorage({ home }, tryLockFile),
  clock: systemClock,
  actor: 'test',
  graceMs: 0,
});
for (;;) {
  // Every other one: those that take little time would hardly ever be met.
  const name = random(2) === 0 ? favourite : pick(Object.keys(ACTS));
  process.stdout.write(`${name}\n`);
  try {
    await ACTS[name]?.(lake);
  } catch (error) {
    // The act is impossible now, such as undoing an undone publication.
    if (!(error instanceof UsageError)) throw error;
  }
}
