/** `ticklake backup`: copies a home while it is used, lists and checks the copies, restores one. */
import { type BackupReport, backUp } from '../backup/back-up.ts';
import { BackupFolder } from '../backup/backup-folder.ts';
import { checkSnapshot, restore as restoreSnapshot } from '../backup/restore.ts';
import { UsageError } from '../base/errors.ts';
import { failureText } from '../base/failure-text.ts';
import { counted } from '../base/printable.ts';
import {
  BACKUP_TOOLS,
  openControlStore,
  openHomeIndex,
  openStorage,
  requirePartsInFiles,
  requireStore,
  requireStoreInHome,
} from '../open-home.ts';
import { noteAct } from './audited-ingest.ts';
import {
  type Command,
  type CommandContext,
  EXIT,
  option,
  textOf,
  wholeNumberOf,
} from './command.ts';
import { alignedTable, countText, left, linesText, right } from './text.ts';

const SNAPSHOT_OPTION = option('SNAPSHOT', 'the snapshot of this name (default: the last one)');

function requireFolder({ lakeAddress }: CommandContext['config']): void {
  if (lakeAddress === null) return;
  throw new UsageError(
    'parts are restored to a folder: unset TICKLAKE_LAKE, and move them afterwards ' +
      'as docs/object-storage.md says',
  );
}

async function restoreHome(context: CommandContext, folder: BackupFolder, snapshot: string) {
  const { config, signal, onProgress, closing } = context;
  const { home } = config;
  closing(folder.lockForReading());
  const asked = { snapshot, home, signal, onProgress };
  const report = await restoreSnapshot(folder, BACKUP_TOOLS, asked);
  const store = closing(await openControlStore(config));
  // Some were ended or used after the backup, which nobody can tell.
  await store.transaction(async ({ sessions, personLinks }) => {
    await sessions.deleteOver(Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER);
    await personLinks.deleteAll();
  });
  await noteAct(store, context, { operation: 'restore', after: { folder: folder.path, snapshot } });
  return report;
}

export const restore: Command = {
  name: ['restore'],
  summary: 'create a new home from a backup',
  usage: '<dir>',
  options: { at: SNAPSHOT_OPTION },
  run: async (context, values, [path = '']) => {
    requireFolder(context.config);
    requireStoreInHome(context.config);
    const folder = BackupFolder.find(path, BACKUP_TOOLS);
    const snapshot = folder.snapshotOf(textOf(values, 'at'));
    const { home } = context.config;
    const report = await restoreHome(context, folder, snapshot);
    const { partCount, storedByteCount, takenAt } = report;
    const text =
      `Restored ${home} as of ${takenAt}: ${counted(partCount, 'part')} of ` +
      `${counted(storedByteCount, 'byte')}.\nNext: ${context.commandLine('serve')}\n`;
    return { value: { home, ...report }, text };
  },
};

const KEEP_MAX = 10_000;

function reportText(folder: string, report: BackupReport): string {
  const { snapshot, partCount, storedByteCount, copiedPartCount, copiedByteCount } = report;
  const { leftOut, removedSnapshots, removedPartCount } = report;
  const lines = [
    `Snapshot ${snapshot} in ${folder}: ${counted(partCount, 'part')} of ${counted(storedByteCount, 'byte')}, ` +
      `of which ${counted(copiedPartCount, 'part')} of ${counted(copiedByteCount, 'byte')} were new.`,
    ...leftOut.map((path) => `Left out, because it is too large for a file of a home: ${path}`),
    ...(removedSnapshots.length + removedPartCount > 0
      ? [
          `Removed ${counted(removedSnapshots.length, 'snapshot')} and ` +
            `${counted(removedPartCount, 'part')} that no snapshot needs.`,
        ]
      : []),
  ];
  return linesText(lines);
}

