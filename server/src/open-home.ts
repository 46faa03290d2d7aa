/** Opens the stores and the lake of a home. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BackupTools } from './backup/backup-folder.ts';
import type { Clock } from './base/clock.ts';
import { UsageError } from './base/errors.ts';
import {
  CONTROL_STORE_FILE,
  DEPLOYMENT_FILE,
  LAKE_INDEX_FILE,
  RESTORE_MARK_FILE,
} from './base/home-layout.ts';
import { localActor } from './base/local-actor.ts';
import { makeFolder } from './base/make-folder.ts';
import type { PartStorage } from './engine/engine.ts';
import {
  FileControlStore,
  type FileStoreOptions,
  INSTALLED_ENGINE,
  isCluster,
  lakePlaceName,
  NOT_IN_FILES,
  openFileIndex,
  openInstalledIndexCopy,
  openSharedIndex,
  PARTS_NOT_IN_FILES,
  SharedControlStore,
  type StoreAddress,
  tryLockFile,
} from './installed.ts';
import { Lake } from './lake/lake.ts';
import type { OpenPublicationLimits } from './lake/settings.ts';
import { KeyFiles, ReceiptKeys, SharedKeys } from './receipts/receipt-keys.ts';
import type { ControlStore } from './store/control-store.ts';
import type { LakeIndex } from './store/lake-index.ts';
import type { SharedSecrets } from './store/shared.ts';

type StorageConfig = Parameters<typeof INSTALLED_ENGINE.openStorage>[0];

function storePath(home: string): string {
  return join(home, CONTROL_STORE_FILE);
}

/** Throws a `UsageError` where a home is being restored, or that has died on the way. */
function requireWhole(home: string): void {
  if (!existsSync(join(home, RESTORE_MARK_FILE))) return;
  throw new UsageError(
    `${home} is not restored yet; wait for ticklake restore to end, or run it again if it has died`,
  );
}

/** The place of a home's control store. */
export interface StorePlace {
  readonly home: string;
  /** Null or missing: in a file of the home. */
  readonly store?: StoreAddress | null;
  readonly storeGraceMs?: number;
}

/** Says if a home has a control store, and the path where it is or would be. */
export function findControlStore({ home, store }: StorePlace): {
  readonly exists: boolean;
  readonly path: string;
} {
  const path = storePath(home);
  return { exists: store != null || existsSync(path), path };
}

/** Throws a `UsageError` where the files of a home are not all of it. */
export function requireStoreInHome({ store }: StorePlace): void {
  if (store) throw new UsageError(NOT_IN_FILES);
}

/** Throws a `UsageError` where parts lie in what no command copies to files. */
export function requirePartsInFiles({ lakeAddress }: Partial<StorageConfig>): void {
  if (!isCluster(lakeAddress)) return;
  throw new UsageError(PARTS_NOT_IN_FILES);
}

/**
 * Notes in a home whose store it is used with, and throws a `UsageError` where that was another's:
 * keys and ledger would not belong to what the home has published.
 */
export function requireSameDeployment(home: string, deploymentId: string): void {
  const file = join(home, DEPLOYMENT_FILE);
  const known = existsSync(file) ? readFileSync(file, 'utf8') : null;
  if (known === null) {
    makeFolder(home, 0o700);
    writeFileSync(file, `${deploymentId}\n`);
  } else if (known.trim() !== deploymentId) {
    throw new UsageError(
      `${home} belongs to another deployment than the store that TICKLAKE_STORE names; ` +
        `name another home, or remove ${file} if they belong together`,
    );
  }
}

async function openSharedStore(
  address: StoreAddress,
  { home, storeGraceMs = 0 }: StorePlace,
): Promise<ControlStore> {
  const store = await SharedControlStore.open(address, { graceMs: storeGraceMs });
  try {
    requireSameDeployment(home, store.deploymentId);
    return store;
  } catch (error) {
    await store.close();
    throw error;
  }
}

/**
 * Opens or creates the control store of a home. Rejects with a `UsageError` that says what to
 * change where that is possible.
 */
export async function openControlStore(
  place: StorePlace,
  options: FileStoreOptions = {},
): Promise<ControlStore> {
  const { home, store } = place;
  requireWhole(home);
  if (store) return openSharedStore(store, place);
  return new FileControlStore(storePath(home), options);
}

/** Throws a `UsageError` where a home has no store: a mistyped one is not made. */
export function requireStore(place: StorePlace): void {
  requireWhole(place.home);
  if (!findControlStore(place).exists) throw noHomeAt(place);
}

export function noHomeAt({ home }: Pick<StorePlace, 'home'>): UsageError {
  return new UsageError(`there is no home at ${home}; name another, or run ticklake init`);
}

/** As `openControlStore`, of a home that has a store. */
export async function openExistingStore(place: StorePlace): Promise<ControlStore> {
  requireStore(place);
  return await openControlStore(place);
}

/**
 * Has a home know the deployment whose store it shares: object storage keeps deployments apart by
 * it. Rejects as `openControlStore` does.
 */
export async function noteDeployment(place: StorePlace): Promise<void> {
  if (!place.store) return;
  const store = await openControlStore(place);
  await store.close();
}

const fileIndex = (home: string): LakeIndex => openFileIndex(join(home, LAKE_INDEX_FILE));

/** Opens or creates the index of the lake that lies in a file of a home. */
export function openHomeIndex(home: string): LakeIndex {
  requireWhole(home);
  return fileIndex(home);
}

/** Opens or creates the lake's index, in the home or in the shared store. Rejects as that does. */
export async function openLakeIndex(place: StorePlace): Promise<LakeIndex> {
  const { home, store, storeGraceMs = 0 } = place;
  requireWhole(home);
  return store ? await openSharedIndex(store, { graceMs: storeGraceMs }) : openHomeIndex(home);
}

/** The signing keys of receipts, in the shared store or in files of the home. */
export function openReceiptKeys(home: string, secrets: SharedSecrets | null = null): ReceiptKeys {
  return new ReceiptKeys(secrets ? new SharedKeys(secrets) : new KeyFiles(home, tryLockFile));
}

/** How backups of homes are opened, and what is restored: parts of both lie in folders. */
export const BACKUP_TOOLS: BackupTools = {
  openStorage: (home) => INSTALLED_ENGINE.openStorage({ home }, tryLockFile),
  openIndexCopy: openInstalledIndexCopy,
  openIndex: fileIndex,
  tryLock: tryLockFile,
};

/** The part storage of a home, for commands without a lake. */
export async function openStorage(config: StorageConfig & StorePlace): Promise<PartStorage> {
  await noteDeployment(config);
  const storage = INSTALLED_ENGINE.openStorage(config, tryLockFile);
  await storage.ready?.();
  return storage;
}

/** As `Lake.open` says. Settings that are missing have their defaults. */
export async function openLake(
  config: StorageConfig & StorePlace & Partial<OpenPublicationLimits>,
  clock: Clock,
  engine = INSTALLED_ENGINE,
): Promise<Lake> {
  const { home } = config;
  await noteDeployment(config);
  const storage = engine.openStorage(config, tryLockFile);
  await storage.ready?.();
  const index = await openLakeIndex(config);
  const place = lakePlaceName(config.lakeAddress ?? null);
  return await Lake.open({
    home,
    index,
    storage,
    place,
    clock,
    actor: localActor(),
    limits: config,
  });
}
