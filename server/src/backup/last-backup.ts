/** The note in a home of its last backup. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { BACKUP_NOTE_FILE } from '../base/home-layout.ts';
import { writeWholeFile } from '../base/write-whole-file.ts';
import type { ControlStore } from '../store/control-store.ts';

export interface LastBackup {
  /** UTC, whole seconds, `Z`. */
  readonly takenAt: string;
  /** Absolute path of the folder of backups. */
  readonly folder: string;
  readonly snapshot: string;
}

export function noteBackup(home: string, { takenAt, folder, snapshot }: LastBackup): void {
  const note = { taken_at: takenAt, folder, snapshot };
  writeWholeFile(join(home, BACKUP_NOTE_FILE), `${JSON.stringify(note)}\n`, 0o600);
}

function lastBackupOfHome(home: string): number | null {
  try {
    const { taken_at } = JSON.parse(readFileSync(join(home, BACKUP_NOTE_FILE), 'utf8'));
    const takenMs = Date.parse(taken_at);
    return Number.isNaN(takenMs) ? null : takenMs;
  } catch {
    return null;
  }
}

/** When the last backup was taken, in milliseconds since 1970; null: nobody has noted one. */
export async function lastBackupMs(
  home: string,
  { sharedSecrets, audit }: Pick<ControlStore, 'sharedSecrets' | 'audit'>,
): Promise<number | null> {
  // One that servers share is backed up by its own tools, after which somebody notes it for all of them.
  if (sharedSecrets === null) return lastBackupOfHome(home);
  const [entry] = await audit.list({ operation: 'backup' }, 'newest first', 0, 1);
  return entry?.happenedAtMs ?? null;
}
