/** The page that Prometheus reads: what was counted, and what is measured as the page is made. */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { SERVICE_VERSION } from '../base/version.ts';
import type { Services } from '../routes/endpoint.ts';
import { freeBytes } from '../store/sqlite/disk-problem.ts';
import { type Metric, Reading, type Sample } from './metric-text.ts';

const NANOS_PER_SECOND = 1e9;
const MICROS_PER_SECOND = 1e6;
const MS_PER_SECOND = 1000;
const DELAY_RESOLUTION_MS = 20;

type DelayHistogram = ReturnType<typeof monitorEventLoopDelay>;

function queryReadings({ gate }: Services): Metric[] {
  return [
    new Reading('ticklake_queries', 'Queries that run or wait for their turn.', () => [
      [gate.runningCount, { state: 'running' }],
      [gate.waitingCount, { state: 'waiting' }],
    ]),
    new Reading(
      'ticklake_queries_refused_total',
      'Queries refused because too many waited.',
      () => [[gate.refusedCount]],
      'counter',
    ),
  ];
}

function connectionReadings({ connections, unsent }: Services): Metric[] {
  return [
    new Reading(
      'ticklake_connections',
      'Open connections, by whether a key or session has been accepted on them.',
      () => [
        [connections.anonymousCount, { caller: 'anonymous' }],
        [connections.count - connections.anonymousCount, { caller: 'known' }],
      ],
    ),
    new Reading('ticklake_connections_max', 'Connections that may be open.', () => [
      [connections.countMax],
    ]),
    new Reading(
      'ticklake_connections_closed_total',
      'Connections closed because of a limit.',
      () => [...connections.closedCounts].map(([limit, count]): Sample => [count, { limit }]),
      'counter',
    ),
    new Reading(
      'ticklake_pipelined_requests',
      'Requests that wait behind another one on their connection.',
      () => [[connections.pipelinedCount]],
    ),
    new Reading('ticklake_unsent_answers', 'Answers that wait for their clients.', () => [
      [connections.unsentAnswerCount],
    ]),
    new Reading('ticklake_unsent_bytes', 'Bytes of answers that wait for their clients.', () => [
      [unsent.byteCount],
    ]),
  ];
}

function cacheReadings({ pages }: Services): Metric[] {
  return [
    new Reading(
      'ticklake_page_cache_lookups_total',
      'Page cache lookups, by whether the page was there.',
      () => [
        [pages.hitCount, { result: 'hit' }],
        [pages.missCount, { result: 'miss' }],
      ],
      'counter',
    ),
    new Reading('ticklake_page_cache_bytes', 'Bytes of the pages that are kept.', () => [
      [pages.byteCount],
    ]),
  ];
}

function readAheadReadings({ readAhead }: Services): Metric[] {
  return [
    new Reading(
      'ticklake_pages_read_ahead_total',
      'Pages read ahead, by whether they were requested.',
      () => [
        [readAhead.usedCount, { result: 'used' }],
        [readAhead.unusedCount, { result: 'unused' }],
      ],
      'counter',
    ),
    new Reading(
      'ticklake_read_ahead_bytes',
      'Bytes of pages read ahead and not requested yet.',
      () => [[readAhead.byteCount]],
    ),
  ];
}

/** How recent the data is, and whether loads of it go wrong. */
function publicationReadings({ catalog, lake, clock }: Services): Metric[] {
  const ages = function* (): Iterable<Sample> {
    for (const { datasetId } of catalog.datasets) {
      const publishedAt = lake.snapshot(datasetId)?.publishedAt;
      if (publishedAt === undefined) continue;
      const seconds = (clock.now() - Date.parse(publishedAt)) / 1000;
      yield [Math.max(0, seconds), { dataset: datasetId }];
    }
  };
  const ofEach = (count: (datasetId: string) => number) => () =>
    catalog.datasets.map(({ datasetId }): Sample => [count(datasetId), { dataset: datasetId }]);
  const hasFailed = (datasetId: string) =>
    ['refused', 'failed'].includes(lake.publicationStatus(datasetId).state) ? 1 : 0;
  return [
    new Reading(
      'ticklake_dataset_published_age_seconds',
      'Time since the last publication that succeeded.',
      ages,
    ),
    new Reading(
      'ticklake_dataset_last_load_failed',
      '1 while the last load was refused, failed or was interrupted.',
      ofEach(hasFailed),
    ),
    new Reading(
      'ticklake_dataset_failed_loads_total',
      'Loads that were refused, failed or were interrupted.',
      ofEach((datasetId) => lake.unpublishedCount(datasetId)),
      'counter',
    ),
  ];
}

