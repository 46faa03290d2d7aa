/** Metrics that are not counted as things happen, but read when the page is made. */

import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import { lastBackupMs } from '../backup/back-up.ts';
import { bufferLimits } from '../base/budgets.ts';
import type { Clock } from '../base/clock.ts';
import { diskBytes, freeBytes } from '../base/disk-problem.ts';
import { SERVICE_VERSION } from '../base/installation.ts';
import { lastKnown } from '../base/last-known.ts';
import type { CurrentCatalog } from '../catalog/load-catalog.ts';
import type { Lake } from '../lake/lake.ts';
import type { UsageMeter } from '../quota/usage-meter.ts';
import type { ControlStore } from '../store/control-store.ts';
import type { OpenConnections } from './open-connections.ts';
import { type Readiness, WARNED_PARTS } from './readiness.ts';
import type { RequestMetrics } from './request-metrics.ts';

type Sample = readonly [value: number, labels?: Readonly<Record<string, string>>];

/** A counter, which only grows, if the name ends in `_total`; else a gauge. */
export interface Reading {
  readonly name: string;
  /** Whole sentences, which the documentation has, too. */
  readonly help: string;
  readonly labelNames: readonly string[];
  /** May throw: the metric then has no samples, and all others can still be seen. */
  read(): Iterable<Sample> | Promise<Iterable<Sample>>;
}

const MS_PER_SECOND = 1000;

type Counts<Name extends string> = Readonly<Record<Name, number>>;

/** Parts of the server that are looked at. */
interface ReadingSources {
  readonly gate: Counts<'runningCount' | 'waitingCount' | 'refusedCount'>;
  readonly connections: OpenConnections;
  readonly unsent: Counts<'byteCount'>;
  readonly pages: Counts<'hitCount' | 'missCount' | 'byteCount'>;
  readonly catalogs: Pick<CurrentCatalog, 'current'>;
  readonly lake: Lake;
  readonly store: ControlStore;
  readonly usage: UsageMeter;
  readonly config: { readonly home: string } & Parameters<typeof bufferLimits>[0];
  readonly clock: Clock;
  readonly readiness: () => Promise<Readiness>;
}

/** One value; null: there is none. */
function single(
  name: string,
  help: string,
  value: () => number | null | Promise<number | null>,
): Reading {
  const read = async (): Promise<Sample[]> => {
    const known = await value();
    return known === null ? [] : [[known]];
  };
  return { name, help, labelNames: [], read };
}

/** A value for each of what a label tells apart. */
function each(
  name: string,
  label: string,
  help: string,
  values: () => Counts<string> | Promise<Counts<string>>,
): Reading {
  const read = async () =>
    Object.entries(await values()).map(([of, value]): Sample => [value, { [label]: of }]);
  return { name, help, labelNames: [label], read };
}

function requestReadings({ gate, pages }: ReadingSources): Reading[] {
  return [
    each('ticklake_info', 'version', 'The running version; always 1.', () => ({
      [SERVICE_VERSION]: 1,
    })),
    each(
      'ticklake_queries',
      'state',
      'Queries that are `running`, or `waiting` for their turn.',
      () => ({
        running: gate.runningCount,
        waiting: gate.waitingCount,
      }),
    ),
    single(
      'ticklake_queries_refused_total',
      'Queries refused with a 503 because too many waited.',
      () => gate.refusedCount,
    ),
    each(
      'ticklake_page_cache_lookups_total',
      'result',
      'Pages looked for in the page cache: `hit` or `miss`.',
      () => ({ hit: pages.hitCount, miss: pages.missCount }),
    ),
    single('ticklake_page_cache_bytes', 'Bytes of the pages that are kept.', () => pages.byteCount),
  ];
}

