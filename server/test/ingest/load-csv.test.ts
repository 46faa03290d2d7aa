import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import type { Dataset } from '../../src/catalog/dataset.ts';
import { dateOfDays } from '../../src/engine/columns.ts';
import { duckDBStorage } from '../../src/engine/duckdb/storage.ts';
import type { PartWriter } from '../../src/engine/engine.ts';
import { loadSources as loadIntoStage } from '../../src/ingest/load-sources.ts';
import { tryLockFile } from '../../src/installed.ts';
import {
  NANOS_PER_DAY as DAY,
  isSkippedLocalTime,
  localOfUtcNanos,
  NANOS_PER_SECOND,
  offsetIntervals,
  utcOfLocalNanos,
} from '../../src/time/market-time.ts';
import type { TimeZone } from '../../src/time/time-zone.ts';
import { sampleDataset } from '../lake/sample-dataset.ts';
import { inNaturalOrder, type SampleRow, sampleRows } from '../lake/sample-rows.ts';
import { repetitions, sampleOf } from '../repetitions.ts';
import { loadSources, textSource } from './load-text.ts';

const FILES = repetitions('TICKLAKE_CSV_LOADS', 6);

/** Changes of a clock. An odd step, since clocks are put forward and back in turn. */
const changesOf = (timeZone: TimeZone) =>
  sampleOf(offsetIntervals(timeZone).slice(1), { name: 'TICKLAKE_CLOCK_CHANGES_EVERY', every: 7 });

const NAMES = ['TradeDate', 'Ticker', 'EventDateTime', 'Strike', 'ASID', 'Codes'];
/** A dataset whose tickers are ordinary text. */
const whole: Dataset = {
  ...sampleDataset('whole'),
  identifierColumns: [],
  universeColumns: [],
};

/** `YYYY-MM-DDTHH:MM:SS.fffffffff` of nanoseconds since 1970 on any clock. */
function clockText(nanos: bigint): string {
  const seconds =
    (nanos - (((nanos % NANOS_PER_SECOND) + NANOS_PER_SECOND) % NANOS_PER_SECOND)) /
    NANOS_PER_SECOND;
  const fraction = String(nanos - seconds * NANOS_PER_SECOND).padStart(9, '0');
  return `${new Date(Number(seconds) * 1000).toISOString().slice(0, 19)}.${fraction}`;
}

function textOfCell(cell: SampleRow[number], column: number): string | null {
  if (cell === null) return null;
  if (column === 0) return dateOfDays(cell as number);
  if (column === 2) return `${clockText(cell as bigint)}Z`;
  return Array.isArray(cell) ? JSON.stringify(cell) : String(cell);
}

