/** Tests of how writers hold their rows to rules, which every engine has to pass. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sampleDataset, typedDataset } from '../../../test/lake/sample-dataset.ts';
import { type CheckRule, RELATION_OPERATORS } from '../../catalog/checks.ts';
import type { Dataset } from '../../catalog/dataset.ts';
import type { CellValue } from '../columns.ts';
import { BLANKS, type BrokenRows, type RemovedRows } from '../engine.ts';
import { brokenRows } from './break-rules.ts';
import { anyRows } from './random-plans.ts';
import type { Row } from './select-rows.ts';
import type { TestedEngine } from './tested-engine.ts';

const NEW_YORK_MIDNIGHT = 1_795_064_400_000_000_000n; // 2026-11-19T00:00 in New York
const HOUR = 3_600_000_000_000n;
const whole = sampleDataset('whole');
const typed = typedDataset('whole');
/** With columns to compare of every type that can be compared. */
const pairs: Dataset = (() => {
  const twins = typed.columns.map((column) => ({ ...column, name: `${column.name}2` }));
  const columns = [...typed.columns, ...twins];
  return { ...typed, columns, columnByName: new Map(columns.map((each) => [each.name, each])) };
})();

const anyColumns = fc.uniqueArray(
  fc.constantFrom('TradeDate', 'Ticker', 'EventDateTime', 'Strike', 'ASID', 'Fee', 'Theboolean'),
  { minLength: 1 },
);
const anyNumber = fc.option(fc.constantFrom(-1, 0, 0.1, 1.5, 2, 1e-9), { nil: null });
const anyDay = fc.option(fc.constantFrom('2026-11-12', '2026-11-13', '2026-11-14'), { nil: null });
const rangeOf = (column: string, bound: fc.Arbitrary<number | string | null>) =>
  fc.record({ kind: fc.constant('range'), column: fc.constant(column), min: bound, max: bound });

const anyRule = fc.oneof(
  fc.record({ kind: fc.constant('keys'), columns: anyColumns }),
  fc.record({
    kind: fc.constant('required'),
    column: fc.constantFrom(...typed.columns.map(({ name }) => name)),
  }),
  rangeOf('Strike', anyNumber),
  rangeOf('ASID', fc.option(fc.integer({ min: -3, max: 3 }), { nil: null })),
  rangeOf('TradeDate', anyDay),
  rangeOf('Fee', fc.option(fc.constantFrom(-1, 0, 0.01, 0.29), { nil: null })),
  fc.record({
    kind: fc.constant('relation'),
    left: fc.constantFrom('TradeDate', 'Ticker', 'EventDateTime', 'Strike', 'ASID', 'Fee'),
    operator: fc.constantFrom(...RELATION_OPERATORS),
    right: fc.constant(''),
  }),
  fc.record({
    kind: fc.constant('session'),
    column: fc.constant('EventDateTime'),
    dateColumn: fc.constant('TradeDate'),
    beforeMidnightSeconds: fc.constantFrom(0, 7 * 3600, -4 * 3600),
  }),
  fc.record({ kind: fc.constant('trading_days'), column: fc.constant('TradeDate') }),
) as fc.Arbitrary<CheckRule>;

/** A relation is between a column and its twin. */
function completed(rule: CheckRule): CheckRule {
  return rule.kind === 'relation' ? { ...rule, right: `${rule.left}2` } : rule;
}

/** As reports have them, which do not tell the two zeros apart. */
function plainZeros(found: readonly BrokenRows[]): BrokenRows[] {
  const plain = (cell: CellValue) => (cell === 0 ? 0 : cell);
  return found.map(({ rowCount, rows }) => {
    return { rowCount, rows: rows.map((row) => ({ ...row, cells: row.cells.map(plain) })) };
  });
}

const KEYS: CheckRule = { kind: 'keys', columns: ['TradeDate', 'Ticker', 'Strike'] };

/** Runs the engine's checks on the rows, beside published ones. */
async function check(
  tested: TestedEngine,
  rules: readonly CheckRule[],
  batches: readonly (readonly Row[])[],
  published: readonly Row[] = [],
  dataset = whole,
  removed?: RemovedRows,
): Promise<BrokenRows[]> {
  const [part] = await tested.writeParts(dataset, [published]);
  const existing = part && { ...part, ...(removed && { removed }) };
  return await tested.withWriter(dataset, batches, async (writer) =>
    plainZeros(await writer.check(rules, new Map(existing ? [[existing.key, existing]] : []))),
  );
}