function connectionReadings({ connections, unsent, config }: ReadingSources): Reading[] {
  return [
    each(
      'ticklake_connections',
      'caller',
      'Open connections: `known` if a key or a session was let in, else `anonymous`; those of trusted proxies are `known`.',
      () => ({
        anonymous: connections.anonymousCount,
        known: connections.count - connections.anonymousCount,
      }),
    ),
    single('ticklake_connections_max', 'Connections that may be open.', () => connections.countMax),
    each(
      'ticklake_connections_closed_total',
      'limit',
      'Connections closed for a limit: of `all`, of their `address`, of `anonymous` ones, or of `pipelined` requests.',
      () => Object.fromEntries(connections.closedCounts),
    ),
    single(
      'ticklake_pipelined_requests',
      'Requests that wait behind another one on their connection.',
      () => connections.pipelinedCount,
    ),
    single(
      'ticklake_unsent_answers',
      'Answers that wait for their clients to fetch them.',
      () => connections.unsentAnswerCount,
    ),
    single(
      'ticklake_unsent_bytes',
      'Bytes of such answers, without those that are the same for everybody.',
      () => unsent.byteCount,
    ),
    each(
      'ticklake_buffer_bytes_max',
      'buffer',
      'Memory that buffers may take up, by what they are for.',
      () => bufferLimits(config),
    ),
  ];
}

function readinessReadings({ readiness }: ReadingSources): Reading[] {
  return [
    single('ticklake_ready', '1 while `/readyz` is 200, else 0.', async () =>
      Number((await readiness()).ready),
    ),
    each(
      'ticklake_warnings',
      'part',
      'Warnings of `/readyz` about `store`, `lake`, `engine` or `disk`, which somebody should look after soon.',
      async () => {
        const { warnings } = await readiness();
        const countOf = (part: string) => warnings.filter((each) => each.part === part).length;
        return Object.fromEntries(WARNED_PARTS.map((part) => [part, countOf(part)]));
      },
    ),
  ];
}

function storeReadings({ store, usage, config, clock }: ReadingSources): Reading[] {
  return [
    single(
      'ticklake_usage_pending_requests',
      'Counted requests that are not in the control store yet.',
      () => usage.pendingCount,
    ),
    single(
      'ticklake_usage_pending_seconds',
      'Age of the oldest of them; 0 when there are none.',
      () => usage.pendingAgeMs / MS_PER_SECOND,
    ),
    each(
      'ticklake_store_failed_writes_total',
      'kind',
      'Transactions that the storage did not take: of `usage` or a `change`.',
      () => store.writes.failedCounts,
    ),
    single(
      'ticklake_store_reserve_bytes',
      'Bytes that the control store can still save when the disk is full.',
      () => store.reservedBytes() ?? 0,
    ),
    single('ticklake_disk_free_bytes', 'Free bytes on the disk of the home.', () =>
      freeBytes(config.home),
    ),
    single('ticklake_disk_bytes', 'Bytes of the disk of the home, free or not.', () =>
      diskBytes(config.home),
    ),
    single(
      'ticklake_backup_age_seconds',
      'Time since the last backup of the home was taken, or of the database was noted; no series where there is none.',
      async () => {
        const takenMs = await lastBackupMs(config.home, store);
        return takenMs && Math.max(0, clock.now() - takenMs) / MS_PER_SECOND;
      },
    ),
  ];
}

/** Readings of each dataset; none where the value is null. */
function datasetReadings({ catalogs, lake, clock }: ReadingSources): Reading[] {
  const ofEach = (
    name: string,
    help: string,
    read: (datasetId: string) => Promise<number | null>,
  ) =>
    each(`ticklake_dataset_${name}`, 'dataset', help, async () => {
      const ids = catalogs.current.datasets.map(({ datasetId }) => datasetId);
      const values = await Promise.all(ids.map(async (id) => [id, await read(id)] as const));
      return Object.fromEntries(values.filter(([, value]) => value !== null)) as Counts<string>;
    });
  const published = (measure: 'version' | 'rowCount' | 'byteCount') => async (datasetId: string) =>
    (await lake.snapshot(datasetId))?.[measure] ?? 0;
  const ageOf = (time: string | null | undefined) =>
    time ? Math.max(0, (clock.now() - Date.parse(time)) / MS_PER_SECOND) : null;
  return [
    ofEach('version', 'Published version; 0: nothing is published.', published('version')),
    ofEach('rows', 'Published rows.', published('rowCount')),
    ofEach('bytes', 'Bytes of the published files.', published('byteCount')),
    ofEach(
      'published_age_seconds',
      'Time since the last load that succeeded; no series where none has.',
      async (datasetId) => ageOf((await lake.snapshot(datasetId))?.publishedAt),
    ),
    ofEach(
      'failed_age_seconds',
      'Time since the last load that was refused, failed or was interrupted; no series where none has.',
      async (datasetId) => ageOf(await lake.ledger.lastUnpublished(datasetId)),
    ),
    ofEach(
      'last_load_failed',
      '1 while the last load was refused, failed or was interrupted, else 0.',
      async (datasetId) =>
        Number(['refused', 'failed'].includes((await lake.publicationStatus(datasetId)).state)),
    ),
    ofEach(
      'failed_loads_total',
      'Loads that were refused, failed or were interrupted.',
      (datasetId) => lake.ledger.unpublishedCount(datasetId),
    ),
  ];
}

