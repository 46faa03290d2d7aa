import { buffer } from 'node:stream/consumers';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { repetitions } from '../../test/repetitions.ts';
import { testSpool } from '../../test/test-spool.ts';
import { type Column, DATA_TYPES, type DataType } from '../catalog/dataset.ts';
import {
  batchOfRows,
  type CellValue,
  type ColumnBatch,
  type StringVector,
} from '../engine/columns.ts';
import { NO_CODE } from '../engine/text-codes.ts';
import { ByteSink } from './byte-sink.ts';
import { numberText } from './cell-bytes.ts';
import { csvHeader, csvRowWriter, csvString } from './csv.ts';
import { EXACT_JSON_FORMAT, jsonRowWriter } from './json.ts';

const COLUMNS: readonly Column[] = DATA_TYPES.map((dataType) => ({
  name: `Column ${dataType}`,
  dataType,
  description: '',
  fractionDigits: 9,
  ...(dataType === 'decimal' ? { precision: 38, scale: 5 } : {}),
}));

const ZONE = 'America/New_York';

/** Texts of letters, and texts of what separates, quotes and ends in CSV. */
const anyText = fc.oneof(
  fc.string({ unit: 'grapheme-composite' }),
  fc.string({ unit: fc.constantFrom('a', ',', '"', '\n', '\r', '\\'), maxLength: 4 }),
);

/** Cells of each type, in the order of the columns; few of them, so that they repeat. */
const CELLS = {
  string: fc.oneof(fc.constantFrom('AAPL', ''), anyText),
  integer: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
  number: fc
    .oneof(
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.integer({ min: -1e7, max: 1e7 }).map((cents) => cents / 100),
    )
    .map((value) => (value === 0 ? 0 : value)),
  date: fc
    .integer({ min: 0, max: 40_000 })
    .map((day) => new Date(day * 864e5).toISOString().slice(0, 10)),
  'date-time': fc.bigInt({ min: 0n, max: 4_000_000_000_000_000_000n }),
  decimal: fc.oneof(
    fc.bigInt({ min: -(10n ** 38n) + 1n, max: 10n ** 38n - 1n }),
    fc.bigInt({ min: -10_000_000n, max: 10_000_000n }),
  ),
  boolean: fc.boolean(),
  'array of string': fc.array(anyText, { maxLength: 4 }),
  'array of integer': fc.array(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })),
  'array of number': fc.array(fc.constantFrom(0.1, -2, 1e21, 5e-7)),
} as const;

/** Rows in which some columns hold one value alone, as columns of identifiers do. */
const anyRows: fc.Arbitrary<CellValue[][]> = fc
  .tuple(
    fc.tuple(...DATA_TYPES.map((type) => fc.option(CELLS[type] as fc.Arbitrary<CellValue>))),
    fc.array(fc.boolean(), { minLength: DATA_TYPES.length, maxLength: DATA_TYPES.length }),
    fc.array(
      fc.tuple(...DATA_TYPES.map((type) => fc.option(CELLS[type] as fc.Arbitrary<CellValue>))),
      { maxLength: 20 },
    ),
  )
  .map(([one, isConstant, rows]) =>
    rows.map((row) => row.map((cell, c) => (isConstant[c] ? one[c] : cell) as CellValue)),
  )
  // Columns of one value are looked for in batches of many rows alone.
  .map((rows) => Array.from({ length: 12 }, () => rows).flat());

/** As an engine does that can tell which texts are equal. */
function withCodes(batch: ColumnBatch): ColumnBatch {
  const columns = batch.columns.map((vector) => {
    if (vector.type !== 'string') return vector;
    const writeCodes: StringVector['writeCodes'] = (codes, target, at, first, end) => {
      vector.values.slice(first, end).forEach((text, row) => {
        target[at + row] = text === null ? NO_CODE : codes.codeOf(text);
      });
    };
    return { ...vector, writeCodes };
  });
  return { ...batch, columns };
}