function rowOf(date: string | null, ticker: string | null, ...rest: CellValue[]): Row {
  const [time = 1n, strike = 1, asid = 1n, codes = ['x']] = rest;
  return [date, ticker, time, strike, asid, codes];
}

function describeAnyChecks(tested: TestedEngine): void {
  it('find what a plain program finds, in any rows and beside any published ones', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(anyRule, { minLength: 1, maxLength: 8 }),
        fc.array(fc.tuple(anyRows, anyRows), { maxLength: 3 }),
        anyRows,
        async (drawn, drawnBatches, drawnPublished) => {
          const rules = drawn.map(completed);
          const joined = (one: readonly Row[], other: readonly Row[]) =>
            one.map((row, r): Row => [...row, ...(other[r % other.length] ?? row)]);
          const batches = drawnBatches.map(([one, other]) => joined(one, other));
          const published = joined(drawnPublished, drawnPublished);
          expect(await check(tested, rules, batches, published, pairs)).toEqual(
            plainZeros(rules.map((rule) => brokenRows(pairs, rule, batches.flat(), published))),
          );
        },
      ),
      { numRuns: tested.runs(5) },
    );
  });

  it('count all rows and show the first ten with their numbers', async () => {
    const rows = Array.from({ length: 5000 }, (_, i) => rowOf('2026-11-19', 'A', 1n, -i));
    const rule: CheckRule = { kind: 'range', column: 'Strike', min: -4000, max: null };
    const [found] = await check(tested, [rule], [rows.slice(0, 4500), rows.slice(4500)]);
    const shown = Array.from({ length: 10 }, (_, i) => ({ row: 4001 + i, cells: [-4001 - i] }));
    expect(found).toEqual({ rowCount: 999, rows: shown });
  });
}

function describeValueChecks(tested: TestedEngine): void {
  it('take text with any kind of space around it for none', async () => {
    const texts = [null, '', ...[...BLANKS].flatMap((blank) => [`${blank}A`, `A${blank}`])];
    const rows = [...texts, 'A', 'A B', 'é'].map((text) => rowOf('2026-11-19', text));
    const [found] = await check(tested, [{ kind: 'required', column: 'Ticker' }], [rows]);
    expect(found?.rowCount).toBe(texts.length);
    expect(found?.rows[2]).toEqual({ row: 2, cells: ['\tA'] });
    const codes = [null, [], ['']].map((each) => rowOf('2026-11-19', 'A', 1n, 1, 1n, each));
    const [arrays] = await check(tested, [{ kind: 'required', column: 'Codes' }], [codes]);
    expect(arrays?.rows).toEqual([
      { row: 0, cells: [null] },
      { row: 1, cells: [[]] },
    ]);
  });

  it('know the trading days of the calendar', async () => {
    const days = ['2026-11-19', '2026-11-22', '2026-11-26', '2026-11-27', null, '2026-12-25'];
    const rule: CheckRule = { kind: 'trading_days', column: 'TradeDate' };
    const [found] = await check(tested, [rule], [days.map((day) => rowOf(day, 'A'))]);
    expect(found?.rows.map(({ row }) => row)).toEqual([1, 2, 5]);
  });

  it('find nothing without rows, and leave the rows to be written', async () => {
    const rules: CheckRule[] = [KEYS, { kind: 'required', column: 'Ticker' }];
    const none = { rowCount: 0, rows: [] };
    expect(await check(tested, rules, [])).toEqual([none, none]);
    const rows = [rowOf('2026-11-19', 'A'), rowOf('2026-11-19', 'A')];
    await tested.withWriter(whole, [rows], async (writer) => {
      expect((await writer.check(rules, new Map())).map(({ rowCount }) => rowCount)).toEqual([
        1, 0,
      ]);
      expect(await writer.partitionKeys()).toEqual(['all']);
      const location = tested.storage.newLocation(whole, 'all');
      expect((await writer.write('all', location, null)).rowCount).toBe(2);
    });
  });
}

