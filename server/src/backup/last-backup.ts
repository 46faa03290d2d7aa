/** The note in a home of its last backup. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { BACKUP_NOTE_FILE } from '../base/home-layout.ts';
import { writeWholeFile } from '../base/write-whole-file.ts';

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

/** When the last backup was taken, in milliseconds since 1970; null: nobody has noted one. */
export function lastBackupMs(home: string): number | null {
  try {
    const { taken_at } = JSON.parse(readFileSync(join(home, BACKUP_NOTE_FILE), 'utf8'));
    const takenMs = Date.parse(taken_at);
    return Number.isNaN(takenMs) ? null : takenMs;
  } catch {
    return null;
  }
}