/** The bytes that a writer makes of rows, in batches and turns of different sizes. */
function written(
  makeWriter: typeof jsonRowWriter,
  rows: readonly CellValue[][],
  { columns = COLUMNS, hasCodes = false } = {},
): string {
  const blocks: Buffer[] = [];
  const sink = new ByteSink((block) => blocks.push(block));
  const write = makeWriter(sink, columns, ZONE);
  for (let first = 0, size = 1; first < rows.length; first += size, size += 150) {
    const batch = batchOfRows(columns, rows.slice(first, first + size));
    const writeBatch = write(hasCodes ? withCodes(batch) : batch);
    for (let row = 0; row < batch.rowCount; row += 7) {
      writeBatch(row, Math.min(row + 7, batch.rowCount));
    }
  }
  sink.flush();
  return Buffer.concat(blocks).toString();
}

/** The plain way to the same text: one value after the other, by the means of the runtime. */
function plainCell(column: Column, cell: CellValue, isCsv: boolean): string {
  if (cell === null) return isCsv ? '' : 'null';
  const quote = isCsv ? '' : '"';
  switch (column.dataType) {
    case 'string':
      return isCsv ? csvString(cell as string) : JSON.stringify(cell);
    case 'array of string':
      return isCsv
        ? csvString(JSON.stringify(cell)).replace(/^\[\]$/, '"[]"')
        : JSON.stringify(cell);
    case 'array of integer':
    case 'array of number': {
      const items = (cell as readonly (number | bigint)[]).map((item) =>
        typeof item === 'number' ? numberText(item) : `${item}`,
      );
      return isCsv ? `"[${items.join(',')}]"` : `[${items.join(',')}]`;
    }
    case 'decimal':
      return plainDecimal(cell as bigint);
    case 'number':
      return numberText(cell as number);
    case 'date-time':
      return `${quote}${plainTime(cell as bigint)}${quote}`;
    case 'date':
      return `${quote}${cell}${quote}`;
    default:
      return `${cell}`;
  }
}

/** Five digits after the point, of which the zeros at the end are left out. */
function plainDecimal(units: bigint): string {
  const digits = `${units}`.replace('-', '').padStart(6, '0');
  const text = `${digits.slice(0, -5)}.${digits.slice(-5)}`.replace(/\.?0+$/, '');
  return units < 0n ? `-${text}` : text;
}

const LOCAL = new Intl.DateTimeFormat('sv-SE', {
  timeZone: ZONE,
  dateStyle: 'short',
  timeStyle: 'medium',
});
const OFFSET = new Intl.DateTimeFormat('en-US', { timeZone: ZONE, timeZoneName: 'longOffset' });

function plainTime(nanos: bigint): string {
  const ms = Number(nanos / 1_000_000n);
  const name = OFFSET.formatToParts(ms).find(({ type }) => type === 'timeZoneName')?.value;
  const fraction = `${nanos % 1_000_000_000n}`.padStart(9, '0');
  return `${LOCAL.format(ms).replace(' ', 'T')}.${fraction}${name?.slice(3)}`;
}

/** A reader of RFC 4180 of its own: null is an empty unquoted field. */
function parseCsv(text: string): (string | null)[][] {
  const rows: (string | null)[][] = [];
  let row: (string | null)[] = [];
  let at = 0;
  while (at < text.length) {
    let field: string | null = null;
    if (text[at] === '"') {
      field = '';
      for (at++; !(text[at] === '"' && text[at + 1] !== '"'); at++) {
        if (text[at] === '"') at++;
        field += text[at];
      }
      at++;
    } else {
      const start = at;
      while (!',\r\n'.includes(text[at] as string)) at++;
      if (text[at] === '\r') throw new Error('a carriage return outside of quotes');
      field = at === start ? null : text.slice(start, at);
    }
    row.push(field);
    if (text[at] === '\n') {
      rows.push(row);
      row = [];
    }
    at++;
  }
  return rows;
}

