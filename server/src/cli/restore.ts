/** `ticklake restore`: makes a home of a backup. */
import { BackupFolder } from '../backup/backup-folder.ts';
import { restore as restoreSnapshot } from '../backup/restore.ts';
import { UsageError } from '../base/errors.ts';
import { counted } from '../base/printable.ts';
import { BACKUP_TOOLS, openControlStore, requireStoreInHome } from '../open-home.ts';
import { noteAct } from './audited-act.ts';
import { backupPath, SNAPSHOT_OPTION } from './backup.ts';
import type { Command, CommandContext } from './command.ts';
import { EXIT } from './exit-codes.ts';

import { ProgressBar } from './progress-bar.ts';

function requireFolder({ lakeAddress }: CommandContext['config']): void {
  if (lakeAddress === null) return;
  throw new UsageError(
    'parts are restored to a folder: unset TICKLAKE_LAKE, and move them afterwards ' +
      'as docs/object-storage.md says',
  );
}

async function restoreHome(context: CommandContext, folder: BackupFolder, snapshot: string) {
  const { config, clock, signal, terminal } = context;
  const { home } = config;
  const bar = new ProgressBar(terminal, () => clock.now());
  const onProgress = (step: string, share: number) => bar.update(step, share);
  const options = { signal, onProgress };
  const lock = folder.lockForReading();
  const report = await restoreSnapshot(folder, snapshot, home, BACKUP_TOOLS, options).finally(
    () => {
      bar.clear();
      lock.release();
    },
  );
  const store = await openControlStore(config);
  try {
    // Some were ended or used after the backup, which nobody can tell.
    await store.transaction(async ({ sessions, personLinks }) => {
      await sessions.deleteOver(Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER);
      await personLinks.deleteAll();
    });
    await noteAct(store, context, 'restore', { folder: folder.path, snapshot });
  } finally {
    await store.close();
  }
  return report;
}

export const restore: Command = {
  name: ['restore'],
  summary: 'create a new home from a backup',
  usage: '<dir>',
  options: { at: SNAPSHOT_OPTION },
  run: async (context, values, positionals) => {
    requireFolder(context.config);
    requireStoreInHome(context.config);
    const folder = BackupFolder.find(backupPath('restore', positionals), BACKUP_TOOLS);
    const snapshot = folder.snapshotOf(values.at as string | undefined);
    const { home } = context.config;
    const report = await restoreHome(context, folder, snapshot);
    const { partCount, storedByteCount, takenAt } = report;
    const text =
      `Restored ${home} as of ${takenAt}: ${counted(partCount, 'part')} of ` +
      `${counted(storedByteCount, 'byte')}.\nNext: ${context.commandLine('serve')}\n`;
    return { value: { home, ...report }, text, exitCode: EXIT.done };
  },
};
