/**
 * Plain records are read by the engine as they are, all others by a scanner and rules of our own.
 * Whatever takes the first way must come out as it would have by the second.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { expect } from 'vitest';
import type { Dataset } from '../../src/catalog/dataset.ts';
import { duckDBStorage } from '../../src/engine/duckdb/storage.ts';
import type { PartWriter } from '../../src/engine/engine.ts';
import type { RecordLoader } from '../../src/engine/file-loading.ts';
import { loadSources, type SourceFile } from '../../src/ingest/load-sources.ts';
import { tryLockFile } from '../../src/installed.ts';
import { sampleDataset } from '../lake/sample-dataset.ts';
import { expectCameAcross } from '../seed.ts';
import { batchesAlone, readStage, textSource } from './load-text.ts';

const HEADER = 'TradeDate,Ticker,EventDateTime,Strike,ASID,Codes';
const { signal } = new AbortController();

/** How records are loaded: as the engine can, by its strict way alone, or as batches. */
export type Way = 'fast' | 'strict' | 'batches';

/** The writer, counting the blocks that it gets, of which it may be told to take none. */
export function watched(writer: PartWriter, way: Way) {
  const counts = { taken: 0, refused: 0, numbered: 0 };
  const real = writer.records as RecordLoader;
  const records: RecordLoader = {
    loadPlainRecords: async (...block) => {
      const leftOut = way === 'fast' ? await real.loadPlainRecords(...block) : null;
      counts[leftOut ? 'taken' : 'refused'] += 1;
      return leftOut;
    },
    loadNumberedRecords: (...block) => {
      counts.numbered += 1;
      return real.loadNumberedRecords(...block);
    },
  };
  const plain = batchesAlone(writer);
  const through = way === 'batches' ? plain : { ...plain, records };
  return { writer: through, counts };
}

/** Loads each text by itself, one after the other; what the writer holds and says in the end. */
async function loadEach(dataset: Dataset, texts: readonly SourceFile[], way: Way) {
  const directory = mkdtempSync(join(tmpdir(), 'ticklake-plain-'));
  const storage = duckDBStorage({ directory, tryLock: tryLockFile });
  const { writer, counts } = watched(await storage.openWriter(dataset), way);
  try {
    const reports = [];
    for (const text of texts) {
      const { report, places } = await loadSources(writer, dataset, [text], signal);
      const lines = Array.from({ length: report.rowCount }, (_, row) => places.placeOf(row)?.line);
      reports.push({ ...report, lines });
    }
    return { reports, counts, rows: await readStage(writer, directory) };
  } finally {
    await writer.close();
    await storage.close?.();
    rmSync(directory, { recursive: true });
  }
}

const digits = (min: number, max: number) =>
  fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: min, maxLength: max });
const sign = fc.constantFrom('', '', '-', '+');
const two = (max: number) =>
  fc.integer({ min: 0, max }).map((number) => String(number).padStart(2, '0'));
const date = fc
  .tuple(fc.constantFrom('1899', '1900', '2024', '2023', '2199', '2200'), two(13), two(32))
  .map((parts) => parts.join('-'));
/** Around the hours that the clock of New York skips and shows twice. */
const midnight = fc.constantFrom('T00:00:00', ' 00:00:00.000', 'T00:00:01', 'T00:00:00Z');
const day = fc.oneof(date, fc.constantFrom('2024-03-10', '2024-11-03', '2024-02-29', '2023-02-29'));
const offset = fc.constantFrom('', '', 'Z', '-04:00', '+05:30', '-24:00', '+00:60', '-0400');
const time = fc
  .tuple(day, fc.constantFrom('T', ' '), two(25), two(60), two(61), digits(0, 10), offset)
  .map(([on, t, hour, minute, second, fraction, off]) => {
    return `${on}${t}${hour}:${minute}:${second}${fraction && `.${fraction}`}${off}`;
  });
