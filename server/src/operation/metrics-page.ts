/** The page that Prometheus reads: what was counted, and what is measured as the page is made. */
import { collectDefaultMetrics, Registry } from 'prom-client';
import { lastBackupMs } from '../backup/back-up.ts';
import { bufferLimits } from '../base/budgets.ts';
import type { Clock } from '../base/clock.ts';
import { diskBytes, freeBytes } from '../base/disk-problem.ts';
import { SERVICE_VERSION } from '../base/installation.ts';
import type { CurrentCatalog } from '../catalog/load-catalog.ts';
import type { Lake } from '../lake/lake.ts';
import type { UsageMeter } from '../quota/usage-meter.ts';
import type { ControlStore } from '../store/control-store.ts';
import type { OpenConnections } from './open-connections.ts';
import { type Readiness, WARNED_PARTS } from './readiness.ts';
import { datasetReadings, type Reading, registerReading, type Sample } from './readings.ts';
import type { RequestMetrics } from './request-metrics.ts';

let registry: Registry | null = null;

/**
 * One registry for all servers of a process: what prom-client observes the process with can never
 * be closed, so each further one would stay for good.
 */
export function processMetrics(): Registry {
  if (registry === null) {
    registry = new Registry();
    collectDefaultMetrics({ register: registry });
  }
  return registry;
}

const MS_PER_SECOND = 1000;

type Counts<Name extends string> = Readonly<Record<Name, number>>;

/** Sources of the page's values. */
export interface MetricSources {
  readonly metrics: Pick<RequestMetrics, 'registry'>;
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
}

function infoReadings(): Reading[] {
  const read = (): Sample[] => [[1, { version: SERVICE_VERSION }]];
  return [{ name: 'ticklake_info', help: 'The running version.', labelNames: ['version'], read }];
}

function queryReadings({ gate }: MetricSources): Reading[] {
  return [
    {
      name: 'ticklake_queries',
      help: 'Queries that run or wait for their turn.',
      labelNames: ['state'],
      read: () => [
        [gate.runningCount, { state: 'running' }],
        [gate.waitingCount, { state: 'waiting' }],
      ],
    },
    {
      name: 'ticklake_queries_refused_total',
      help: 'Queries refused because too many waited.',
      type: 'counter',
      read: () => [[gate.refusedCount]],
    },
  ];
}

function connectionReadings({ connections, unsent, config }: MetricSources): Reading[] {
  return [
    {
      name: 'ticklake_buffer_bytes_max',
      help: 'Memory that buffers may take up, by what they are for.',
      labelNames: ['buffer'],
      read: () =>
        Object.entries(bufferLimits(config)).map(([buffer, bytes]): Sample => [bytes, { buffer }]),
    },
    {
      name: 'ticklake_connections',
      help: 'Open connections, by whether a key or session has been accepted on them.',
      labelNames: ['caller'],
      read: () => [
        [connections.anonymousCount, { caller: 'anonymous' }],
        [connections.count - connections.anonymousCount, { caller: 'known' }],
      ],
    },
    {
      name: 'ticklake_connections_max',
      help: 'Connections that may be open.',
      read: () => [[connections.countMax]],
    },
    {
      name: 'ticklake_connections_closed_total',
      help: 'Connections closed because of a limit.',
      type: 'counter',
      labelNames: ['limit'],
      read: () => [...connections.closedCounts].map(([limit, count]): Sample => [count, { limit }]),
    },
    {
      name: 'ticklake_pipelined_requests',
      help: 'Requests that wait behind another one on their connection.',
      read: () => [[connections.pipelinedCount]],
    },
    {
      name: 'ticklake_unsent_answers',
      help: 'Answers that wait for their clients.',
      read: () => [[connections.unsentAnswerCount]],
    },
    {
      name: 'ticklake_unsent_bytes',
      help: 'Bytes of answers that wait for their clients.',
      read: () => [[unsent.byteCount]],
    },
  ];
}

function cacheReadings({ pages }: MetricSources): Reading[] {
  return [
    {
      name: 'ticklake_page_cache_lookups_total',
      help: 'Page cache lookups, by whether the page was there.',
      type: 'counter',
      labelNames: ['result'],
      read: () => [
        [pages.hitCount, { result: 'hit' }],
        [pages.missCount, { result: 'miss' }],
      ],
    },
    {
      name: 'ticklake_page_cache_bytes',
      help: 'Bytes of the pages that are kept.',
      read: () => [[pages.byteCount]],
    },
  ];
}

function readinessReadings(readiness: () => Promise<Readiness>): Reading[] {
  return [
    {
      name: 'ticklake_ready',
      help: '1 while requests can be answered.',
      read: async () => [[Number((await readiness()).ready)]],
    },
    {
      name: 'ticklake_warnings',
      help: 'What somebody should look after soon, by part.',
      labelNames: ['part'],
      read: async () => {
        const { warnings } = await readiness();
        const countOf = (part: string) => warnings.filter((each) => each.part === part).length;
        return WARNED_PARTS.map((part): Sample => [countOf(part), { part }]);
      },
    },
  ];
}

function storeReadings({ store, usage, config, clock }: MetricSources): Reading[] {
  const backupAge = async (): Promise<Sample[]> => {
    const takenMs = await lastBackupMs(config.home, store);
    return takenMs === null ? [] : [[Math.max(0, clock.now() - takenMs) / MS_PER_SECOND]];
  };
  return [
    {
      name: 'ticklake_backup_age_seconds',
      help: 'Time since the last backup of the home was taken.',
      read: backupAge,
    },
    {
      name: 'ticklake_usage_pending_requests',
      help: 'Counted requests that are not in the control store yet.',
      read: () => [[usage.pendingCount]],
    },
    {
      name: 'ticklake_usage_pending_seconds',
      help: 'Age of the oldest of them; 0 when there are none.',
      read: () => [[usage.pendingAgeMs / MS_PER_SECOND]],
    },
    {
      name: 'ticklake_store_failed_writes_total',
      help: 'Transactions that the control store failed to save.',
      type: 'counter',
      labelNames: ['kind'],
      read: () =>
        Object.entries(store.writes.failedCounts).map(([kind, count]): Sample => [count, { kind }]),
    },
    {
      name: 'ticklake_store_reserve_bytes',
      help: 'Bytes that the control store can still save when the disk is full.',
      read: () => [[store.reservedBytes() ?? 0]],
    },
    {
      name: 'ticklake_disk_free_bytes',
      help: 'Free bytes on the disk of the home.',
      read: () => [[freeBytes(config.home)]],
    },
    {
      name: 'ticklake_disk_bytes',
      help: 'Bytes of the disk of the home, free or not.',
      read: () => [[diskBytes(config.home)]],
    },
  ];
}

/** Makes the page, as text in the Prometheus format. */
export function metricsPage(
  sources: MetricSources,
  readiness: () => Promise<Readiness>,
): () => Promise<string> {
  const readings = new Registry();
  const tables = [
    infoReadings(),
    queryReadings(sources),
    connectionReadings(sources),
    cacheReadings(sources),
    ...datasetReadings(sources),
    readinessReadings(readiness),
    storeReadings(sources),
  ];
  const old = new Set<string>();
  const oldReadings: Reading = {
    name: 'ticklake_old_readings',
    help: 'Measurements that did not come in time last and show earlier values.',
    read: () => [[old.size]],
  };
  for (const reading of [...tables.flat(), oldReadings]) registerReading(readings, reading, old);
  const page = Registry.merge([sources.metrics.registry, readings, processMetrics()]);
  return () => page.metrics();
}