function describeKeyChecks(tested: TestedEngine): void {
  it('find a key again in the same rows and in the published ones, which are never at fault', async () => {
    const rows = [
      rowOf('2026-11-19', 'A', 1n, 0),
      rowOf('2026-11-19', 'B', 1n, 2),
      rowOf('2026-11-19', 'A', 2n, -0),
      rowOf(null, null, 3n, null),
      rowOf(null, null, 4n, null),
      rowOf('2026-11-19', 'P', 1n, 1),
      rowOf('2026-11-19', 'P', 1n, 1),
    ];
    const [found] = await check(
      tested,
      [KEYS],
      [rows],
      [rowOf('2026-11-19', 'P'), rowOf('2026-11-19', 'Q'), rowOf('2026-11-19', 'Q')],
    );
    expect(found).toEqual({
      rowCount: 4,
      rows: [
        { row: 2, cells: ['2026-11-19', 'A', 0], twin: 0 },
        { row: 4, cells: [null, null, null], twin: 3 },
        { row: 5, cells: ['2026-11-19', 'P', 1], twin: null },
        { row: 6, cells: ['2026-11-19', 'P', 1], twin: null },
      ],
    });
  });
}

function describeKeysOfReplacedDates(tested: TestedEngine): void {
  it.each([
    ['in order', ['A', 'A', 'B']],
    ['in any order', ['B', 'A', 'A']],
  ] as const)('find keys of rows that replace those of their dates, %s', async (_, tickers) => {
    const columns = ['TradeDate', 'Ticker', 'EventDateTime'];
    const rows = tickers.map((ticker) => rowOf('2026-11-19', ticker));
    const published = [
      rowOf('2026-11-18', 'A'),
      rowOf('2026-11-19', 'B'),
      rowOf('2026-11-20', 'A'),
    ];
    const removed = { dates: { start: '2026-11-19', end: '2026-11-19' }, identifiers: null };
    const twin = tickers.indexOf('A');
    const doubled = { row: twin + 1, cells: ['2026-11-19', 'A', 1n], twin };
    const keys: CheckRule = { kind: 'keys', columns };
    expect(await check(tested, [keys], [rows], published, whole, removed)).toEqual([
      { rowCount: 1, rows: [doubled] },
    ]);
    const beyond = [...rows, rowOf('2026-11-20', 'A')];
    const again = { row: 3, cells: ['2026-11-20', 'A', 1n], twin: null };
    expect(await check(tested, [keys], [beyond], published, whole, removed)).toEqual([
      { rowCount: 2, rows: [doubled, again] },
    ]);
  });
}

function describeSessionChecks(tested: TestedEngine): void {
  it('tell the session of a date, over changes of the clock and however far the two lie apart', async () => {
    const session: CheckRule = {
      kind: 'session',
      column: 'EventDateTime',
      dateColumn: 'TradeDate',
      beforeMidnightSeconds: 7 * 3600,
    };
    const begin = NEW_YORK_MIDNIGHT - 7n * HOUR;
    // In New York the clock is put forward on 2026-03-08, a Sunday.
    const springBegin = BigInt(Date.parse('2026-03-07T22:00:00Z')) * 1_000_000n;
    const rows = [
      rowOf('2026-11-19', 'A', begin),
      rowOf('2026-11-19', 'A', begin - 1n),
      rowOf('2026-11-19', 'A', begin + 24n * HOUR - 1n),
      rowOf('2026-11-19', 'A', begin + 24n * HOUR),
      rowOf('2026-03-08', 'A', springBegin),
      rowOf('2026-03-08', 'A', springBegin + 23n * HOUR - 1n),
      rowOf('2026-03-08', 'A', springBegin + 23n * HOUR),
      rowOf('2199-12-31', 'A', -2_208_000_000_000_000_000n),
      rowOf('1900-01-01', 'A', 7_258_000_000_000_000_000n),
    ];
    const [found] = await check(tested, [session], [rows]);
    expect(found?.rows.map(({ row }) => row)).toEqual([1, 3, 6, 7, 8]);
  });
}

export function describeChecks(tested: TestedEngine): void {
  describe('checks', () => {
    describeAnyChecks(tested);
    describeValueChecks(tested);
    describeKeyChecks(tested);
    describeKeysOfReplacedDates(tested);
    describeSessionChecks(tested);
  });
}
