/**
 * A process for tests to kill: makes one backup after another, or restores the last one. Prints
 * `begun` when it begins. Arguments: `backup` or `restore`, the home, the folder of backups.
 */
import { backUp } from '../../src/backup/back-up.ts';
import { BackupFolder } from '../../src/backup/backup-folder.ts';
import { restore } from '../../src/backup/restore.ts';
import { systemClock } from '../../src/base/clock.ts';
import { BACKUP_TOOLS, openControlStore, openHomeIndex } from '../../src/open-home.ts';

const [act = '', home = '', path = ''] = process.argv.slice(2);
const { signal } = new AbortController();
const onProgress = () => undefined;

async function backUpForever(): Promise<void> {
  const store = await openControlStore({ home: home });
  const index = openHomeIndex(home);
  const storage = BACKUP_TOOLS.openStorage(home);
  const sources = { home, definitions: null, store, index, storage };
  process.stdout.write('begun\n');
  for (;;) {
    const { folder, lock } = BackupFolder.prepare(path, home, BACKUP_TOOLS);
    const options = { clock: systemClock, keepCount: 3, signal, onProgress };
    await backUp(sources, folder, BACKUP_TOOLS, options);
    lock.release();
  }
}

async function restoreLast(): Promise<void> {
  const folder = BackupFolder.find(path, BACKUP_TOOLS);
  process.stdout.write('begun\n');
  const snapshot = folder.snapshotOf(undefined);
  await restore(folder, BACKUP_TOOLS, { snapshot, home, signal, onProgress });
}

await (act === 'backup' ? backUpForever() : restoreLast());
