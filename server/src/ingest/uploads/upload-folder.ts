/** Uploads on disk: a folder for each, with the file under its own name and what is known of it. */
import { existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder } from '../../base/make-folder.ts';
import { writeWholeFile } from '../../base/write-whole-file.ts';
import type { Upload, UploadOptions } from './upload.ts';

const NOTE_NAME = '.upload.json';

/** The names that options had in notes of earlier versions, which outlast an upgrade. */
const EARLIER_NAMES: Readonly<Record<string, string>> = {
  recipe: 'as',
  allowsLoss: 'allow_loss',
  allowsRepeats: 'again',
  allowsUnended: 'allow_unended',
  isDryRun: 'dry_run',
  maxBadRows: 'max_bad_rows',
  renamed: 'map',
  ignored: 'ignore_columns',
  timeZone: 'time_zone',
};

/** Earlier versions noted null for what is absent, and OLD=NEW as a pair. */
function readOptions(noted: object): UploadOptions {
  const given = Object.entries(noted).filter(([, value]) => value !== null);
  return Object.fromEntries(
    given.map(([name, value]) => [
      EARLIER_NAMES[name] ?? name,
      Array.isArray(value) ? value.map((each) => [each].flat().join('=')) : value,
    ]),
  );
}

export class UploadFolder {
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
  }

  /** The folder of an upload. */
  folderOf({ uploadId }: Pick<Upload, 'uploadId'>): string {
    return join(this.#path, uploadId);
  }

  fileOf(upload: Upload): string {
    return join(this.folderOf(upload), upload.name);
  }

  write(upload: Upload): void {
    const folder = this.folderOf(upload);
    makeFolder(folder, 0o700);
    writeWholeFile(join(folder, NOTE_NAME), JSON.stringify(upload), 0o600);
  }

  /** The uploads of an earlier server; unreadable ones are removed. */
  readAll(): Upload[] {
    if (!existsSync(this.#path)) return [];
    return readdirSync(this.#path).flatMap((uploadId) => {
      try {
        const text = readFileSync(join(this.#path, uploadId, NOTE_NAME), 'utf8');
        const upload = JSON.parse(text) as Upload;
        const offset = this.sizeOf(upload) ?? upload.offset;
        return [{ ...upload, offset, options: readOptions(upload.options) }];
      } catch {
        rmSync(join(this.#path, uploadId), { recursive: true, force: true });
        return [];
      }
    });
  }

  /** Bytes of the file; null: there is none. */
  sizeOf(upload: Upload): number | null {
    return statSync(this.fileOf(upload), { throwIfNoEntry: false })?.size ?? null;
  }

  removeFile(upload: Upload): void {
    rmSync(this.fileOf(upload), { force: true });
  }

  remove(upload: Upload): void {
    rmSync(this.folderOf(upload), { recursive: true, force: true });
  }
}