/** A field, quoted where it must be and where `mayQuote` says so. */
function field(text: string | null, mayQuote: boolean): string {
  if (text === null) return '';
  const mustQuote = text === '' || /[",\r\n]/.test(text);
  return mustQuote || mayQuote ? `"${text.replaceAll('"', '""')}"` : text;
}

test('rows in any order of columns, with any quoting, line ends and pieces, arrive exactly', async () => {
  const tickers = fc.constantFrom(
    'A',
    'a,b',
    'say "hi"',
    'two\nlines',
    'cr\r\nlf',
    ' é\u{1F600} ',
    '',
  );
  const rows = sampleRows({ min: 19_000, max: 19_002 }).chain((list) =>
    fc.tuple(
      ...list.map((row) =>
        tickers.map((ticker): SampleRow => [row[0], ticker, ...row.slice(2)] as never),
      ),
    ),
  ) as fc.Arbitrary<SampleRow[]>;
  const order = fc.shuffledSubarray([0, 1, 2, 3, 4, 5], { minLength: 6 });
  const shape = fc.record({
    rows,
    order,
    lineEnd: fc.constantFrom('\n', '\r\n'),
    hasLastEnd: fc.boolean(),
    hasMark: fc.boolean(),
    quotes: fc.infiniteStream(fc.boolean()),
    pieceBytes: fc.integer({ min: 1, max: 200 }),
  });
  await fc.assert(
    fc.asyncProperty(
      shape,
      async ({ rows, order, lineEnd, hasLastEnd, hasMark, quotes, pieceBytes }) => {
        const mayQuote = () => quotes.next().value as boolean;
        const lines = [
          order.map((c) => field(NAMES[c] as string, mayQuote())),
          ...rows.map((row) => order.map((c) => field(textOfCell(row[c] ?? null, c), mayQuote()))),
        ].map((fields) => fields.join(','));
        const text = `${hasMark ? '\ufeff' : ''}${lines.join(lineEnd)}${hasLastEnd ? lineEnd : ''}`;
        const loaded = await loadSources(whole, [textSource(text, pieceBytes)]);
        expect(loaded.report).toEqual({ rowCount: rows.length, badRowCount: 0, badValues: [] });
        expect(loaded.rows).toEqual(inNaturalOrder(rows));
      },
    ),
    { numRuns: FILES },
  );
});

async function loadTimes(times: readonly string[], dataset: Dataset = whole) {
  const lines = times.map((time, i) => `2024-01-01,${String(i).padStart(6, '0')},${time},1`);
  const text = `TradeDate,Ticker,EventDateTime,Strike\n${lines.join('\n')}\n`;
  return await loadSources(dataset, [textSource(text)]);
}

test.each(['America/New_York', 'America/Chicago'] as const)(
  'times without an offset are local times of %s, also around every change of its clock',
  async (timeZone: TimeZone) => {
    const locals = changesOf(timeZone)
      .flatMap(({ startSeconds, offsetSeconds }) => {
        const around = [-7201, -7200, -3601, -3600, -1, 0, 1, 3599, 3600, 7199, 7200];
        return around.map(
          (by) => BigInt(startSeconds + offsetSeconds + by) * NANOS_PER_SECOND + 7n,
        );
      })
      .filter((local) => /^(19|20|21)/.test(clockText(local)));
    expect(locals.length).toBeGreaterThan(700);
    const { report, rows } = await loadTimes(locals.map(clockText), {
      ...whole,
      fileTimeZone: timeZone,
    });
    const shown = locals.filter((local) => !isSkippedLocalTime(timeZone, clockText(local)));
    expect(report.badRowCount).toBe(locals.length - shown.length);
    // When clocks are put forward, the times within that hour are skipped.
    expect(report.badRowCount).toBeGreaterThan(70);
    expect(rows.map((row) => row[2])).toEqual(
      shown.map((local) => utcOfLocalNanos(timeZone, local)),
    );
  },
);

test('an offset, a space for the T and fewer digits mean what they say', async () => {
  const { rows } = await loadTimes([
    '2024-03-10T01:59:59.999999999',
    '2024-03-10 03:00:00',
    '2024-03-10T07:00:00Z',
    '2024-03-10T03:00:00.1-04:00',
    '2024-03-10T12:30:00.000000001+05:30',
    '2024-03-10T07:00:00+0000',
    '2024-03-10 03:00:00.5-0400',
    '1900-01-01T00:00:00Z',
    '2199-12-31T23:59:59.999999999Z',
  ]);
  const noon = 1_710_054_000_000_000_000n;
  expect(rows.map((row) => row[2])).toEqual([
    noon - 1n,
    noon,
    noon,
    noon + 100_000_000n,
    noon + 1n,
    noon,
    noon + 500_000_000n,
    -2_208_988_800_000_000_000n,
    7_258_118_399_999_999_999n,
  ]);
});

/** Times on both sides of each midnight around a change of the clock, with the date to be told. */
function midnights(timeZone: TimeZone) {
  return changesOf(timeZone).flatMap(({ startSeconds }) => {
    const date = new Date((startSeconds - 43_200) * 1000).toISOString().slice(0, 10);
    const days = [-1n, 0n, 1n].map((by) => BigInt(Date.parse(date)) * 1_000_000n + by * DAY);
    return days.flatMap((day) => {
      const start = utcOfLocalNanos(timeZone, day);
      const end = utcOfLocalNanos(timeZone, day + DAY);
      const dateText = clockText(day).slice(0, 10);
      return [start - 1n, start, end - 1n, end].map((utc) => ({ date: dateText, utc }));
    });
  });
}

test.each([
  ['America/New_York', 'plain', 'with an offset'],
  ['America/New_York', 'strict', 'with an offset'],
  ['America/New_York', 'plain', 'without an offset'],
  ['America/Chicago', 'plain', 'with an offset'],
  ['America/Chicago', 'strict', 'without an offset'],
  ['America/New_York', 'plain', 'by the clock of UTC'],
  ['America/Chicago', 'strict', 'by the clock of UTC'],
] as const)(
  'a day of %s begins and ends at midnight in %s records, times being %s',
  async (timeZone, form, kind) => {
    const fileTimeZone = kind === 'by the clock of UTC' ? 'UTC' : timeZone;
    const dataset = { ...whole, timeZone, fileTimeZone, sameDayColumns: ['EventDateTime'] };
    const textOf = ({ utc, local }: { readonly utc: bigint; readonly local: string }) =>
      ({
        'with an offset': `${clockText(utc)}Z`,
        'by the clock of UTC': clockText(utc),
        'without an offset': local,
      })[kind];
    const rows = midnights(timeZone)
      .filter(({ date }) => /^(19|20|21)/.test(date))
      .map(({ date, utc }) => ({ date, utc, local: clockText(localOfUtcNanos(timeZone, utc)) }));
    expect(rows.length).toBeGreaterThan(850);
    const ticker = { plain: 'A', strict: 'é' }[form];
    const sourceOf = (given: typeof rows) => {
      const lines = given.map((row) => `${row.date},${ticker},${textOf(row)},1`);
      return textSource(`TradeDate,Ticker,EventDateTime,Strike\n${lines.join('\n')}\n`);
    };
    const good = rows.filter(({ date, local }) => local.startsWith(date));
    expect(good.length).toBe(rows.length / 2);
    const all = await loadSources(dataset, [sourceOf(rows)]);
    expect([all.report.rowCount, all.report.badRowCount]).toEqual([good.length, good.length]);
    expect(all.rows.map((row) => row[2])).toEqual(good.map(({ utc }) => utc));
    if (form === 'strict') return;
    // By themselves, so that plain ones are read as such: a bad one has its block read again.
    const alone = await loadSources(dataset, [sourceOf(good)]);
    expect(alone.rows.map((row) => row[2])).toEqual(good.map(({ utc }) => utc));
  },
);

const SIMPLE = 'TradeDate,Ticker,EventDateTime,Strike,ASID,Codes';

const stages = new Map<Dataset, Promise<PartWriter>>();
const folder = mkdtempSync(join(tmpdir(), 'ticklake-values-'));
const storage = duckDBStorage({ directory: folder, tryLock: tryLockFile });
afterAll(async () => {
  for (const stage of stages.values()) await (await stage).close();
  await storage.close?.();
  rmSync(folder, { recursive: true });
});

/** Loads one row, beside all earlier ones, and returns what was said of its one bad value. */
async function badOf(column: string, text: string, dataset: Dataset = whole) {
  const good: Record<string, string> = { TradeDate: '2024-01-01' };
  const row = NAMES.map((name) => (name === column ? text : (good[name] ?? ''))).join(',');
  const opened = stages.get(dataset) ?? storage.openWriter(dataset);
  stages.set(dataset, opened);
  const source = textSource(`${SIMPLE}\n${row}\n`);
  const { signal } = new AbortController();
  const { report } = await loadIntoStage(await opened, dataset, [source], signal);
  expect(report.rowCount + report.badRowCount).toBe(1);
  return report.badValues.map((bad) => `${bad.line} ${bad.column} ${bad.value}: ${bad.reason}`);
}

const DATE = 'a date YYYY-MM-DD that exists, from 1900 to 2199';
const TIME = 'a time YYYY-MM-DDTHH:MM:SS[.fraction][Z or +HH:MM] from 1900 to 2199';
const INTEGER = 'an integer such as 100';
const FRACTION = `${INTEGER}; fractions need a definition that makes the column a decimal`;
const INTEGER_64 = 'an integer within 64 bits';
const NUMBER = 'a decimal number such as 12.5';
const DIGITS = 'a number with few enough digits to be stored exactly (15 always are)';
const ARRAY = 'a JSON array of strings such as ["a","b"]';

test.each([
  ['TradeDate', '2024-02-30', DATE],
  ['TradeDate', '2024-2-03', DATE],
  ['TradeDate', '1899-12-31', DATE],
  ['TradeDate', '2200-01-01', DATE],
  ['TradeDate', '20240101', DATE],
  ['TradeDate', ' 2024-01-01', DATE],
  ['TradeDate', '2024-01-01T00:00:00Z', DATE],
  ['TradeDate', '2024-01-01T00:00:01', DATE],
  ['TradeDate', '2024-01-0100:00:00', DATE],
  ['TradeDate', 'infinity', DATE],
  ['TradeDate', 'today', DATE],
  ['EventDateTime', '2024-02-30T00:00:00', TIME],
  ['EventDateTime', '2024-01-01', TIME],
  ['EventDateTime', '2024-01-01T24:00:00', TIME],
  ['EventDateTime', '2024-01-01T23:60:00', TIME],
  ['EventDateTime', '2024-01-01T23:59:60', TIME],
  ['EventDateTime', '2024-01-01T10:00', TIME],
  ['EventDateTime', '2024-01-01T10:00:00.', TIME],
  ['EventDateTime', '2024-01-01T10:00:00.1234567890', TIME],
  ['EventDateTime', '2024-01-01T10:00:00+05', TIME],
  ['EventDateTime', '2024-01-01T10:00:00+2400', TIME],
  ['EventDateTime', '2024-01-01T10:00:00+24:00', TIME],
  ['EventDateTime', '2024-01-01T10:00:00z', TIME],
  ['EventDateTime', '1899-12-31T23:59:59', TIME],
  ['EventDateTime', '2024-01-01 10:00:00 UTC', TIME],
  ['EventDateTime', '1704103200', TIME],
  ['ASID', '1.5', FRACTION],
  ['ASID', '1.', FRACTION],
  ['ASID', '.0', FRACTION],
  ['ASID', '9223372036854775808.0', INTEGER_64],
  ['ASID', '1e3', INTEGER],
  ['ASID', '1_000', INTEGER],
  ['ASID', '0x10', INTEGER],
  ['ASID', ' 1', INTEGER],
  ['ASID', '--1', INTEGER],
  ['ASID', '١', INTEGER],
  ['ASID', 'true', INTEGER],
  ['ASID', '9223372036854775808', INTEGER_64],
  ['ASID', '-9223372036854775809', INTEGER_64],
  ['Strike', 'NaN', NUMBER],
  ['Strike', 'inf', NUMBER],
  ['Strike', '1_0.5', NUMBER],
  ['Strike', '.', NUMBER],
  ['Strike', '1.5 ', NUMBER],
  ['Strike', '$1', NUMBER],
  ['Strike', '1e', NUMBER],
  ['Strike', '1.2.3', NUMBER],
  ['Strike', '1e400', DIGITS],
  ['Strike', '1e-400', DIGITS],
  ['Strike', '9007199254740993', DIGITS],
  ['Strike', '0.12345678901234567890', DIGITS],
  ['Strike', '1e99999999999999999999', DIGITS],
  ['Codes', 'a', ARRAY],
  ['Codes', '{}', ARRAY],
  ['Codes', '[1]', ARRAY],
  ['Codes', '[null]', ARRAY],
])('%s does not take %s', async (column, text, reason) => {
  expect(await badOf(column, text)).toEqual([`2 ${column} ${text}: ${reason}`]);
});

test('bad values are refused in quotes too', async () => {
  expect(await badOf('Codes', '"[""a"",1]"')).toEqual([`2 Codes ["a",1]: ${ARRAY}`]);
  expect(await badOf('Codes', '"[""\\u0000""]"')).toHaveLength(1);
  expect(await badOf('Codes', '"[""a"""')).toEqual([`2 Codes ["a": ${ARRAY}`]);
  expect(await badOf('ASID', '""')).toEqual([`2 ASID : ${INTEGER}; leave out the quotes for null`]);
  expect(await badOf('ASID', '"1,000"')).toEqual([`2 ASID 1,000: ${INTEGER}`]);
  const long = 'x'.repeat(65_537);
  expect((await badOf('Ticker', long))[0]).toMatch(/: text of at most 65536 characters/);
  expect(await badOf('Ticker', long.slice(1))).toEqual([]);
  expect(await badOf('Codes', `"${'['.repeat(200_000)}"`)).toHaveLength(1);
});

test('a row needs its partition column, and nothing else', async () => {
  expect(await badOf('TradeDate', '')).toEqual([]);
  expect(await badOf('TradeDate', '', sampleDataset('day'))).toEqual([
    '2 TradeDate : a value (the column may not be empty)',
  ]);
});

test('a column of whole seconds takes zeros after the point only', async () => {
  const columns = whole.columns.map((column) => ({ ...column, fractionDigits: 0 as const }));
  const seconds = { ...whole, columns, columnByName: new Map(columns.map((c) => [c.name, c])) };
  expect(await badOf('EventDateTime', '2024-01-01T10:00:00.000', seconds)).toEqual([]);
  expect(await badOf('EventDateTime', '2024-01-01T10:00:00.001', seconds)).toEqual([
    '2 EventDateTime 2024-01-01T10:00:00.001: a time in whole seconds',
  ]);
});

test('numbers and integers are kept exactly in every way of writing them', async () => {
  const numbers = [
    '1',
    '-0.5',
    '+.5',
    '5.',
    '007.50',
    '1E5',
    '1.25e-7',
    '123456789012345',
    '0.1',
    '9007199254740992',
    '1.7976931348623157e308',
    '5e-324',
    '0.30000000000000004',
    '0.000',
    '100000000000000000000',
  ];
  const integers = ['0', '-0', '+5', '007', '9223372036854775807', '-9223372036854775808'];
  integers.push('2367868.0', '9223372036854775807.000');
  const lines = numbers.map(
    (text, i) => `2024-01-01,${String(i).padStart(3, '0')},,${text},${integers[i] ?? ''}`,
  );
  const { report, rows } = await loadSources(whole, [
    textSource(`TradeDate,Ticker,EventDateTime,Strike,ASID\n${lines.join('\n')}`),
  ]);
  expect(report.badValues).toEqual([]);
  expect(rows.map((row) => row[3])).toEqual(numbers.map(Number));
  expect(rows.map((row) => row[4]).slice(0, integers.length)).toEqual(
    integers.map((text) => BigInt(text.split('.')[0] as string)),
  );
});

test('every decimal that a double prints is taken, and none that it would print otherwise', async () => {
  const decimal = fc.oneof(
    fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
    fc
      .tuple(fc.bigInt({ min: 0n, max: 10n ** 20n }), fc.integer({ min: 0, max: 20 }))
      .map(([digits, scale]) => {
        const text = String(digits).padStart(scale + 1, '0');
        return scale === 0 ? text : `${text.slice(0, -scale)}.${text.slice(-scale)}`;
      }),
  );
  const digitsOf = (text: string) =>
    (text.split('e')[0] as string).replace(/[.+-]/g, '').replace(/^0+|0+$/g, '');
  await fc.assert(
    fc.asyncProperty(fc.array(decimal, { minLength: 250, maxLength: 250 }), async (texts) => {
      const lines = texts.map((text, i) => `2024-01-01,${String(i).padStart(3, '0')},,${text}`);
      const { report, rows } = await loadSources(whole, [
        textSource(`TradeDate,Ticker,EventDateTime,Strike\n${lines.join('\n')}`),
      ]);
      const kept = texts.filter((text) => digitsOf(String(Number(text))) === digitsOf(text));
      expect(rows.map((row) => row[3])).toEqual(kept.map(Number));
      expect(report.badRowCount).toBe(texts.length - kept.length);
    }),
    { numRuns: Math.ceil(FILES / 5) },
  );
});

test('bad rows are counted and shown with the line that they begin on', async () => {
  const text = [
    SIMPLE,
    '2024-01-01,A,,,1,',
    '',
    '2024-01-01,"two',
    'lines",,,x,',
    '2024-01-01,A,,,1',
    '2024-01-01,A,,,1,,7',
    '2024-01-01,A"B,,,1,',
    '2024-01-01,"A"B,,,1,',
    'nodate,A,,y,2,',
    '2024-01-01,"A',
    'B',
    'C",,,3,',
    '2024-01-01,ok,,,4,',
    '2024-01-01,never closed ",,,5,',
    '2024-01-01,"open,,,6,',
    '2024-01-01,last,,,7,',
  ].join('\r\n');
  const { report, rows } = await loadSources(whole, [textSource(text, 7)]);
  expect(report.badValues.map(({ line, column, value }) => [line, column, value])).toEqual([
    [4, 'ASID', 'x'],
    [6, null, '2024-01-01,A,,,1'],
    [7, null, '2024-01-01,A,,,1,,7'],
    [8, null, '2024-01-01,A"B,,,1,'],
    [9, null, '2024-01-01,"A"B,,,1,'],
    [10, 'TradeDate', 'nodate'],
    [10, 'Strike', 'y'],
    [15, null, '2024-01-01,never closed ",,,5,'],
    [16, null, '2024-01-01,"open,,,6,'],
  ]);
  expect(report.badRowCount).toBe(8);
  expect(report.rowCount).toBe(4);
  expect(rows.map((row) => row[1]).sort()).toEqual(['A', 'A\r\nB\r\nC', 'last', 'ok']);
});

test('bytes that are no text make their row bad, and only theirs', async () => {
  const text = Buffer.concat([
    Buffer.from(`${SIMPLE}\n2024-01-01,é,,,1,\n2024-01-01,`),
    Buffer.from([0xff]),
    Buffer.from(',,,2,\n2024-01-01,a\0b,,,3,\n2024-01-01,a\rb,,,4,\n2024-01-01,ü,,,5,\n'),
  ]);
  const { report, rows } = await loadSources(whole, [textSource(text, 5)]);
  expect(report.badValues.map(({ line, reason }) => `${line} ${reason}`)).toEqual([
    '3 valid UTF-8',
    '4 text without a NUL character',
    '5 a record with carriage returns only inside quotes or at its end',
  ]);
  expect(rows.map((row) => row[1])).toEqual(['é', 'ü']);
});

test.each([
  ['', 'rows.csv: there is no header line; the first line must name the columns'],
  ['\ufeff\n\n', 'rows.csv: there is no header line; the first line must name the columns'],
  [
    'Ticker,TradeDate,EventDateTime,Strike,Prise,"a ""b"""\n',
    /has no column "Prise", "a \\"b\\""; its columns are TradeDate, Ticker,.*; use --as to read a vendor's file, or --map to rename columns/,
  ],
  [
    'TradeDate,tradedate,Ticker,EventDateTime,Strike\n',
    'rows.csv: line 1: column "TradeDate" appears more than once, as "TradeDate", "tradedate"',
  ],
  ['TradeDate,Ticker,EventDateTime,Strike,Ticker\n', /column "Ticker" appears more than once/],
  [
    'TradeDate,Ticker,Strike\n',
    /missing column "EventDateTime"; .* needs TradeDate, Ticker, EventDateTime, Strike$/,
  ],
  [
    'TradeDate,"Ticker',
    'rows.csv: the header line (line 1) cannot be read: it is not a record with a closing quote before the end of the file',
  ],
  [`TradeDate${' '.repeat(2_000_000)}`, /longer than 1048576 bytes/],
])('a bad header is refused with the file: case %#', async (text, message) => {
  await expect(loadSources(whole, [textSource(text)])).rejects.toThrow(message);
});

test('a header alone gives no rows', async () => {
  const { report, rows } = await loadSources(whole, [textSource(SIMPLE)]);
  expect([report.rowCount, rows.length]).toEqual([0, 0]);
});

test('equal keys keep the order of the files and of their lines', async () => {
  const file = (from: number) =>
    textSource(
      `${SIMPLE}\n${Array.from({ length: 50 }, (_, i) => `2024-01-01,A,,,${from + i},`).join('\n')}`,
    );
  const { rows } = await loadSources(whole, [file(100), file(0), file(50)]);
  const expected = [100, 0, 50].flatMap((from) =>
    Array.from({ length: 50 }, (_, i) => BigInt(from + i)),
  );
  expect(rows.map((row) => row[4])).toEqual(expected);
});
