/** Alerts of owners, from a table of sources. */

import * as v from 'valibot';
import { lastBackupMs } from '../backup/back-up.ts';
import { isoSeconds } from '../base/clock.ts';
import { DISK_LOW_BYTES, diskBytes, freeBytes } from '../base/disk-problem.ts';
import { counted, firstNames } from '../base/printable.ts';
import type { Catalog, Dataset } from '../catalog/dataset.ts';
import { type DatasetStatus, datasetStatus } from '../lake/dataset-status.ts';
import type { Lake, PublicationStatus } from '../lake/lake.ts';
import { type Answer, integer, text, time } from '../schema/answer.ts';
import type { ControlStore, StoreReader } from '../store/control-store.ts';
import type { NotedLoad as NotedDatasets, PublicationRecord } from '../store/publications.ts';
import type { RefusedUsage } from '../store/usage.ts';
import type { PartProblem, Readiness } from './readiness.ts';

/** Accounts whose refused requests are told. */
const REFUSED_ACCOUNTS_MAX = 100;

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

function warningText({ checks }: PublicationRecord): string {
  const warnings = checks.filter(({ severity }) => severity === 'warn');
  return warnings.map(({ name, examples: [found] }) => `${name}; found ${found}`).join('; ');
}

async function readNotedLoads({ ledger }: Lake): Promise<NotedLoad[]> {
  const noted = await ledger.notedLoads();
  const found = await Promise.all(
    noted.map(async (load) => ({ ...load, record: await ledger.publication(load.publicationId) })),
  );
  return found.flatMap(({ record, ...load }) => {
    if (!record || record.state === 'rolled_back') return [];
    const { state, finishedAt, sources } = record;
    const isRefused = state !== 'published';
    const message = isRefused ? record.message : warningText(record);
    const own = sources.filter(({ datasetId }) => load.datasetIds.includes(datasetId));
    const names = own.map(({ name }) => name);
    const isNamed = names.some((name) => message?.includes(name));
    const file = isNamed ? '' : firstNames(names, 1);
    return [{ ...load, isRefused, file, message, finishedAt }];
  });
}

