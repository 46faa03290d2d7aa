/** Opens everything that requests are answered from: the composition of the server. */

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { MailRate } from './access/mail-rate.ts';
import { Passwords } from './access/passwords.ts';
import { changeRate, linkRate, toolRate } from './access/rate.ts';
import { SignInAttempts } from './access/sign-in-attempts.ts';
import { FactorTables } from './adjustments/factor-events.ts';
import type { Clock } from './base/clock.ts';
import { UsageError } from './base/errors.ts';
import { CALENDARS_FILE, DEFINITIONS_FOLDER, FILE_DIGESTS_FILE } from './base/home-layout.ts';
import { SHIPPED_DEFINITIONS } from './base/installation.ts';
import { RepeatedWork } from './base/repeated-work.ts';
import { Spool } from './base/spool.ts';
import { UnsentBytes } from './base/unsent-bytes.ts';
import { readCalendars } from './catalog/calendars-file.ts';
import type { Catalog } from './catalog/dataset.ts';
import { CurrentCatalog, loadCatalog, offeredCatalog } from './catalog/load-catalog.ts';
import { DeliveredFiles, KeptDigests } from './delivery/delivered-files.ts';
import { ProxyFiles } from './delivery/proxy-files.ts';
import { openLinkSecret } from './delivery/ticket.ts';
import { dependentsOf } from './derive/derivation-graph.ts';
import { QueryGate } from './engine/query-gate.ts';
import { WalkPositions } from './engine/walk-positions.ts';
import type { DeriveFrom } from './ingest/uploads/due-derivations.ts';
import { deriveInProcess, loadInProcess } from './ingest/uploads/load-in-process.ts';
import { Uploads } from './ingest/uploads/uploads.ts';
import { INSTALLED_ENGINE, isCluster } from './installed.ts';
import type { Lake } from './lake/lake.ts';
import { openMailer } from './mail/mailer.ts';
import { openControlStore, openLake, openReceiptKeys } from './open-home.ts';
import {
  affordableConnections,
  OpenConnections,
  openFilesMax,
} from './operation/open-connections.ts';
import { PageRates } from './operation/page-rates.ts';
import { RequestBoard } from './operation/request-board.ts';
import { observedEngine, RequestMetrics } from './operation/request-metrics.ts';
import { UsageMeter } from './quota/usage-meter.ts';
import { DayCountCache } from './response/day-count-cache.ts';
import { PageCache } from './response/page.ts';
import type { Services } from './routes/endpoint.ts';
import type { StaticAnswer } from './routes/http-headers.ts';
import type { Config } from './settings/config.ts';
import { KeptSamples } from './site/public-samples.ts';
import { readSite } from './site/site-file.ts';
import type { ControlStore } from './store/control-store.ts';
import { StoreUpkeep } from './store/store-upkeep.ts';
import { RollSchedules } from './symbology/roll-schedule.ts';
import { SymbolTables } from './symbology/symbol-tables.ts';
import type { TimeZone } from './time/time-zone.ts';

/** The server does not wait longer for a lock of another process: a client waits with it. */
const BUSY_TIMEOUT_MS = 100;

/** The lake is tidied up so long after the last time. */
const TIDY_EVERY_MS = 10 * 60_000;

/** A file with more is written to disk while it is made. */
const BULK_MEMORY_BYTES = 4096;

/**
 * The shipped definitions, and the operator's own over them, with the calendars of the home and
 * with `added` files.
 */
export function openCatalog(
  home: string,
  filterTimeZone: TimeZone | null = null,
  added: readonly string[] = [],
): Catalog {
  const own = join(home, DEFINITIONS_FOLDER);
  const places = [SHIPPED_DEFINITIONS, ...(existsSync(own) ? [own] : []), ...added];
  return loadCatalog(places, filterTimeZone, readCalendars(join(home, CALENDARS_FILE)));
}