function unitsOf(text: string): bigint {
  const [whole = '', fraction = ''] = text.split('.');
  return BigInt(`${whole}${fraction.padEnd(5, '0')}`);
}

/** A cell as a reader gives it back; integers in arrays are compared by their bytes alone. */
function readBack(dataType: DataType, cell: CellValue): unknown {
  if (cell === null) return null;
  if (dataType === 'array of integer') return 'left out';
  return dataType === 'date-time' ? plainTime(cell as bigint) : cell;
}

const SHORT: Readonly<Record<DataType, CellValue>> = {
  string: null,
  integer: 7n,
  number: 5e-324,
  decimal: -(10n ** 38n) + 1n,
  boolean: true,
  date: '2024-01-02',
  'date-time': 0n,
  'array of string': null,
  'array of integer': [7n],
  'array of number': [0.5],
};

const RUNS = { numRuns: repetitions('TICKLAKE_ROW_BYTES_RUNS', 30) };

describe('jsonRowWriter', () => {
  it('writes the bytes of the plain way, whatever repeats and however batches are cut', () => {
    fc.assert(
      fc.property(anyRows, fc.boolean(), (rows, hasCodes) => {
        const expected = rows.map((row) => {
          const cells = COLUMNS.map(
            (column, c) =>
              `${JSON.stringify(column.name)}:${plainCell(column, row[c] as CellValue, false)}`,
          );
          return `{${cells.join(',')}},`;
        });
        expect(written(jsonRowWriter, rows, { hasCodes })).toBe(expected.join(''));
      }),
      RUNS,
    );
  });

  it('writes rows that a JSON reader gives back, integers to the last digit', () => {
    fc.assert(
      fc.property(anyRows, (rows) => {
        const reviver = (name: string, value: unknown, context?: { source?: string }) => {
          if (value === null) return value;
          if (name === 'Column integer') return BigInt(context?.source as string);
          if (name === 'Column decimal') return unitsOf(context?.source as string);
          return name === 'Column array of integer' ? 'left out' : value;
        };
        const text = written(jsonRowWriter, rows);
        const parsed = JSON.parse(`[${text.slice(0, -1)}]`, reviver as never);
        const expected = rows.map((row) =>
          Object.fromEntries(
            COLUMNS.map(({ name, dataType }, c) => [name, readBack(dataType, row[c] as CellValue)]),
          ),
        );
        expect(parsed).toEqual(expected);
      }),
      RUNS,
    );
  });

  it('writes rows whose exact numbers any JSON reader gives back as texts, if asked for', async () => {
    const exact = (column: Column, cell: CellValue) => {
      if (cell === null) return null;
      if (column.dataType === 'decimal') return plainDecimal(cell as bigint);
      if (column.dataType === 'array of integer') return (cell as readonly bigint[]).map(String);
      return column.dataType === 'integer' ? `${cell}` : readBack(column.dataType, cell);
    };
    await fc.assert(
      fc.asyncProperty(anyRows, async (rows) => {
        const source = {
          rows: async function* () {
            if (rows.length > 0) yield batchOfRows(COLUMNS, rows);
          },
          parquet: () => Promise.reject(new Error('not asked for')),
        };
        const frame = { columns: COLUMNS, timeZone: ZONE, offset: 0, limit: 1000, labels: {} };
        const spool = testSpool();
        const { body } = await EXACT_JSON_FORMAT.write(source, {
          ...frame,
          textRepeats: true,
          spool,
        });
        const bytes = Buffer.isBuffer(body) ? body : await buffer(body.stream());
        const expected = rows.map((row) =>
          Object.fromEntries(
            COLUMNS.map((column, c) => [column.name, exact(column, row[c] ?? null)]),
          ),
        );
        expect(JSON.parse(bytes.toString()).data).toEqual(expected);
      }),
      RUNS,
    );
  });

  it('writes strings that come once, in turn or in a row', () => {
    const columns = COLUMNS.filter(({ dataType }) => dataType === 'string');
    const names = Array.from({ length: 1300 }, (_, i) => (i % 5 === 0 ? `Zürich "${i}"` : `T${i}`));
    const repeated = <T>(times: number, items: readonly T[]): T[] =>
      Array.from({ length: times }, () => items).flat();
    const inTurn = repeated(12, names.slice(0, 40));
    const inRow = names.slice(0, 100).flatMap((name) => repeated(12, [name]));
    const rows = [...inTurn, null, ...inRow, ...repeated(9, names), null, null, ...inRow].map(
      (name) => [name],
    );
    const expected = rows.map(([name]) => `${JSON.stringify({ 'Column string': name })},`);
    for (const hasCodes of [false, true]) {
      const text = written(jsonRowWriter, rows as CellValue[][], { columns, hasCodes });
      expect(text).toBe(expected.join(''));
    }
  });

  it('writes texts longer than any block, between cells of the usual size', () => {
    const long = 'ü"\n'.repeat(200_000);
    const row = COLUMNS.map(({ dataType }) => {
      if (dataType === 'string') return long;
      return dataType === 'array of string' ? [long, long] : SHORT[dataType];
    });
    const expected = COLUMNS.map(
      (column, c) =>
        `${JSON.stringify(column.name)}:${plainCell(column, row[c] as CellValue, false)}`,
    );
    const rows = [row, COLUMNS.map(({ dataType }) => SHORT[dataType]), row, row, row];
    const text = written(jsonRowWriter, rows as CellValue[][]);
    expect(text.startsWith(`{${expected.join(',')}},`)).toBe(true);
    expect(JSON.parse(`[${text.slice(0, -1)}]`)).toHaveLength(rows.length);
  });
});

