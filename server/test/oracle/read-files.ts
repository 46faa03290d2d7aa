/** Fetches the files of a manifest by their links and reads them back into typed cells. */
import { createHash } from 'node:crypto';
import type { Column } from '../../src/catalog/dataset.ts';
import type { TestService } from '../harness.ts';
import { bodyCells } from './read-pages.ts';
import type { Cell } from './read-rows.ts';

export interface NamedFile {
  readonly url: string;
  readonly name: string;
  readonly row_count: number;
  readonly sha256: string;
}

/** `url` is below the prefix, with a query string. */
export async function manifestOf(service: TestService, url: string): Promise<NamedFile[]> {
  const answer = await service.get(`/v1${url}`);
  if (answer.statusCode !== 200) throw new Error(`${answer.statusCode}: ${answer.body}`);
  const { files, row_count: rowCount } = answer.json() as {
    files: NamedFile[];
    row_count: number;
  };
  const sum = files.reduce((total, file) => total + file.row_count, 0);
  if (sum !== rowCount) throw new Error(`${rowCount} rows, but ${sum} in files: ${url}`);
  return files;
}

/** The rows of a file by its link alone; null where that is refused by the rules of now. */
export async function fileCells(
  { app }: TestService,
  { url, sha256, row_count: rowCount }: NamedFile,
  format: string,
  columns: readonly Column[],
): Promise<Cell[][] | null> {
  const { statusCode, rawPayload } = await app.inject({ url: new URL(url).pathname });
  if (statusCode === 403) return null;
  if (statusCode !== 200) throw new Error(`${statusCode}: ${rawPayload}`);
  const digest = createHash('sha256').update(rawPayload).digest('hex');
  if (digest !== sha256) throw new Error(`other bytes than the manifest says: ${url}`);
  const rows = await bodyCells(format, rawPayload, columns, true);
  if (rows.length !== rowCount) throw new Error(`${rows.length} rows, not ${rowCount}: ${url}`);
  return rows;
}

/** The rows of all files, one after the other. */
export async function readFiles(
  service: TestService,
  url: string,
  format: string,
  columns: readonly Column[],
): Promise<Cell[][]> {
  const rows: Cell[][] = [];
  for (const file of await manifestOf(service, `${url}&response_format=${format}`)) {
    rows.push(...((await fileCells(service, file, format, columns)) ?? []));
  }
  return rows;
}
