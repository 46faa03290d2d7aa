import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { arrowPage } from '../../../test/read-arrow.ts';
import { repetitions } from '../../../test/repetitions.ts';
import { sourceOfRows } from '../../../test/source-of-rows.ts';
import { testSpool } from '../../../test/test-spool.ts';
import { StoredBytes } from '../../base/stored-bytes.ts';
import { UnfinishedBytes } from '../../base/unfinished-bytes.ts';
import type { Column, DataType } from '../../catalog/dataset.ts';
import { batchOfRows, type CellValue, type ColumnBatch } from '../../engine/columns.ts';
import type { PageFrame } from '../format.ts';
import { WARM_UP_COLUMNS } from '../warm-up.ts';
import { ARROW_FORMAT } from './arrow.ts';

const spool = testSpool();
afterAll(() => spool.close());

function frameOf(columns: readonly Column[], more: Partial<PageFrame> = {}): PageFrame {
  const page = { columns, timeZone: 'America/New_York', offset: 0, limit: 1_000_000 } as const;
  return { ...page, textRepeats: true, labels: {}, spool, ...more };
}

async function* each(batches: readonly ColumnBatch[]): AsyncGenerator<ColumnBatch> {
  yield* batches;
}

async function bytesOf(body: Buffer | StoredBytes): Promise<Buffer> {
  if (!(body instanceof StoredBytes)) return body;
  const bytes = Buffer.concat(await body.stream().toArray());
  body.release();
  return bytes;
}

async function written(batches: readonly ColumnBatch[], frame: PageFrame): Promise<Buffer> {
  return await bytesOf((await ARROW_FORMAT.write(sourceOfRows(each(batches)), frame)).body);
}

function columnOf(name: string, dataType: DataType): Column {
  const digits = dataType === 'decimal' ? { precision: 38, scale: 4 } : {};
  return { name, dataType, fractionDigits: 9, description: '', ...digits };
}

const int64 = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
const double = fc.double({ noNaN: true, noDefaultInfinity: true });
const text = fc.oneof(
  fc.constantFrom('', 'TRADE', 'QUOTE BID NB', 'é😀'),
  fc.string({ unit: 'grapheme', maxLength: 20 }),
);
const CELLS: Record<DataType, fc.Arbitrary<CellValue>> = {
  string: text,
  integer: int64,
  number: double,
  decimal: fc.bigInt({ min: -(10n ** 38n) + 1n, max: 10n ** 38n - 1n }),
  boolean: fc.boolean(),
  date: fc.constantFrom('1899-12-31', '1970-01-01', '2024-02-29', '2299-12-31'),
  'date-time': int64,
  'array of string': fc.array(text, { maxLength: 3 }),
  'array of integer': fc.array(int64, { maxLength: 3 }),
  'array of number': fc.array(double, { maxLength: 3 }),
};
const COLUMNS = Object.keys(CELLS).map((dataType) => columnOf(dataType, dataType as DataType));

/** Each column has nulls in none of its rows, some or all. */
const anyRows = fc
  .tuple(fc.integer({ min: 1, max: 40 }), ...COLUMNS.map(() => fc.constantFrom(0, 1, 3)))
  .chain(([rowCount, ...nulls]) =>
    fc.array(
      fc.tuple(
        ...COLUMNS.map(({ dataType }, c) => {
          const cell = CELLS[dataType];
          if (nulls[c] === 0) return cell;
          return nulls[c] === 3 ? fc.constant(null) : fc.option(cell, { freq: 2 });
        }),
      ),
      { minLength: rowCount, maxLength: rowCount },
    ),
  );

/** As engines have them: in bits and codes, which must come to the same. */
function asEngineHas({ rowCount, columns }: ColumnBatch): ColumnBatch {
  const had = columns.map((vector) => {
    if (vector.type === 'string') {
      const { values } = vector;
      const writeCodes: NonNullable<typeof vector.writeCodes> = (codes, target, at, first, end) => {
        for (let row = first; row < end; row++) {
          const value = values[row] as string | null;
          target[at + row - first] = value === null ? -1 : codes.codeOf(value);
        }
      };
      return { ...vector, writeCodes };
    }
    if (!('nulls' in vector)) return vector;
    const { nulls } = vector;
    // Bits past the last row and values beneath nulls may be anything.
    const validBits = nulls && new Uint8Array(Math.ceil(rowCount / 8)).fill(0xff);
    for (const [row, isNull] of nulls?.entries() ?? []) {
      if (isNull === 1 && validBits) validBits[row >> 3]! ^= 1 << (row & 7);
      if (isNull === 1)
        new Uint8Array(vector.values.buffer).fill(
          0xab,
          row * vector.values.BYTES_PER_ELEMENT,
          (row + 1) * vector.values.BYTES_PER_ELEMENT,
        );
    }
    return { ...vector, validBits };
  });
  return { rowCount, columns: had as ColumnBatch['columns'] };
}