function lakeReadings({ catalog, lake }: Services): Metric[] {
  const published = (measure: 'version' | 'rowCount' | 'byteCount') =>
    catalog.datasets.map(({ datasetId }): Sample => {
      return [lake.snapshot(datasetId)?.[measure] ?? 0, { dataset: datasetId }];
    });
  return [
    new Reading('ticklake_dataset_version', 'Published version; 0: nothing is published.', () =>
      published('version'),
    ),
    new Reading('ticklake_dataset_rows', 'Published rows.', () => published('rowCount')),
    new Reading('ticklake_dataset_bytes', 'Bytes of the published files.', () =>
      published('byteCount'),
    ),
  ];
}

function storeReadings({ store, usage, config }: Services): Metric[] {
  return [
    new Reading(
      'ticklake_usage_pending_requests',
      'Counted requests that are not in the control store yet.',
      () => [[usage.pendingCount]],
    ),
    new Reading(
      'ticklake_usage_pending_seconds',
      'Age of the oldest of them; 0 when there are none.',
      () => [[usage.pendingAgeMs / MS_PER_SECOND]],
    ),
    new Reading(
      'ticklake_store_failed_writes_total',
      'Transactions that the control store failed to save.',
      () =>
        Object.entries(store.writes.failedCounts).map(([kind, count]): Sample => [count, { kind }]),
      'counter',
    ),
    new Reading(
      'ticklake_store_reserve_bytes',
      'Bytes that the control store can still save when the disk is full.',
      () => [[store.reserve.bytes]],
    ),
    new Reading('ticklake_disk_free_bytes', 'Free bytes on the disk of the home.', () => [
      [freeBytes(config.home)],
    ]),
  ];
}

/** Delay of timers since the page was made before; in seconds. */
function readDelay(delay: DelayHistogram): Sample[] {
  const samples = [50, 99, 100].map((percentile): Sample => {
    const seconds = delay.count === 0 ? 0 : delay.percentile(percentile) / NANOS_PER_SECOND;
    // The measured delay includes the timer's own interval.
    return [Math.max(0, seconds - DELAY_RESOLUTION_MS / 1000), { quantile: percentile / 100 }];
  });
  delay.reset();
  return samples;
}

function processReadings(delay: DelayHistogram): Metric[] {
  return [
    new Reading('ticklake_info', 'The running version.', () => [[1, { version: SERVICE_VERSION }]]),
    new Reading('process_resident_memory_bytes', 'Memory of the process.', () => [
      [process.memoryUsage.rss()],
    ]),
    new Reading('nodejs_heap_used_bytes', 'Memory of JavaScript objects.', () => [
      [process.memoryUsage().heapUsed],
    ]),
    new Reading(
      'process_cpu_seconds_total',
      'Processor time of the process.',
      () => {
        const { user, system } = process.cpuUsage();
        return [[(user + system) / MICROS_PER_SECOND]];
      },
      'counter',
    ),
    new Reading('process_uptime_seconds', 'Time since the process was started.', () => [
      [process.uptime()],
    ]),
    new Reading(
      'nodejs_eventloop_delay_seconds',
      'Delay of the event loop since the last reading, by quantile.',
      () => readDelay(delay),
    ),
  ];
}

export interface MetricsPage {
  /** In the Prometheus text format. */
  text(): string;
  close(): void;
}

export function openMetricsPage(services: Services): MetricsPage {
  const delay = monitorEventLoopDelay({ resolution: DELAY_RESOLUTION_MS });
  delay.enable();
  const metrics = [
    ...services.metrics.all(),
    ...queryReadings(services),
    ...connectionReadings(services),
    ...cacheReadings(services),
    ...readAheadReadings(services),
    ...lakeReadings(services),
    ...storeReadings(services),
    ...publicationReadings(services),
    ...processReadings(delay),
  ];
  return {
    text: () => metrics.map((metric) => metric.text()).join(''),
    close: () => void delay.disable(),
  };
}