/** Files of current versions, and of retained earlier ones. */
function storageReadings({ catalogs, lake }: ReadingSources): Reading[] {
  const storedBytes = async (): Promise<Sample[]> => {
    const stored = await lake.space.storedBytes();
    const known = stored.filter(({ datasetId }) => catalogs.current.byId(datasetId));
    return known.flatMap(({ datasetId, currentByteCount, replacedByteCount }): Sample[] => [
      [currentByteCount, { dataset: datasetId, versions: 'current' }],
      [replacedByteCount, { dataset: datasetId, versions: 'earlier' }],
    ]);
  };
  return [
    {
      name: 'ticklake_dataset_stored_bytes',
      help: 'Bytes of all files of the `current` version, and of those that only `earlier` ones have, which are retained.',
      labelNames: ['dataset', 'versions'],
      read: storedBytes,
    },
    each(
      'ticklake_damaged_parts',
      'versions',
      'Files of `current` versions, or of `earlier` ones alone, that are missing or cut off; no series until one is found or all have been looked at.',
      (): Counts<string> => {
        const damaged = lake.damaged.list();
        if (!lake.damaged.hasLooked && damaged.length === 0) return {};
        const current = damaged.filter(({ isCurrent }) => isCurrent).length;
        return { current, earlier: damaged.length - current };
      },
    ),
  ];
}

/** `oldCount`: measurements that did not come in time last. */
export function allReadings(sources: ReadingSources, oldCount: () => number): Reading[] {
  return [
    ...requestReadings(sources),
    ...connectionReadings(sources),
    ...readinessReadings(sources),
    ...storeReadings(sources),
    ...datasetReadings(sources),
    ...storageReadings(sources),
    single(
      'ticklake_old_readings',
      'Measurements that did not come in time last and show earlier values.',
      oldCount,
    ),
  ];
}

let registry: Registry | null = null;

/**
 * One registry for all servers of a process: what prom-client observes the process with can never
 * be closed, so each further one would stay for good.
 */
function processMetrics(): Registry {
  if (registry === null) {
    registry = new Registry();
    collectDefaultMetrics({ register: registry });
  }
  return registry;
}

/** Sources of the page's values. */
export interface MetricSources extends Omit<ReadingSources, 'readiness'> {
  readonly metrics: Pick<RequestMetrics, 'registry'>;
}

/** Later than readiness itself, of which some readings are. */
const ANSWER_MS = 850;

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
  const { name, help, labelNames } = reading;
  const read = lastKnown(() => samplesOf(reading), [], ANSWER_MS);
  new (name.endsWith('_total') ? Counter : Gauge)({
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

/** Makes the page, as text in the Prometheus format. */
export function metricsPage(
  sources: MetricSources,
  readiness: () => Promise<Readiness>,
): () => Promise<string> {
  const readings = new Registry();
  const old = new Set<string>();
  for (const reading of allReadings({ ...sources, readiness }, () => old.size)) {
    registerReading(readings, reading, old);
  }
  const page = Registry.merge([sources.metrics.registry, readings, processMetrics()]);
  return () => page.metrics();
}
