/** Loads text or a Parquet file into a real stage and reads back what its partition file holds. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { Dataset } from '../../src/catalog/dataset.ts';
import type { HeaderRules } from '../../src/catalog/header-columns.ts';
import { duckDBStorage } from '../../src/engine/duckdb/storage.ts';
import type { PartWriter } from '../../src/engine/engine.ts';
import type { LoadReport } from '../../src/engine/file-loading.ts';
import { loadSources as loadIntoStage, type SourceFile } from '../../src/ingest/load-sources.ts';
import { tryLockFile } from '../../src/installed.ts';
import type { RowPlace } from '../../src/lake/check-findings.ts';
import { readSampleRows, type SampleRow } from '../lake/sample-rows.ts';

export interface Loaded {
  readonly report: LoadReport;
  /** Source of each row of the writer, in load order. */
  readonly places: readonly (RowPlace | null)[];
  /** All partitions, in natural order. */
  readonly rows: readonly SampleRow[];
}

/** The text in pieces of `pieceBytes`, as a stream would bring it, each overwritten by the next. */
export function textSource(text: string | Buffer, pieceBytes = 65_536): SourceFile {
  const bytes = Buffer.from(text);
  return {
    format: 'csv',
    displayName: 'rows.csv',
    async *open() {
      const piece = Buffer.alloc(Math.min(pieceBytes, bytes.length));
      for (let at = 0; at < bytes.length; at += pieceBytes) {
        const byteCount = bytes.copy(piece, 0, at, at + pieceBytes);
        yield piece.subarray(0, byteCount);
        piece.fill('"');
      }
    },
  };
}

/** The writer with its faster ways to load, also for small texts. */
function engineAlone(writer: PartWriter): PartWriter {
  const { records, parquet } = writer;
  return {
    ...batchesAlone(writer),
    ...(records && { records: { ...records, plainFieldsMin: 0 } }),
    ...(parquet && { parquet }),
  };
}

/** The writer without its faster ways to load. */
export function batchesAlone(writer: PartWriter): PartWriter {
  return {
    append: (batch) => writer.append(batch),
    partitionKeys: () => writer.partitionKeys(),
    rowCount: (key) => writer.rowCount(key),
    dates: (identifiers) => writer.dates(identifiers),
    redate: (evening) => writer.redate(evening),
    compare: (...target) => writer.compare(...target),
    check: (...rules) => writer.check(...rules),
    write: (...target) => writer.write(...target),
    flush: () => writer.flush(),
    close: () => writer.close(),
  };
}

let fileCount = 0;

export async function readStage(stage: PartWriter, directory: string): Promise<SampleRow[]> {
  const files: string[] = [];
  for (const key of await stage.partitionKeys()) {
    const location = `${fileCount++}.parquet`;
    files.push(join(directory, location));
    await stage.write(key, location, null);
  }
  return await readSampleRows(files);
}

/** For the loads of all files: opening the engine of one takes longer than the load. */
const directory = mkdtempSync(join(tmpdir(), 'ticklake-load-'));
process.once('exit', () => rmSync(directory, { recursive: true, force: true }));
const storage = duckDBStorage({ directory, tryLock: tryLockFile });

async function loadBy(
  dataset: Dataset,
  sources: readonly SourceFile[],
  restrict: (writer: PartWriter) => PartWriter,
  header?: HeaderRules,
): Promise<Loaded> {
  const writer = await storage.openWriter(dataset);
  try {
    const { signal } = new AbortController();
    const { report, places } = await loadIntoStage(
      restrict(writer),
      dataset,
      sources,
      signal,
      header && { header, allowsUnended: true },
    );
    const rows = await readStage(writer, directory);
    return { report, places: rows.map((_, row) => places.placeOf(row)), rows };
  } finally {
    await writer.close();
  }
}

/** Loads through the engine and, if no source is Parquet, also in batches, with equal results. */
export async function loadSources(
  dataset: Dataset,
  sources: readonly SourceFile[],
  header?: HeaderRules,
): Promise<Loaded> {
  const loaded = await loadBy(dataset, sources, engineAlone, header);
  if (sources.every(({ format }) => format === 'csv')) {
    expect(await loadBy(dataset, sources, batchesAlone, header)).toEqual(loaded);
  }
  return loaded;
}
