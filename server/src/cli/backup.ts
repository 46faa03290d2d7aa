/** `ticklake backup`: copies a home while it is used, lists and checks the copies, restores one. */
import { type BackupReport, backUp } from '../backup/back-up.ts';
import { BackupFolder } from '../backup/backup-folder.ts';
import { checkSnapshot } from '../backup/check-backup.ts';
import { restore as restoreSnapshot } from '../backup/restore.ts';
import { UsageError } from '../base/errors.ts';
import { failureText } from '../base/failure-text.ts';
import { counted } from '../base/printable.ts';
import {
  BACKUP_TOOLS,
  findControlStore,
  openControlStore,
  openHomeIndex,
  openStorage,
  requirePartsInFiles,
  requireStoreInHome,
} from '../open-home.ts';
import { noteAct } from './audited-ingest.ts';
import {
  type Command,
  type CommandContext,
  EXIT,
  type OptionValues,
  refuseArguments,
} from './command.ts';
import { ProgressBar } from './progress-bar.ts';
import { alignedTable } from './text.ts';

export const SNAPSHOT_OPTION = {
  type: 'string',
  valueName: 'SNAPSHOT',
  description: 'the snapshot of this name (default: the last one)',
} as const;

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
  const report = await restoreSnapshot(folder, BACKUP_TOOLS, {
    snapshot,
    home,
    ...options,
  }).finally(() => {
    bar.clear();
    lock.release();
  });
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

const KEEP_MAX = 10_000;

/** The one argument of the commands about backups. */
export function backupPath(words: string, positionals: readonly string[]): string {
  const [path] = positionals;
  if (path !== undefined && positionals.length === 1) return path;
  throw new UsageError(`name one folder of backups: ticklake ${words} <dir>`);
}

function keepCountOf({ keep }: OptionValues): number | null {
  if (keep === undefined) return null;
  const count = /^\d{1,6}$/.test(keep as string) ? Number(keep) : 0;
  if (count >= 1 && count <= KEEP_MAX) return count;
  throw new UsageError(`--keep must be a whole number from 1 to ${KEEP_MAX}, not ${keep}`);
}

/** Only a home that is one: a mistyped one would be backed up as an empty one. */
function requireHome(config: CommandContext['config']): void {
  requireStoreInHome(config);
  requirePartsInFiles(config);
  const { exists, path } = findControlStore(config);
  if (exists) return;
  throw new UsageError(`there is no store at ${path}; name the home to back up with --home`);
}

function textOf(folder: string, report: BackupReport): string {
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
  return lines.map((line) => `${line}\n`).join('');
}

async function makeBackup(
  context: CommandContext,
  path: string,
  keepCount: number | null,
): Promise<BackupReport> {
  const { config, clock, signal, terminal } = context;
  const { home } = config;
  const bar = new ProgressBar(terminal, () => clock.now());
  const { folder, lock } = BackupFolder.prepare(path, home, BACKUP_TOOLS);
  const store = await openControlStore(config);
  const index = openHomeIndex(home);
  try {
    const storage = await openStorage(config);
    const report = await backUp({ home, store, index, storage }, folder, BACKUP_TOOLS, {
      ...{ clock, keepCount, signal },
      onProgress: (step, share) => bar.update(step, share),
    });
    const { snapshot, removedSnapshots } = report;
    await noteAct(store, context, 'backup', {
      ...{ folder: folder.path, snapshot, removed_snapshots: removedSnapshots },
    });
    return report;
  } finally {
    bar.clear();
    await index.close();
    await store.close();
    lock.release();
  }
}

export const backup: Command = {
  name: ['backup'],
  summary: 'copy a home, also while it is served, to a folder of backups',
  usage: '<dir>',
  options: {
    keep: {
      type: 'string',
      valueName: 'N',
      description: 'remove all but the last N snapshots afterwards (default: keep all)',
    },
  },
  run: async (context, values, positionals) => {
    const path = backupPath('backup', positionals);
    const keepCount = keepCountOf(values);
    requireHome(context.config);
    const report = await makeBackup(context, path, keepCount);
    return { value: report, text: textOf(path, report), exitCode: EXIT.done };
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

const LIST_TABLE = [
  { title: 'SNAPSHOT', align: 'left' },
  { title: 'TAKEN', align: 'left' },
  { title: 'PARTS', align: 'right' },
  { title: 'BYTES', align: 'right' },
  { title: 'HOME', align: 'left' },
] as const;

const number = (value: number | null) => value?.toLocaleString('en-US') ?? '-';

/** For a store that `ticklake backup` does not copy. */
export const backupNote: Command = {
  name: ['backup', 'note'],
  summary: 'note that the database was backed up by its own tools, for its age in metrics',
  usage: '',
  options: {},
  run: async (context, _values, positionals) => {
    refuseArguments('backup note', positionals);
    if (!context.config.store) {
      throw new UsageError(
        'the store is in the home, whose backups ticklake backup makes and notes',
      );
    }
    const store = await openControlStore(context.config);
    await noteAct(store, context, 'backup', {}).finally(() => store.close());
    return { value: {}, text: 'Noted.\n', exitCode: EXIT.done };
  },
};

export const backupList: Command = {
  name: ['backup', 'list'],
  summary: 'list the snapshots in a folder of backups',
  usage: '<dir>',
  options: {},
  run: async (_context, _values, positionals) => {
    const folder = BackupFolder.find(backupPath('backup list', positionals), BACKUP_TOOLS);
    const snapshots = folder.snapshots().map((name) => listed(folder, name));
    const cells = snapshots.map(
      ({ snapshot, takenAt, partCount, storedByteCount, home, problem }) => [
        ...[snapshot, takenAt ?? '-', number(partCount), number(storedByteCount)],
        home ?? problem ?? '-',
      ],
    );
    const text = alignedTable(LIST_TABLE, cells);
    return { value: { snapshots }, text, exitCode: EXIT.done };
  },
};

export const backupVerify: Command = {
  name: ['backup', 'verify'],
  summary: 'read a snapshot again and report what is missing, cut off or altered',
  usage: '<dir>',
  options: { at: SNAPSHOT_OPTION },
  run: async ({ signal, terminal, clock }, values, positionals) => {
    const folder = BackupFolder.find(backupPath('backup verify', positionals), BACKUP_TOOLS);
    const snapshot = folder.snapshotOf(values.at as string | undefined);
    const bar = new ProgressBar(terminal, () => clock.now());
    const onProgress = (share: number) => bar.update('reading parts', share);
    const lock = folder.lockForReading();
    const check = await checkSnapshot(folder, snapshot, { signal, onProgress }).finally(() => {
      bar.clear();
      lock.release();
    });
    const { problems, partCount } = check;
    const lines =
      problems.length > 0
        ? problems
        : [`Snapshot ${snapshot} is whole: ${counted(partCount, 'part')}.`];
    return {
      value: check,
      text: lines.map((line) => `${line}\n`).join(''),
      exitCode: problems.length > 0 ? EXIT.refused : EXIT.done,
    };
  },
};