export const backup: Command = {
  name: ['backup'],
  summary: 'copy a home, also while it is served, to a folder of backups',
  usage: '<dir>',
  options: {
    keep: option('N', 'remove all but the last N snapshots afterwards (default: keep all)'),
  },
  run: async (context, values, [path = '']) => {
    const { config, clock, signal, onProgress, closing } = context;
    const keepCount = wholeNumberOf(values, 'keep', { max: KEEP_MAX }) ?? null;
    // A mistyped home would be backed up as an empty one.
    requireStoreInHome(config);
    requirePartsInFiles(config);
    requireStore(config);
    const { home } = config;
    const { folder, lock } = BackupFolder.prepare(path, home, BACKUP_TOOLS);
    closing(lock);
    const store = closing(await openControlStore(config));
    const index = closing(openHomeIndex(home));
    const storage = await openStorage(config);
    const report = await backUp({ home, store, index, storage }, folder, BACKUP_TOOLS, {
      ...{ clock, keepCount, signal, onProgress },
    });
    const { snapshot, removedSnapshots } = report;
    const after = { folder: folder.path, snapshot, removed_snapshots: removedSnapshots };
    await noteAct(store, context, { operation: 'backup', after });
    return { value: report, text: reportText(path, report) };
  },
};

interface Listed {
  readonly snapshot: string;
  readonly takenAt: string | null;
  readonly home: string | null;
  readonly partCount: number | null;
  readonly storedByteCount: number | null;
  /** Why it cannot be restored; null: nothing is seen to be wrong with it. */
  readonly problem: string | null;
}

function listed(folder: BackupFolder, snapshot: string): Listed {
  try {
    const { taken_at, home, parts } = folder.manifestOf(snapshot);
    const counts = { partCount: parts.count, storedByteCount: parts.stored_bytes };
    return { snapshot, takenAt: taken_at, home, ...counts, problem: null };
  } catch (error) {
    const unknown = { takenAt: null, home: null, partCount: null, storedByteCount: null };
    return { snapshot, ...unknown, problem: failureText(error) };
  }
}

const LIST_TABLE = [left('SNAPSHOT'), left('TAKEN'), right('PARTS'), right('BYTES'), left('HOME')];

/** For a store that `ticklake backup` does not copy. */
export const backupNote: Command = {
  name: ['backup', 'note'],
  summary: 'note that the database was backed up by its own tools, for its age in metrics',
  run: async (context) => {
    if (!context.config.store) {
      throw new UsageError(
        'the store is in the home, whose backups ticklake backup makes and notes',
      );
    }
    const store = context.closing(await openControlStore(context.config));
    await noteAct(store, context, { operation: 'backup', after: {} });
    return { value: {}, text: 'Noted.\n' };
  },
};

export const backupList: Command = {
  name: ['backup', 'list'],
  summary: 'list the snapshots in a folder of backups',
  usage: '<dir>',
  run: async (_context, _values, [path = '']) => {
    const folder = BackupFolder.find(path, BACKUP_TOOLS);
    const snapshots = folder.snapshots().map((name) => listed(folder, name));
    const cells = snapshots.map(
      ({ snapshot, takenAt, partCount, storedByteCount, home, problem }) => [
        ...[snapshot, takenAt ?? '-', countText(partCount), countText(storedByteCount)],
        home ?? problem ?? '-',
      ],
    );
    return { value: { snapshots }, text: alignedTable(LIST_TABLE, cells) };
  },
};

export const backupVerify: Command = {
  name: ['backup', 'verify'],
  summary: 'read a snapshot again and report what is missing, cut off or altered',
  usage: '<dir>',
  options: { at: SNAPSHOT_OPTION },
  run: async ({ signal, onProgress, closing }, values, [path = '']) => {
    const folder = BackupFolder.find(path, BACKUP_TOOLS);
    const snapshot = folder.snapshotOf(textOf(values, 'at'));
    closing(folder.lockForReading());
    const check = await checkSnapshot(folder, snapshot, {
      signal,
      onProgress: (share) => onProgress('reading parts', share),
    });
    const { problems, partCount } = check;
    const lines =
      problems.length > 0
        ? problems
        : [`Snapshot ${snapshot} is whole: ${counted(partCount, 'part')}.`];
    return {
      value: check,
      text: linesText(lines),
      exitCode: problems.length > 0 ? EXIT.refused : EXIT.done,
    };
  },
};