describe('an Arrow page', () => {
  it('has the types of the catalogue, with rows and without', async () => {
    const types = [
      'Dictionary<Int32, Utf8>',
      'Int64',
      'Float64',
      'Decimal<38, 4>',
      'Bool',
      'Date32<DAY>',
      'Timestamp<NANOSECOND, America/New_York>',
      'List<Utf8>',
      'List<Int64>',
      'List<Float64>',
    ];
    const row = [null, null, null, null, null, null, null, null, null, null];
    for (const batches of [[], [batchOfRows(COLUMNS, [row])]]) {
      const page = arrowPage(await written(batches, frameOf(COLUMNS)));
      expect(page.types).toEqual(types);
      expect(page.names).toEqual(COLUMNS.map(({ name }) => name));
      expect(page.rows).toEqual(batches.length === 0 ? [] : [row]);
    }
  });

  it('has plain text where texts hardly repeat, also without rows', async () => {
    const frame = frameOf([columnOf('Name', 'string')], { textRepeats: false });
    const rows = [['a'], [null], ['a text of more than twelve bytes'], ['']];
    const page = arrowPage(await written([batchOfRows(frame.columns, rows)], frame));
    expect(page).toMatchObject({ types: ['Utf8'], rows });
    expect(arrowPage(await written([], frame)).types).toEqual(['Utf8']);
  });

  it('tells what its rows are', async () => {
    const labels = { 'ticklake.dataset_id': 'US1032', 'ticklake.dataset_version': '12' };
    const page = arrowPage(await written([], frameOf(COLUMNS, { labels })));
    expect(page.labels).toEqual(labels);
  });

  it('has every value of every row, however the engine hands them out', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyRows, { maxLength: 4 }), async (batches) => {
        const given = batches.map((rows) => batchOfRows(COLUMNS, rows));
        const frame = frameOf(COLUMNS);
        const bytes = await written(given, frame);
        expect(arrowPage(bytes).rows).toEqual(batches.flat());
        const again = batches.map((rows) => asEngineHas(batchOfRows(COLUMNS, rows)));
        expect((await written(again, frame)).equals(bytes)).toBe(true);
        const together = [batchOfRows(COLUMNS, batches.flat())];
        expect((await written(together, frame)).equals(bytes)).toBe(true);
      }),
      { numRuns: repetitions('TICKLAKE_ARROW_RUNS', 30) },
    );
  });

  it('is the same bytes beyond one record batch, in memory or in a file', async () => {
    const columns = WARM_UP_COLUMNS.slice(0, 10);
    const rowOf = (i: number) =>
      columns.map(({ dataType }, c) => {
        if (c % 2 === 1 && i % 7 === 0) return null;
        if (dataType === 'string') return `T${i % 5000}`;
        if (dataType === 'boolean') return i % 3 === 0;
        return dataType === 'number' ? i / 4 : BigInt(i);
      });
    const rows = Array.from({ length: 135_000 }, (_, i) => rowOf(i));
    const batchesOf = (size: number) =>
      Array.from({ length: Math.ceil(rows.length / size) }, (_, b) =>
        batchOfRows(columns, rows.slice(b * size, (b + 1) * size)),
      );
    const memory = 64 * 1024 * 1024;
    spool.takeMemory(memory);
    const { body, rowCount } = await ARROW_FORMAT.write(
      sourceOfRows(each(batchesOf(2048))),
      frameOf(columns),
    );
    spool.giveMemory(memory);
    expect(body).toBeInstanceOf(StoredBytes);
    expect(spool.byteCount).toBeGreaterThan(4e6);
    expect(rowCount).toBe(rows.length);
    const bytes = await bytesOf(body);
    await expect.poll(() => spool.byteCount).toBe(0);
    expect((await written(batchesOf(1999), frameOf(columns))).equals(bytes)).toBe(true);
    const read = arrowPage(bytes).rows;
    expect(read.length).toBe(rows.length);
    const isSame = (row: readonly unknown[], due: readonly unknown[] = []) =>
      row.every((cell, c) => Object.is(cell, due[c])) ||
      JSON.stringify(row, text64) === JSON.stringify(due, text64);
    expect(read.findIndex((row, i) => !isSame(row, rows[i]))).toBe(-1);
  });

  it('tells texts that come late before the rows that have them, in few bytes', async () => {
    const columns = [columnOf('Venue', 'string'), columnOf('Id', 'string')];
    const rows = Array.from({ length: 150_000 }, (_, i) => [
      `V${Math.floor(i / 70_000)}`,
      `a long text, ${i % 100_000}`,
    ]);
    const batches = [batchOfRows(columns, rows)];
    const bytes = await written(batches, frameOf(columns));
    const read = arrowPage(bytes).rows;
    expect(read.length).toBe(rows.length);
    expect(read.findIndex((row, i) => row[0] !== rows[i]?.[0] || row[1] !== rows[i]?.[1])).toBe(-1);
    const codeBytes = 2 * 4 * rows.length;
    const textBytes = rows.reduce((sum, [, id]) => sum + 4 + (id as string).length, 0);
    expect(bytes.length).toBeLessThan(1.01 * (codeBytes + textBytes));
  });

  describe('that may be sent while it is written', () => {
    const columns = [columnOf('Volume', 'integer'), columnOf('Venue', 'string')];
    const rows = Array.from({ length: 800_000 }, (_, i) => [BigInt(i), `V${i % 3}`]);
    const batch = batchOfRows(columns, rows);
    const batches = (scanRowCount?: number) => {
      const all = { ...batch, release: () => undefined };
      return [scanRowCount === undefined ? all : { ...all, scanRowCount }];
    };
    const early = async (given: readonly ColumnBatch[], frame: PageFrame) =>
      await ARROW_FORMAT.writeEarly!(sourceOfRows(each(given)), frame);

    it('is the same bytes and tells the same of its rows', async () => {
      for (const limit of [800_000, 799_999]) {
        const frame = frameOf(columns, { limit, offset: 7 });
        const source = sourceOfRows(each(batches()));
        const { body: whole, ...told } = await ARROW_FORMAT.write(source, frame);
        const { body, ...toldEarly } = await early(batches(rows.length), frame);
        expect(body).toBeInstanceOf(UnfinishedBytes);
        expect(toldEarly).toEqual(told);
        const unfinished = body as UnfinishedBytes;
        const bytes = Buffer.concat(await Array.fromAsync(unfinished.chunks()));
        expect(bytes.equals(await bytesOf(whole))).toBe(true);
        unfinished.release();
      }
      expect(spool.takeMemory(64 * 1024 * 1024)).toBe(true);
      spool.giveMemory(64 * 1024 * 1024);
    });

    it('is written whole where its rows are not counted, few or too many for memory', async () => {
      const frame = frameOf(columns);
      const whole = await written(batches(), frame);
      const notCounted = await early(batches(), frame);
      expect((await bytesOf(notCounted.body as StoredBytes)).equals(whole)).toBe(true);
      expect(spool.takeMemory(64 * 1024 * 1024)).toBe(true);
      const tooMany = await early(batches(rows.length), frame);
      spool.giveMemory(64 * 1024 * 1024);
      expect((await bytesOf(tooMany.body as StoredBytes)).equals(whole)).toBe(true);
      const few = [{ ...batchOfRows(columns, rows.slice(0, 9)), scanRowCount: 9 }];
      expect((await early(few, frame)).body).toBeInstanceOf(Buffer);
      expect((await early([], frame)).rowCount).toBe(0);
    });
  });

  it('leaves no file behind where its rows fail', async () => {
    const columns = [columnOf('Volume', 'integer')];
    async function* failing() {
      const rows = Array.from({ length: 300_000 }, (_, i) => [BigInt(i)]);
      for (let i = 0; i < 4; i++) yield batchOfRows(columns, rows);
      throw new Error('the file is gone');
    }
    const write = ARROW_FORMAT.write(sourceOfRows(failing()), frameOf(columns));
    await expect(write).rejects.toThrow('the file is gone');
    await expect.poll(() => spool.byteCount).toBe(0);
  });
});

const text64 = (_: string, value: unknown) => (typeof value === 'bigint' ? `${value}` : value);