/** Closes them in turn, also after one that failed; then throws the first failure. */
async function closeAll(opened: readonly { close(): void | Promise<void> }[]): Promise<void> {
  const failures: unknown[] = [];
  for (const one of opened) {
    try {
      await one.close();
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
}

const PROXY_SENDERS: ReadonlySet<string> = new Set(['x-accel-redirect', 'x-sendfile']);

/** Throws a `UsageError` if object storage is to send files but does not hold the lake. */
function requireFileSender({ fileSender, lakeAddress }: Config): void {
  if (fileSender !== 'object-storage' || (lakeAddress && !isCluster(lakeAddress))) return;
  throw new UsageError(
    'TICKLAKE_FILE_SENDER=object-storage needs a lake in object storage, such as TICKLAKE_LAKE=s3://bucket/prefix',
  );
}

/** The files of whole results. */
async function openDelivery(config: Config, store: ControlStore) {
  const isProxied = PROXY_SENDERS.has(config.fileSender);
  // The proxy's copies take up the other half.
  const bulkDiskBytesMax = config.bulkDiskBytesMax / (isProxied ? 2 : 1);
  const bulkSpool = new Spool({
    directory: join(config.home, 'bulk'),
    // The files decide what goes when there is no room; what is being made comes on top of it.
    bytesMax: 2 * bulkDiskBytesMax,
    memoryBytesMax: BULK_MEMORY_BYTES,
  });
  const digests = new KeptDigests(join(config.home, FILE_DIGESTS_FILE));
  return {
    bulkSpool,
    files: new DeliveredFiles({ bulkDiskBytesMax, spool: bulkSpool, digests }),
    proxyFiles: isProxied
      ? new ProxyFiles({ bulkDiskBytesMax, folder: join(config.home, 'files') })
      : null,
    linkSecret: await openLinkSecret(config.home, store.sharedSecrets),
  };
}

function offeredOf({ home, filterTimeZone, offeredDatasets }: Config): Catalog {
  return offeredCatalog(openCatalog(home, filterTimeZone), offeredDatasets);
}

/** Rejects with a `UsageError`, and the lake is closed, where the definitions do not fit it. */
async function openCatalogs(config: Config, lake: Lake): Promise<CurrentCatalog> {
  try {
    return await CurrentCatalog.open(async () => {
      const catalog = offeredOf(config);
      await lake.requireReadable(catalog.datasets);
      return catalog;
    });
  } catch (error) {
    await lake.close();
    throw error;
  }
}

/** Pages that are too large for memory. */
function openAnswerSpool({ home, answerDiskBytesMax }: Config): Spool {
  return new Spool({ directory: join(home, 'answers'), bytesMax: answerDiskBytesMax });
}

/** Null: the operator derives when he likes to. */
function deriveAfterUploads(config: Config, catalog: Catalog): DeriveFrom | null {
  if (config.deriveAfterLoads === 'off') return null;
  const dependents = (datasetIds: ReadonlySet<string>) => {
    const textIds = [...datasetIds].flatMap((id) => catalog.byId(id)?.textId ?? []);
    return dependentsOf(catalog, textIds).map(({ textId }) => textId);
  };
  return deriveInProcess({ ...config, dependents });
}

/** Walks of rows that are made: their points take at most 8 MB. */
const MADE_WALKS_MAX = 256;

/** Caches of rows that were read. */
function memories() {
  return {
    dayCounts: new DayCountCache(),
    symbolTables: new SymbolTables(),
    rollSchedules: new RollSchedules(),
    factorTables: new FactorTables(),
    madeWalks: new WalkPositions(MADE_WALKS_MAX),
  };
}

/** Sign-in, and limits on how often it can be tried. */
function signInGuards(clock: Clock, { sharedRates }: ControlStore) {
  return {
    passwords: new Passwords(),
    attempts: new SignInAttempts(clock, sharedRates),
    linkRate: linkRate(clock, sharedRates),
    mailRate: new MailRate(clock),
    changes: changeRate(clock, sharedRates),
    toolRate: toolRate(clock, sharedRates),
  };
}

export interface OpenServices extends Services {
  close(): Promise<void>;
}

/** `installed` is the engine that the lake is kept by. */
export async function openServices(
  config: Config,
  clock: Clock,
  installed = INSTALLED_ENGINE,
): Promise<OpenServices> {
  // Before anything is made in the home.
  const mailer = openMailer(config);
  requireFileSender(config);
  const site = readSite(config.home, offeredOf(config));
  const lake = await openLake(config, clock, installed);
  const catalogs = await openCatalogs(config, lake);
  const store = await openControlStore(config, {
    busyTimeoutMs: BUSY_TIMEOUT_MS,
    reserveBytes: config.storeReserveBytes,
  });
  const upkeep = await StoreUpkeep.begin(store);
  // Reading many keys takes long: no request should wait for it.
  await store.catchUp();
  const usage = await UsageMeter.open({ store, clock, ledgerDays: config.ledgerDays });
  await lake.damaged.watch();
  const lakeUpkeep = new RepeatedWork(() => lake.publisher.tidy(config), TIDY_EVERY_MS);
  const metrics = new RequestMetrics();
  const engine = observedEngine(await installed.openReader(config), metrics);
  const unsent = new UnsentBytes(config);
  const gate = new QueryGate(config, unsent);
  const spool = openAnswerSpool(config);
  const connectionsMax = affordableConnections(config.connectionsMax, openFilesMax());
  const connections = new OpenConnections({ ...config, connectionsMax });
  const delivery = await openDelivery(config, store);
  const made = [delivery.files, delivery.bulkSpool];
  const uploads = new Uploads({
    ...{ ...config, clock, load: loadInProcess(config) },
    derive: deriveAfterUploads(config, catalogs.current),
  });
  return {
    config,
    clock,
    catalog: catalogs.current,
    catalogs,
    lake,
    uploads,
    engine,
    gate,
    pages: new PageCache(config),
    pageRates: new PageRates(),
    spool,
    site,
    samples: new KeptSamples<StaticAnswer>(),
    ...memories(),
    receiptKeys: openReceiptKeys(config.home, store.sharedSecrets),
    ...delivery,
    connections,
    unsent,
    store,
    upkeep,
    lakeUpkeep,
    usage,
    ...signInGuards(clock, store),
    mailer,
    metrics,
    board: new RequestBoard(),
    close: () =>
      closeAll([uploads, ...made, engine, spool, lakeUpkeep, lake, upkeep.looks, usage, store]),
  };
}
