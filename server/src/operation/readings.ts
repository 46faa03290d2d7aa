/** Metrics that are not counted as things happen, but read when the page is made. */
import { Counter, Gauge, type Registry } from 'prom-client';
import type { Clock } from '../base/clock.ts';
import { lastKnown } from '../base/last-known.ts';
import type { CurrentCatalog } from '../catalog/load-catalog.ts';
import type { Lake } from '../lake/lake.ts';

export type Sample = readonly [value: number, labels?: Readonly<Record<string, string>>];

export interface Reading {
  readonly name: string;
  readonly help: string;
  /** A counter's value only grows. */
  readonly type?: 'gauge' | 'counter';
  readonly labelNames?: readonly string[];
  /** May throw: the metric then has no samples, and all others can still be seen. */
  read(): Iterable<Sample> | Promise<Iterable<Sample>>;
}

/** Later than readiness itself, of which some readings are. */
const ANSWER_MS = 850;

const METRICS = { gauge: Gauge, counter: Counter } as const;

async function samplesOf(reading: Reading): Promise<Sample[]> {
  try {
    return [...(await reading.read())];
  } catch {
    return [];
  }
}

/** `old` has the names of those that did not come in time last: their last samples are shown. */
export function registerReading(
  registry: Registry,
  reading: Reading,
  old = new Set<string>(),
): void {
  const { name, help, type = 'gauge', labelNames = [] } = reading;
  const read = lastKnown(() => samplesOf(reading), [], ANSWER_MS);
  new METRICS[type]({
    name,
    help,
    labelNames,
    registers: [registry],
    async collect(this: Counter | Gauge) {
      const { value: samples, isOld } = await read();
      old[isOld ? 'add' : 'delete'](name);
      this.reset();
      // One without labels is 0 after that, which nobody has measured.
      if (samples.length === 0 && labelNames.length === 0) this.remove({});
      for (const [value, labels = {}] of samples) this.inc(labels, value);
    },
  });
}

const MS_PER_SECOND = 1000;

export interface DatasetSources {
  readonly catalogs: Pick<CurrentCatalog, 'current'>;
  readonly lake: Lake;
  readonly clock: Clock;
}

/** Reads a sample for each dataset; none where the value is null. */
function ofEach(
  catalogs: Pick<CurrentCatalog, 'current'>,
  read: (datasetId: string) => Promise<number | null>,
): () => Promise<Sample[]> {
  return async () => {
    const { datasets } = catalogs.current;
    const values = await Promise.all(datasets.map(({ datasetId }) => read(datasetId)));
    return datasets.flatMap(({ datasetId }, index): Sample[] => {
      const value = values[index] ?? null;
      return value === null ? [] : [[value, { dataset: datasetId }]];
    });
  };
}

/** How recent the data is, and whether loads of it go wrong. */
function publicationReadings({ catalogs, lake, clock }: DatasetSources): Reading[] {
  const ageOf = (time: string | null | undefined) =>
    time ? Math.max(0, (clock.now() - Date.parse(time)) / MS_PER_SECOND) : null;
  const ages = ofEach(catalogs, async (datasetId) =>
    ageOf((await lake.snapshot(datasetId))?.publishedAt),
  );
  const failedAges = ofEach(catalogs, async (datasetId) =>
    ageOf(await lake.ledger.lastUnpublished(datasetId)),
  );
  const hasFailed = ofEach(catalogs, async (datasetId) => {
    const { state } = await lake.publicationStatus(datasetId);
    return ['refused', 'failed'].includes(state) ? 1 : 0;
  });
  return [
    {
      name: 'ticklake_dataset_published_age_seconds',
      help: 'Time since the last publication that succeeded.',
      labelNames: ['dataset'],
      read: ages,
    },
    {
      name: 'ticklake_dataset_failed_age_seconds',
      help: 'Time since the last publication that was refused, failed or was interrupted.',
      labelNames: ['dataset'],
      read: failedAges,
    },
    {
      name: 'ticklake_dataset_last_load_failed',
      help: '1 while the last load was refused, failed or was interrupted.',
      labelNames: ['dataset'],
      read: hasFailed,
    },
    {
      name: 'ticklake_dataset_failed_loads_total',
      help: 'Loads that were refused, failed or were interrupted.',
      type: 'counter',
      labelNames: ['dataset'],
      read: ofEach(catalogs, (datasetId) => lake.ledger.unpublishedCount(datasetId)),
    },
  ];
}

function lakeReadings({ catalogs, lake }: DatasetSources): Reading[] {
  const published = (measure: 'version' | 'rowCount' | 'byteCount') =>
    ofEach(catalogs, async (datasetId) => (await lake.snapshot(datasetId))?.[measure] ?? 0);
  return [
    {
      name: 'ticklake_dataset_version',
      help: 'Published version; 0: nothing is published.',
      labelNames: ['dataset'],
      read: published('version'),
    },
    {
      name: 'ticklake_dataset_rows',
      help: 'Published rows.',
      labelNames: ['dataset'],
      read: published('rowCount'),
    },
    {
      name: 'ticklake_dataset_bytes',
      help: 'Bytes of the published files.',
      labelNames: ['dataset'],
      read: published('byteCount'),
    },
  ];
}

/** Disk space of current versions, and of retained earlier ones. */
function storageReadings({ catalogs, lake }: DatasetSources): Reading[] {
  const storedBytes = async (): Promise<Sample[]> => {
    const stored = await lake.space.storedBytes();
    const known = stored.filter(({ datasetId }) => catalogs.current.byId(datasetId));
    return known.flatMap(({ datasetId, currentByteCount, replacedByteCount }): Sample[] => [
      [currentByteCount, { dataset: datasetId, versions: 'current' }],
      [replacedByteCount, { dataset: datasetId, versions: 'earlier' }],
    ]);
  };
  const damagedParts = (): Sample[] => {
    const damaged = lake.damaged.list();
    const currentCount = damaged.filter(({ isCurrent }) => isCurrent).length;
    return [
      [currentCount, { versions: 'current' }],
      [damaged.length - currentCount, { versions: 'earlier' }],
    ];
  };
  return [
    {
      name: 'ticklake_dataset_stored_bytes',
      help: 'Bytes of all files of the current version, and of those that only earlier ones have.',
      labelNames: ['dataset', 'versions'],
      read: storedBytes,
    },
    {
      name: 'ticklake_damaged_parts',
      help: 'Files of the current versions, or of earlier ones alone, that are missing or cut off.',
      labelNames: ['versions'],
      read: damagedParts,
    },
  ];
}

export function datasetReadings(sources: DatasetSources): Reading[][] {
  return [lakeReadings(sources), storageReadings(sources), publicationReadings(sources)];
}
