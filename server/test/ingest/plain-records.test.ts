import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { duckDBStorage } from '../../src/engine/duckdb/storage.ts';
import type { BadValue, RecordLoader } from '../../src/engine/file-loading.ts';
import { loadSources, type SourceFile } from '../../src/ingest/load-sources.ts';
import { tryLockFile } from '../../src/installed.ts';
import { sampleDataset } from '../lake/sample-dataset.ts';
import { repetitions } from '../repetitions.ts';
import { expectSameAllWays, watched } from './all-ways.ts';
import { readStage } from './load-text.ts';

const { signal } = new AbortController();

test('records give the same rows and verdicts by the fast way, the strict way and as batches', async () => {
  await expectSameAllWays(repetitions('TICKLAKE_PLAIN_RECORD_FILES', 12));
});

function fileOf(name: string, records: readonly string[], lineEnd = '\n'): SourceFile {
  const text = ['TradeDate,Ticker,EventDateTime,Strike', ...records].join(lineEnd);
  async function* open() {
    yield Buffer.from(text);
  }
  return { format: 'csv', displayName: name, open };
}

/** Loads files into a real stage; resolves with what it was asked to do and what it then held. */
async function loadFiles(files: readonly SourceFile[], plainFieldsMin = 0) {
  const dataset = sampleDataset('whole');
  const directory = mkdtempSync(join(tmpdir(), 'ticklake-files-'));
  const storage = duckDBStorage({ directory, tryLock: tryLockFile });
  const { writer, counts } = watched(await storage.openWriter(dataset), 'fast');
  const stage = { ...writer, records: { ...(writer.records as RecordLoader), plainFieldsMin } };
  try {
    const { report } = await loadSources(stage, dataset, files, signal);
    return { report, counts, rows: await readStage(stage, directory) };
  } finally {
    await stage.close();
    await storage.close?.();
    rmSync(directory, { recursive: true });
  }
}

const where = ({ file, line, column }: BadValue) => `${file}:${line} ${column}`;
const record = (i: number) => `2024-01-01,T${String(i).padStart(4, '0')},2024-01-01T10:00:00,${i}`;

test('a thousand small files are one block, and their rows are in the order of the files', async () => {
  const files = Array.from({ length: 1000 }, (_, i) => fileOf(`${i}.csv`, [record(i)]));
  const { report, counts, rows } = await loadFiles(files);
  expect(report).toEqual({ rowCount: 1000, badRowCount: 0, badValues: [] });
  expect(counts).toEqual({ taken: 1, refused: 0, numbered: 0 });
  expect(rows.map((row) => row[3])).toEqual(Array.from({ length: 1000 }, (_, i) => i));
});

test.each(['\n', '\r\n'])('records that end with %j are left to the engine', async (lineEnd) => {
  const records = Array.from({ length: 300 }, (_, i) => record(i));
  const { counts, rows } = await loadFiles([fileOf('rows.csv', records, lineEnd)]);
  expect(counts).toEqual({ taken: 1, refused: 0, numbered: 0 });
  expect(rows.map((row) => row[3])).toEqual([...records.keys()]);
});

test('few plain records are parsed here, more are left to the engine', async () => {
  const files = [fileOf('rows.csv', [record(0), record(1)])];
  const few = await loadFiles(files, 9);
  const more = await loadFiles(files, 8);
  expect([few.counts, more.counts].map(({ taken }) => taken)).toEqual([0, 1]);
  expect(few.report).toEqual(more.report);
  expect(few.rows).toEqual(more.rows);
});

test('bad rows among a thousand small files cost two blocks and name their file and line', async () => {
  const files = Array.from({ length: 1000 }, (_, i) => {
    const odd = { 400: '2024-01-01,A,x,1', 500: '2024-01-01,"A"B,,1', 600: '2024-01-01,A' }[i];
    return fileOf(`${i}.csv`, [record(i), ...(odd === undefined ? [] : [odd]), record(i)]);
  });
  const { report, counts } = await loadFiles(files);
  expect(report.rowCount).toBe(2000);
  expect(report.badRowCount).toBe(3);
  expect(report.badValues.map(where)).toEqual([
    '400.csv:3 EventDateTime',
    '500.csv:3 null',
    '600.csv:3 null',
  ]);
  expect(counts).toEqual({ taken: 1, refused: 0, numbered: 1 });
});

test('a plain value that does not fit names its file and line too', async () => {
  const files = Array.from({ length: 50 }, (_, i) => {
    return fileOf(`${i}.csv`, [record(i), i === 30 ? '2023-02-29,A,,1' : record(i), record(i)]);
  });
  const { report, counts } = await loadFiles(files);
  expect(report.badValues.map(where)).toEqual(['30.csv:3 TradeDate']);
  expect([report.rowCount, report.badRowCount]).toEqual([149, 1]);
  expect(counts).toEqual({ taken: 0, refused: 1, numbered: 1 });
});

test.each([
  ['strict records', ['2024-01-01,é,x,1']],
  ['plain records', ['2023-02-29,A,,1']],
  ['broken records', ['2024-01-01,A']],
])('files of the same name keep their own lines: %s', async (_kind, odd) => {
  const files = [
    fileOf('same.csv', [record(0), ...odd, record(1)]),
    fileOf('same.csv', [...odd, record(2)]),
    fileOf('same.csv', [record(3), record(4), ...odd]),
  ];
  const { report } = await loadFiles(files);
  expect(report.badValues.map(({ line }) => line)).toEqual([3, 2, 4]);
  expect([report.rowCount, report.badRowCount]).toEqual([5, 3]);
});