/** Since midnight, UTC. */
async function refusedToday(store: StoreReader, nowMs: number): Promise<RefusedAccount[]> {
  const midnightMs = Math.floor(nowMs / DAY_MS) * DAY_MS;
  const refused = await store.usage.listRefused(midnightMs, REFUSED_ACCOUNTS_MAX);
  return await Promise.all(
    refused.map(async (each) => ({
      ...each,
      name: (await store.accounts.find(each.accountId))?.name ?? '',
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
    notedLoads: await readNotedLoads(lake),
    problems: readiness?.problems ?? [],
    // Free disk space has an alert of its own.
    warnings: readiness?.warnings.filter(({ part }) => part !== 'disk') ?? [],
    freeBytes: freeBytes(home),
    diskBytes: diskBytes(home),
    lastBackupMs: await lastBackupMs(home, store),
    refused: await refusedToday(store, nowMs),
  };
}

export const ALERT_SEVERITIES = ['critical', 'warning'] as const;
type AlertSeverity = (typeof ALERT_SEVERITIES)[number];

export interface WatchedDataset extends Pick<Dataset, 'datasetId' | 'name'> {
  readonly status: Pick<DatasetStatus, 'code' | 'nextExpectedUpdate'>;
  readonly publication: PublicationStatus;
}

/** A load that was refused, or published with warnings, and whose dates have not come since. */
interface NotedLoad extends Omit<NotedDatasets, 'unreadFiles'> {
  readonly isRefused: boolean;
  /** The first of its files, and how many more; empty: none was read, or the message names one. */
  readonly file: string;
  readonly message: string | null;
  readonly finishedAt: string | null;
}

export interface RefusedAccount extends RefusedUsage {
  /** Empty of an account that there is no more. */
  readonly name: string;
}

/** The state that alerts are made from. Times are milliseconds since 1970. */
export interface AlertState {
  readonly nowMs: number;
  readonly datasets: readonly WatchedDataset[];
  readonly notedLoads: readonly NotedLoad[];
  /** Problems of the server that is asked. */
  readonly problems: readonly PartProblem[];
  readonly warnings: readonly PartProblem[];
  /** Free bytes on the disk of the home. */
  readonly freeBytes: number;
  readonly diskBytes: number;
  /** Null: no backup is noted in the home. */
  readonly lastBackupMs: number | null;
  /** Accounts refused today (UTC), most refusals first. */
  readonly refused: readonly RefusedAccount[];
}

export const ALERT_KINDS = [
  'service_problem',
  'dataset_failed',
  'load_refused',
  'disk_low',
  'service_warning',
  'load_warned',
  'dataset_late',
  'backup_old',
  'quota_refusals',
] as const;
type AlertKind = (typeof ALERT_KINDS)[number];

/** As administrators are told of it. */
const ALERT = v.strictObject({
  severity: v.picklist(ALERT_SEVERITIES),
  kind: v.picklist(ALERT_KINDS),
  text,
  since: v.nullable(time),
  dataset_id: v.nullable(text),
  identity_id: v.nullable(integer),
});
export const ALERT_LIST = v.array(ALERT);
type AlertList = Answer<typeof ALERT_LIST>;

/** The problem in a sentence; the members that are absent are null. */
type FoundAlert = Pick<AlertList[number], 'severity' | 'text'> & Partial<AlertList[number]>;

const DAY_MS = 86_400_000;
const BACKUP_AGE_DAYS_MAX = 2;
/** Share of the disk below which somebody should make room. */
const DISK_FREE_SHARE_MIN = 0.05;

const MIB_BYTES = 1024 ** 2;

const PART_NAMES: Readonly<Record<PartProblem['part'], string>> = {
  server: 'Server',
  store: 'Store',
  lake: 'Lake',
  engine: 'Engine',
  disk: 'Disk',
};

function partAlerts(severity: AlertSeverity, problems: readonly PartProblem[]): FoundAlert[] {
  return problems.map(({ part, text }) => ({ severity, text: `${PART_NAMES[part]}: ${text}` }));
}

const DATASETS_SHOWN = 3;
/** A message that names a file which could not be read, and is none of the sources of its load. */
const NAMES_FILE = /\.\w+:/;

const namesText = ([first = '', ...others]: readonly string[]) =>
  others.length > 0 ? `${first} and ${counted(others.length, 'other dataset')}` : first;

/** Datasets that failed together, by one publication, are told once. */
function failedDatasets({ datasets }: AlertState): FoundAlert[] {
  const failed = datasets.filter(
    ({ status, publication }) => status.code === 'failed' && !publication.isNoted,
  );
  const groups = Map.groupBy(failed, ({ publication: { finishedAt, message }, datasetId }) =>
    finishedAt === null ? datasetId : `${finishedAt} ${message}`,
  );
  return [...groups.values()].flatMap((group) => {
    const [first, ...others] = group;
    if (!first) return [];
    const { state, startedAt, finishedAt, message } = first.publication;
    const ended = state === 'refused' ? 'was refused' : 'failed';
    const reason = message === null ? '' : `: ${message}`;
    const names = namesText(group.map(({ name }) => name));
    const text = `${names}: ${others.length > 0 ? 'their' : 'its'} last publication ${ended}${reason}`;
    const since = finishedAt ?? startedAt;
    return [{ severity: 'critical', text, since, dataset_id: first.datasetId }];
  });
}

function notedLoads(state: AlertState, isRefused: boolean): FoundAlert[] {
  const [severity, ended] = isRefused
    ? (['critical', 'was refused, and not all of its dates have come since'] as const)
    : (['warning', 'was published with a warning'] as const);
  const loads = state.notedLoads.filter((load) => load.isRefused === isRefused);
  return loads.map(({ publicationId, datasetIds, file, message, finishedAt }) => {
    const named = state.datasets.filter(({ datasetId }) => datasetIds.includes(datasetId));
    const names = firstNames(
      named.map(({ name }) => name),
      DATASETS_SHOWN,
    );
    const isNamed = file === '' || (isRefused && NAMES_FILE.test(message ?? ''));
    const what = isNamed ? '' : ` of ${file}`;
    const load =
      names === ''
        ? `Load ${publicationId} was refused`
        : `${names}: load ${publicationId}${what} ${ended}`;
    const text = `${load}: ${message}`;
    return { severity, text, since: finishedAt, dataset_id: named[0]?.datasetId ?? null };
  });
}

function lateDataset({ datasetId, name, status }: WatchedDataset): FoundAlert[] {
  if (status.code !== 'late') return [];
  const since = status.nextExpectedUpdate;
  const text = `${name}: its update is late`;
  return [{ severity: 'warning', text, since, dataset_id: datasetId }];
}

function lowDisk({ freeBytes, diskBytes }: AlertState): FoundAlert[] {
  const isCritical = freeBytes < DISK_LOW_BYTES;
  if (!isCritical && freeBytes >= diskBytes * DISK_FREE_SHARE_MIN) return [];
  const share = Math.floor((freeBytes / diskBytes) * 100);
  const free = `${Math.floor(freeBytes / MIB_BYTES).toLocaleString('en-US')} MiB`;
  const text = `Only ${free} (${share}%) of the disk that holds the home is free`;
  return [{ severity: isCritical ? 'critical' : 'warning', text }];
}

function oldBackup({ nowMs, lastBackupMs }: AlertState): FoundAlert[] {
  if (lastBackupMs === null) return [];
  const days = Math.floor((nowMs - lastBackupMs) / DAY_MS);
  if (days < BACKUP_AGE_DAYS_MAX) return [];
  const text = `The last backup was taken ${counted(days, 'day')} ago`;
  return [{ severity: 'warning', text, since: isoSeconds(lastBackupMs) }];
}

/** Each looks at a part of what was found. */
const SOURCES: Readonly<Record<AlertKind, (state: AlertState) => readonly FoundAlert[]>> = {
  service_problem: ({ problems }) => partAlerts('critical', problems),
  dataset_failed: failedDatasets,
  load_refused: (state) => notedLoads(state, true),
  disk_low: lowDisk,
  service_warning: ({ warnings }) => partAlerts('warning', warnings),
  load_warned: (state) => notedLoads(state, false),
  dataset_late: ({ datasets }) => datasets.flatMap(lateDataset),
  backup_old: oldBackup,
  quota_refusals: ({ refused }) =>
    refused.map(({ accountId, name, requestCount, lastAtMs }) => ({
      severity: 'warning',
      text: `${name || `Account ${accountId}`}: a limit refused ${counted(requestCount, 'request')} today, the last one at ${isoSeconds(lastAtMs)}`,
      identity_id: accountId,
    })),
};

/** Critical ones first, then in the order of their kinds. */
export function alertsOf(state: AlertState): AlertList {
  const found = ALERT_KINDS.flatMap((kind) =>
    SOURCES[kind](state).map(
      ({ severity, text, since = null, dataset_id = null, identity_id = null }) => {
        return { severity, kind, text, since, dataset_id, identity_id };
      },
    ),
  );
  return ALERT_SEVERITIES.flatMap((severity) =>
    found.filter((alert) => alert.severity === severity),
  );
}
