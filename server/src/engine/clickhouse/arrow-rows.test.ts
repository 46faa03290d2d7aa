import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Column, DATA_TYPES, type DataType } from '../../catalog/dataset.ts';
import { END_OF_STREAM } from '../../formats/arrow/messages.ts';
import { batchOfRows, type CellValue } from '../columns.ts';
import { type Row, rowsOfBatch } from '../conformance/select-rows.ts';
import { arrowBatches, BrokenStreamError } from './arrow-rows.ts';
import { RowEncoder } from './stored-rows.ts';

const int64 = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
const double = fc.constantFrom(0.1, -1e300, 5e-324, 3);
const text = fc.constantFrom('', 'TRADE', 'é😀', 'a text of more than twelve bytes');
const CELLS: Record<DataType, fc.Arbitrary<CellValue>> = {
  string: text,
  integer: int64,
  number: double,
  decimal: fc.bigInt({ min: -(10n ** 38n) + 1n, max: 10n ** 38n - 1n }),
  boolean: fc.boolean(),
  date: fc.constantFrom('0001-01-01', '1970-01-01', '2299-12-31'),
  'date-time': int64,
  'array of string': fc.array(text, { maxLength: 3 }),
  'array of integer': fc.array(int64, { maxLength: 3 }),
  'array of number': fc.array(double, { maxLength: 3 }),
};
const COLUMNS: readonly Column[] = DATA_TYPES.map((dataType) => ({
  ...{ name: `a ${dataType}`, dataType, fractionDigits: 9, description: '' },
  ...(dataType === 'decimal' && { precision: 38, scale: 4 }),
}));
const KEYS = ['part', 'ord'].map((name) => ({ name, dataType: 'integer' as const }));
const PART = 7n;

const anyRows = fc.array(
  fc.tuple(...COLUMNS.map(({ dataType }) => fc.option(CELLS[dataType], { freq: 3 }))),
  { minLength: 1, maxLength: 20 },
);

/** The stream that a server is sent, and the digest of its rows. */
function encoded(batches: readonly (readonly Row[])[]): { bytes: Buffer; digest: string } {
  const encoder = new RowEncoder(COLUMNS);
  const pieces: Uint8Array[] = [encoder.schema()];
  for (const rows of batches) {
    for (const batch of encoder.append(batchOfRows(COLUMNS, rows), PART)) pieces.push(...batch);
  }
  for (const batch of encoder.rest(PART)) pieces.push(...batch);
  return { bytes: Buffer.concat([...pieces, END_OF_STREAM]), digest: encoder.told().sha256 };
}

async function* inPieces(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function read(bytes: Buffer, size = bytes.length, columns = [...KEYS, ...COLUMNS]) {
  const rows: Row[] = [];
  for await (const batch of arrowBatches(inPieces(bytes, size), columns)) {
    rows.push(...rowsOfBatch(batch));
  }
  return rows;
}

describe('rows of an Arrow stream', () => {
  it('are those that were written, in whichever pieces the stream comes', async () => {
    await fc.assert(
      fc.asyncProperty(anyRows, fc.integer({ min: 1, max: 500 }), async (rows, size) => {
        const due = rows.map((row, r) => [PART, BigInt(r), ...row]);
        expect(await read(encoded([rows]).bytes, size)).toEqual(due);
      }),
      { numRuns: 30 },
    );
  });

  it('have one digest, in whichever batches they come, and another when one differs', () => {
    fc.assert(
      fc.property(anyRows, fc.nat(20), (rows, at) => {
        const { digest } = encoded([rows]);
        expect(encoded([rows.slice(0, at), rows.slice(at)]).digest).toBe(digest);
        const changed = rows.with(0, rows[0]?.with(1, 12_345n) as never);
        expect(encoded([changed]).digest).not.toBe(digest);
      }),
      { numRuns: 30 },
    );
  });

  const { bytes } = encoded([[COLUMNS.map(() => null)]]);
  const error = Buffer.from('Code: 241. DB::Exception: Memory limit exceeded');

  it.each([
    ['an error text before its end', Buffer.concat([bytes.subarray(0, -8), error])],
    ['an error text after its end', Buffer.concat([bytes, error])],
    ['an error text alone', error],
    ['nothing', Buffer.alloc(0)],
    ['no end', bytes.subarray(0, -8)],
    ['half a message', bytes.subarray(0, -40)],
  ])('are not taken out of a stream that has %s', async (_, stream) => {
    await expect(read(stream)).rejects.toThrow(BrokenStreamError);
  });

  it('are not shown in the message of an error, but its text is, from its beginning on', async () => {
    const { bytes: named } = encoded([
      [COLUMNS.map(({ name }) => (name === 'a string' ? 'SECRET' : null))],
    ]);
    const long = Buffer.concat([named.subarray(0, -8), error, Buffer.from(' '.repeat(1000))]);
    await expect(read(long)).rejects.toThrow(
      /^the server broke off: Code: 241\. DB::Exception: Memory limit exceeded +$/,
    );
    for (const end of [8, 40]) {
      await expect(read(named.subarray(0, -end))).rejects.toThrow(/^(?!.*SECRET)[ -~]+$/s);
    }
  });

  it('are not taken for those of columns of other types', async () => {
    const other = [...KEYS, ...COLUMNS.toReversed()];
    await expect(read(bytes, bytes.length, other)).rejects.toThrow('are due');
  });
});