describe('csvRowWriter', () => {
  it('writes the bytes of the plain way, whatever repeats and however batches are cut', () => {
    fc.assert(
      fc.property(anyRows, fc.boolean(), (rows, hasCodes) => {
        const expected = rows.map(
          (row) =>
            `${COLUMNS.map((column, c) => plainCell(column, row[c] as CellValue, true)).join(',')}\n`,
        );
        expect(written(csvRowWriter, rows, { hasCodes })).toBe(expected.join(''));
      }),
      RUNS,
    );
  });

  it('writes lines that an RFC 4180 reader gives back, null apart from the empty string', () => {
    fc.assert(
      fc.property(anyRows, (rows) => {
        const parsed = parseCsv(written(csvRowWriter, rows)).map((cells) =>
          COLUMNS.map(({ dataType }, c) => {
            const text = cells[c] as string | null;
            if (text === null) return null;
            if (dataType === 'integer') return BigInt(text);
            if (dataType === 'number') return Number(text);
            if (dataType === 'decimal') return unitsOf(text);
            if (dataType === 'boolean') return text === 'true';
            if (dataType === 'array of integer') return 'left out';
            return dataType.startsWith('array') ? JSON.parse(text) : text;
          }),
        );
        const expected = rows.map((row) =>
          COLUMNS.map(({ dataType }, c) => readBack(dataType, row[c] as CellValue)),
        );
        expect(parsed).toEqual(expected);
      }),
      RUNS,
    );
  });

  it('quotes a field only when it needs to be', () => {
    expect(['plain', 'a,b', 'say "x"', 'two\nlines', 'a\rb', ''].map(csvString)).toEqual([
      'plain',
      '"a,b"',
      '"say ""x"""',
      '"two\nlines"',
      '"a\rb"',
      '""',
    ]);
  });

  it('quotes every name of the header', () => {
    expect(csvHeader(COLUMNS.slice(0, 2))).toBe('"Column string","Column integer"\n');
  });
});
