/** Opens the stores and the lake of a home. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { BackupTools } from './backup/backup-folder.ts';
import type { Clock } from './base/clock.ts';
import { UsageError } from './base/errors.ts';
import { CONTROL_STORE_FILE, LAKE_INDEX_FILE, RESTORE_MARK_FILE } from './base/home-layout.ts';
import { localActor } from './base/local-actor.ts';
import type { PartStorage } from './engine/engine.ts';
import {
  type ControlStoreOptions,
  INSTALLED_ENGINE,
  InstalledControlStore,
  InstalledLakeIndex,
  openInstalledIndexCopy,
  tryLockFile,
} from './installed.ts';
import { Lake } from './lake/lake.ts';
import type { OpenPublicationLimits } from './lake/settings.ts';
import { ReceiptKeys } from './receipts/receipt-keys.ts';
import type { ControlStore } from './store/control-store.ts';
import type { LakeIndex } from './store/lake-index.ts';

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

/** Whether a home has a control store; the path at which there would be one. */
export function findControlStore(home: string): {
  readonly exists: boolean;
  readonly path: string;
} {
  const path = storePath(home);
  return { exists: existsSync(path), path };
}

/** Opens or creates the control store of a home. */
export function openControlStore(home: string, options: ControlStoreOptions = {}): ControlStore {
  requireWhole(home);
  return new InstalledControlStore(storePath(home), options);
}

/** Opens or creates the index of the lake of a home. */
export function openLakeIndex(home: string): LakeIndex {
  requireWhole(home);
  return new InstalledLakeIndex(join(home, LAKE_INDEX_FILE));
}

/** The keys that receipts of a home are signed with. */
export function openReceiptKeys(home: string): ReceiptKeys {
  return new ReceiptKeys(home, tryLockFile);
}

/** How backups of homes are opened, and what is restored: parts of both lie in folders. */
export const BACKUP_TOOLS: BackupTools = {
  openStorage: (home) => INSTALLED_ENGINE.openStorage({ home }, tryLockFile),
  openIndexCopy: openInstalledIndexCopy,
  tryLock: tryLockFile,
};

/** Where the parts of a home lie, whichever commands look at them beside a lake. */
export async function openStorage(config: StorageConfig): Promise<PartStorage> {
  const storage = INSTALLED_ENGINE.openStorage(config, tryLockFile);
  await storage.ready?.();
  return storage;
}

/** As `Lake.open` says. Settings that are missing have their defaults. */
export async function openLake(
  config: StorageConfig & Partial<OpenPublicationLimits>,
  clock: Clock,
  engine = INSTALLED_ENGINE,
): Promise<Lake> {
  const { home } = config;
  const storage = engine.openStorage(config, tryLockFile);
  await storage.ready?.();
  const index = openLakeIndex(home);
  return await Lake.open({ home, index, storage, clock, actor: localActor(), limits: config });
}
