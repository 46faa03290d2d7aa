/** Finds what alerts are told of, for a server or for a command beside it. */
import { lastBackupMs } from '../backup/last-backup.ts';
import { diskBytes, freeBytes } from '../base/disk-problem.ts';
import type { Catalog, Dataset } from '../catalog/dataset.ts';
import { datasetStatus } from '../lake/dataset-status.ts';
import type { Lake } from '../lake/lake.ts';
import type { ControlStore, StoreReader } from '../store/control-store.ts';
import type { AlertState, RefusedAccount, RefusedLoad, WatchedDataset } from './alerts.ts';
import type { Readiness } from './readiness.ts';

/** Accounts whose refused requests are told. */
const REFUSED_ACCOUNTS_MAX = 100;
const DAY_MS = 86_400_000;

export interface AlertSources {
  readonly store: StoreReader & Pick<ControlStore, 'sharedSecrets'>;
  readonly lake: Lake;
  readonly catalog: Catalog;
  readonly config: { readonly home: string };
}

async function watched(lake: Lake, dataset: Dataset, nowMs: number): Promise<WatchedDataset> {
  const { datasetId, name } = dataset;
  const snapshot = await lake.snapshot(datasetId);
  const publication = await lake.publicationStatus(datasetId);
  return {
    ...{ datasetId, name, publication },
    status: datasetStatus(dataset, snapshot, publication, nowMs),
  };
}

async function refusedLoads({ ledger }: Lake): Promise<RefusedLoad[]> {
  const ids = await ledger.refusedLoads();
  const records = await Promise.all(ids.map((id) => ledger.publication(id)));
  return records.flatMap((record) => {
    const [dataset] = record?.datasets ?? [];
    if (!record || !dataset) return [];
    const { publicationId, message, finishedAt, sources } = record;
    const file = sources[0]?.name ?? null;
    return [{ publicationId, datasetId: dataset.datasetId, file, message, finishedAt }];
  });
}

/** Since midnight, UTC. */
async function refusedToday(store: StoreReader, nowMs: number): Promise<RefusedAccount[]> {
  const midnightMs = Math.floor(nowMs / DAY_MS) * DAY_MS;
  const refused = await store.usage.listRefused(midnightMs, REFUSED_ACCOUNTS_MAX);
  return await Promise.all(
    refused.map(async (each) => ({
      ...each,
      name: (await store.identities.find(each.identityId))?.name ?? '',
    })),
  );
}

/** `readiness`: of the server; null where none is asked. */
export async function alertState(
  { store, lake, catalog, config: { home } }: AlertSources,
  readiness: Pick<Readiness, 'problems' | 'warnings'> | null,
  nowMs: number,
): Promise<AlertState> {
  return {
    nowMs,
    datasets: await Promise.all(catalog.datasets.map((each) => watched(lake, each, nowMs))),
    refusedLoads: await refusedLoads(lake),
    problems: readiness?.problems ?? [],
    // Free disk space has an alert of its own.
    warnings: readiness?.warnings.filter(({ part }) => part !== 'disk') ?? [],
    freeBytes: freeBytes(home),
    diskBytes: diskBytes(home),
    lastBackupMs: await lastBackupMs(home, store),
    refused: await refusedToday(store, nowMs),
  };
}