const number = fc.oneof(
  fc.tuple(sign, digits(0, 17), fc.constantFrom('', '.'), digits(0, 9)).map((p) => p.join('')),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
  fc.constantFrom('1e5', '1E-7', 'nan', 'inf', ' 5', '5 ', '1_000', '0x10', '.', '-', '-0.0'),
);
const integer = fc.oneof(
  fc.tuple(sign, digits(0, 20)).map((parts) => parts.join('')),
  fc.constantFrom(
    '1.0',
    '1.',
    '-7.000',
    '9223372036854775808.0',
    '1e3',
    '1_0',
    ' 1',
    'true',
    '9223372036854775807',
  ),
);
const ticker = fc.string({
  unit: fc.constantFrom(..."AB. '$;\t\u0001\u007fé", '""', ',', '\n', '\r', '\0'),
  maxLength: 6,
});
const codes = fc.constantFrom('', '', '', '[]', '"[""a""]"', 'x');

const usual = [
  fc.constantFrom('2024-03-10', '2024-11-03', '1900-01-01', '2199-12-31', '2024-02-30'),
  fc.constantFrom('AAPL', 'BRK.A', '', '""', '"A,B"', "O'X"),
  fc.constantFrom('2024-11-03T01:30:00.000000001', '2024-03-10 02:30:00', ''),
  fc.constantFrom('0.1', '-12.5', '123456789012345', '0.000000000000001', ''),
  fc.constantFrom('1', '-999999999999999999', '007', '-0', ''),
  fc.constant(''),
] as const;
const dated = fc.oneof(
  day,
  fc.tuple(day, midnight).map((parts) => parts.join('')),
);
const unusual = [dated, ticker, time, number, integer, codes] as const;
const maybeQuoted = (field: fc.Arbitrary<string>) =>
  fc
    .tuple(field, fc.integer({ min: 0, max: 7 }))
    .map(([text, n]) => (n === 0 ? `"${text}"` : text));

/** Rows of which at most one field is drawn from the unusual ones: often the row is still plain. */
const row = fc
  .tuple(fc.tuple(...usual), fc.integer({ min: 0, max: 40 }), fc.tuple(...unusual.map(maybeQuoted)))
  .map(([fields, odd, others]) => {
    return fields.map((field, c) => (c === odd ? (others[c] as string) : field)).join(',');
  });
const damage = fc.oneof(
  { weight: 1, arbitrary: fc.constantFrom('\n', '\r', '"', ',', '\0') },
  { weight: 5, arbitrary: fc.constant('') },
);
const text = fc
  .record({
    mark: fc.constantFrom('', '', '', '\ufeff'),
    rows: fc.array(row, { minLength: 1, maxLength: 8 }),
    zone: fc.constantFrom('', '', 'Z', '-05:00'),
    lineEnd: fc.constantFrom('\n', '\n', '\r\n'),
    last: fc.boolean(),
    damage,
    at: fc.nat(),
    pieceBytes: fc.constantFrom(7, 50, 65_536),
  })
  .map(({ mark, rows, zone, lineEnd, last, damage, at, pieceBytes }) => {
    // Some files have times with offsets throughout.
    const zoned = rows.map((line) => line.replaceAll(/(:\d\d(\.\d+)?)(?=,)/g, `$1${zone}`));
    const body = `${zoned.join(lineEnd)}${last ? lineEnd : ''}`;
    const cut = at % (body.length + 1);
    const damaged = body.slice(0, cut) + damage + body.slice(cut);
    return textSource(`${mark}${HEADER}${lineEnd}${damaged}`, pieceBytes);
  });

/** Loads so many texts in all ways and compares. */
export async function expectSameAllWays(textCount: number): Promise<void> {
  const dataset = sampleDataset('year');
  const texts = fc.sample(text, textCount);
  const fast = await loadEach(dataset, texts, 'fast');
  const strict = await loadEach(dataset, texts, 'strict');
  const batches = await loadEach(dataset, texts, 'batches');
  expect(fast.reports).toEqual(strict.reports);
  expect(fast.rows).toEqual(strict.rows);
  expect(batches.reports).toEqual(strict.reports);
  expect(batches.rows).toEqual(strict.rows);
  const bad = strict.reports.filter(({ badRowCount }) => badRowCount > 0).length;
  // Otherwise the two would be the same for no reason.
  expectCameAcross({ ...fast.counts, bad });
}
