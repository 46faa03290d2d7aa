/** Uploads on disk: a folder for each, with the file under its own name and what is known of it. */
import { existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder } from '../../base/make-folder.ts';
import { writeWholeFile } from '../../base/write-whole-file.ts';
import type { Upload } from './upload.ts';

const NOTE_NAME = '.upload.json';

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
        return [{ ...upload, offset: this.sizeOf(upload) ?? upload.offset }];
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
