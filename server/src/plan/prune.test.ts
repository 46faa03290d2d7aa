import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Column, Dataset, PartitionUnit } from '../catalog/dataset.ts';
import type { BoundValue, ColumnBounds, Part, RowGroup } from '../engine/part.ts';
import type { Comparison, Grant, ListPredicate, Predicate } from '../engine/query-plan.ts';
import type { DatasetSnapshot } from '../lake/snapshots.ts';
import { type PruneConditions, prune } from './prune.ts';

function column(name: string, dataType: Column['dataType']): Column {
  return { name, dataType, description: '', fractionDigits: 0 };
}

const DATE = column('TradeDate', 'date');
const TICKER = column('Ticker', 'string');
const ASID = column('ASID', 'integer');
const PRICE = column('Price', 'number');
const NAMES = column('Names', 'array of string');
/** Neither an identifier nor a sort key. */
const SIZE = column('Size', 'integer');
/** Price and Names have no bounds. */
const INDEXED = [DATE, TICKER, ASID, SIZE];
const NO_CONDITIONS: PruneConditions = {
  predicates: [],
  grants: [{ window: null, universe: null }],
};

type Row = Readonly<Record<string, BoundValue | readonly string[] | null>>;

function datasetOf(unit: PartitionUnit): Dataset {
  const columns = [DATE, TICKER, ASID, PRICE, NAMES, SIZE];
  return {
    ...{ datasetId: 'US9999', textId: 'test', name: 'Test', description: '', dataGroup: '' },
    ...{ datasetClass: '', datasetFormat: '', timeGranularity: '', universeIdentifier: null },
    ...{ startDate: null, endDate: null, creationDate: '2026-01-01', isTimeSeries: true },
    ...{ group: 'test', segment: 'test', shortSegment: 'test', pathShape: 'query', variant: {} },
    ...{ columns, columnByName: new Map(columns.map((each) => [each.name, each])) },
    naturalOrder: ['TradeDate', 'Ticker'],
    partitioning: { unit, column: unit === 'whole' ? null : 'TradeDate' },
    ...{ alsoStoredBy: null, identifierColumns: [], requiredFilters: [], dateColumn: 'TradeDate' },
    sameDayColumns: [],
    sessions: [],
    ...{ universeColumns: ['Ticker', 'ASID'], rootColumn: null, periodDefault: null },
    ...{
      timeZone: 'America/New_York',
      fileTimeZone: 'America/New_York',
      filterTimeZone: 'America/New_York',
    },
    calendar: 'XNYS',
    schedule: { days: 'none', time: '00:00' },
    checks: [],
    expectations: [],
    otherColumns: 'refuse',
    derivation: null,
    intervals: null,
  } as Dataset;
}

/** An order that owes nothing to the code under test. */
function compare(a: BoundValue, b: BoundValue): number {
  if (typeof a === 'string') return Buffer.compare(Buffer.from(a), Buffer.from(b as string));
  return Number(a) - Number(b);
}

function boundsOf(rows: readonly Row[], { name }: Column): ColumnBounds {
  const values = rows
    .map((row) => row[name] ?? null)
    .filter((value) => value !== null) as BoundValue[];
  const sorted = values.sort(compare);
  return { min: sorted[0] ?? null, max: sorted.at(-1) ?? null };
}

/** Row group i has 2^i bytes, so that a sum of bytes tells which groups it is of. */
function snapshotOf(unit: PartitionUnit, rows: readonly Row[], groupSize: number) {
  const keyLength = { day: 10, month: 7, year: 4, whole: 0 }[unit];
  const byKey = Map.groupBy(rows, (row) => String(row.TradeDate).slice(0, keyLength) || 'all');
  const groups: { rows: readonly Row[]; group: RowGroup; key: string }[] = [];
  const rowGroupsOf = new Map<Part, readonly RowGroup[]>();
  const parts = [...byKey].map(([key, members], id): Part => {
    const rowGroups: RowGroup[] = [];
    for (let at = 0; at < members.length; at += groupSize) {
      const part = members.slice(at, at + groupSize);
      const bounds = Object.fromEntries(INDEXED.map((each) => [each.name, boundsOf(part, each)]));
      const group = { rowCount: part.length, byteCount: 2 ** groups.length, bounds };
      groups.push({ rows: part, group, key });
      rowGroups.push(group);
    }
    const counts = { rowCount: members.length, byteCount: 0 };
    const made = { id, key, location: key, digest: '', ...counts };
    rowGroupsOf.set(made, rowGroups);
    return made;
  });
  const fetched: Part[] = [];
  const rowGroups = async (asked: readonly Part[]) => {
    fetched.push(...asked);
    return asked.map((part) => rowGroupsOf.get(part) ?? []);
  };
  return { snapshot: { parts, rowGroups } as unknown as DatasetSnapshot, groups, fetched };
}

function like(text: string, pattern: string): boolean {
  const source = pattern.split('*').map((part) => part.replace(/[^\w]/g, '\\$&'));
  return new RegExp(`^${source.join('.*')}$`, 's').test(text);
}

const HOLDS: Record<string, (sign: number) => boolean> = {
  eq: (sign) => sign === 0,
  gt: (sign) => sign > 0,
  ge: (sign) => sign >= 0,
  lt: (sign) => sign < 0,
  le: (sign) => sign <= 0,
};

function matches(row: Row, predicate: Predicate): boolean {
  const cell = row[predicate.column.name];
  const values = (Array.isArray(cell) ? cell : [cell]).filter((value) => value !== null);
  return values.some((value) => {
    if ('pattern' in predicate) return like(String(value), predicate.pattern);
    if ('values' in predicate) return predicate.values.some((each) => compare(value, each) === 0);
    return HOLDS[predicate.operator]?.(compare(value, predicate.value));
  });
}

function isGranted(row: Row, { window, universe }: Grant): boolean {
  const date = row.TradeDate as string | null;
  return (
    (!universe || universe.some((each) => matches(row, each))) &&
    (!window || date === null || (date >= window.start && date <= window.end))
  );
}

function isKept(row: Row, { predicates, grants }: PruneConditions): boolean {
  return (
    predicates.every((predicate) => matches(row, predicate)) &&
    grants.some((grant) => isGranted(row, grant))
  );
}

const arbitraryDate = fc
  .date({ min: new Date('2024-11-01'), max: new Date('2026-02-28'), noInvalidDate: true })
  .map((date) => date.toISOString().slice(0, 10));
const arbitraryTicker = fc.constantFrom('', 'A', 'AA', 'AAPL', 'B', 'é', '\uFFFD', '😀', 'Z');
const arbitraryAsid = fc.bigInt({ min: -5n, max: 20n });
const arbitraryPrice = fc.integer({ min: 0, max: 9 });

const orNull = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: null, freq: 6 });

function arbitraryRow(hasNullDates: boolean): fc.Arbitrary<Row> {
  return fc.record({
    TradeDate: hasNullDates ? orNull(arbitraryDate) : arbitraryDate,
    Ticker: orNull(arbitraryTicker),
    ASID: orNull(arbitraryAsid),
    Price: orNull(arbitraryPrice),
    Names: orNull(fc.array(arbitraryTicker, { maxLength: 2 })),
  });
}

function predicatesOn(of: Column, value: fc.Arbitrary<BoundValue>): fc.Arbitrary<Predicate> {
  const operator = fc.constantFrom<Comparison>('eq', 'gt', 'ge', 'lt', 'le');
  const values = fc.array(value, { minLength: 1, maxLength: 5 });
  return fc.oneof(
    fc
      .tuple(operator, value)
      .map(([name, each]): Predicate => ({ column: of, operator: name, value: each })),
    values.map((list): Predicate => ({ column: of, operator: 'in', values: list })),
  );
}

function listed(of: Column, ...values: BoundValue[]): ListPredicate {
  return { column: of, operator: 'in', values };
}

function listOn(of: typeof TICKER | typeof ASID): fc.Arbitrary<ListPredicate> {
  const value: fc.Arbitrary<BoundValue> = of === TICKER ? arbitraryTicker : arbitraryAsid;
  return fc.array(value, { minLength: 1, maxLength: 3 }).map((values) => listed(of, ...values));
}

const arbitraryPredicate: fc.Arbitrary<Predicate> = fc.oneof(
  predicatesOn(DATE, arbitraryDate),
  predicatesOn(TICKER, arbitraryTicker),
  predicatesOn(ASID, arbitraryAsid),
  predicatesOn(PRICE, arbitraryPrice),
  arbitraryTicker.map((value): Predicate => ({ column: NAMES, operator: 'eq', value })),
  fc
    .constantFrom('A*', '*', '', '*A')
    .map((pattern): Predicate => ({ column: TICKER, operator: 'like', pattern })),
);

const arbitraryConditions: fc.Arbitrary<PruneConditions> = fc.record({
  predicates: fc.array(arbitraryPredicate, { maxLength: 3 }),
  grants: fc.array(
    fc.record({
      universe: orNull(fc.array(fc.oneof(listOn(TICKER), listOn(ASID)), { maxLength: 2 })),
      window: orNull(
        fc
          .tuple(arbitraryDate, arbitraryDate)
          .map(([start, end]) => ({ column: DATE, start, end, passesUndated: true })),
      ),
    }),
    { maxLength: 3 },
  ),
});

const arbitraryLake = fc
  .constantFrom<PartitionUnit>('day', 'month', 'year', 'whole')
  .chain((unit) =>
    fc.record({
      unit: fc.constant(unit),
      rows: fc.array(arbitraryRow(unit === 'whole'), { maxLength: 30 }),
      groupSize: fc.integer({ min: 1, max: 5 }),
    }),
  );

describe('prune', () => {
  it('never leaves out a row group that holds a matching row', async () => {
    await fc.assert(
      fc.asyncProperty(
        arbitraryLake,
        arbitraryConditions,
        async ({ unit, rows, groupSize }, conditions) => {
          const { snapshot, groups } = snapshotOf(unit, rows, groupSize);
          const pruned = await prune(datasetOf(unit), snapshot, conditions);
          const keys = pruned.parts.map((partition) => partition.key);
          const scanned = BigInt(pruned.scannedBytes);
          for (const { rows: members, group, key } of groups) {
            if (!members.some((row) => isKept(row, conditions))) continue;
            expect(keys).toContain(key);
            expect(scanned & BigInt(group.byteCount)).toBe(BigInt(group.byteCount));
          }
        },
      ),
      { numRuns: 2000 },
    );
  });

  it('keeps the natural order of the partitions', async () => {
    const rows = ['2024-01-05', '2025-03-02', '2025-03-09', '2026-08-01'].map((TradeDate) => ({
      ...{ TradeDate, Ticker: 'A', ASID: 1n, Price: 1, Names: null },
    }));
    const { snapshot } = snapshotOf('month', rows, 1);
    const pruned = await prune(datasetOf('month'), snapshot, NO_CONDITIONS);
    expect(pruned.parts).toEqual(snapshot.parts);
  });

  it('counts the rows of the row groups whose bytes it counts, and no others', async () => {
    await fc.assert(
      fc.asyncProperty(
        arbitraryLake,
        arbitraryConditions,
        async ({ unit, rows, groupSize }, conditions) => {
          const { snapshot, groups } = snapshotOf(unit, rows, groupSize);
          const pruned = await prune(datasetOf(unit), snapshot, conditions);
          const { scannedRows, scannedBytes, partScans = [] } = pruned;
          const isScanned = ({ byteCount }: RowGroup) =>
            (BigInt(scannedBytes) & BigInt(byteCount)) !== 0n;
          const counts = groups.map(({ group }) => (isScanned(group) ? group.rowCount : 0));
          expect(scannedRows).toBe(counts.reduce((sum, count) => sum + count, 0));
          expect(partScans.map(({ rowCount }) => rowCount)).toEqual(
            pruned.parts.map(({ key }) =>
              groups.reduce((sum, each, at) => (each.key === key ? sum + counts[at]! : sum), 0),
            ),
          );
        },
      ),
    );
  });

  it('keeps them also of more partitions than are fetched at once, and counts each once', async () => {
    const days = Array.from({ length: 50 }, (_, day) => new Date(Date.UTC(2026, 0, 1 + day)));
    const rows = days.map((day) => ({
      ...{
        TradeDate: day.toISOString().slice(0, 10),
        Ticker: 'A',
        ASID: 1n,
        Price: 1,
        Names: null,
      },
    }));
    const { snapshot, fetched } = snapshotOf('day', rows, 1);
    const pruned = await prune(datasetOf('day'), snapshot, NO_CONDITIONS);
    expect(pruned).toMatchObject({ parts: snapshot.parts, scannedRows: 50 });
    expect(pruned.scannedBytes).toBe(2 ** 50 - 1);
    expect(fetched).toEqual(snapshot.parts);
  });

  it.each<[string, Predicate, number]>([
    ['identifiers that it may not read', { column: TICKER, operator: 'in', values: ['A', 'Z'] }, 0],
    ['its own identifier among others', { column: TICKER, operator: 'in', values: ['A', 'M'] }, 3],
    ['values that none has', { column: SIZE, operator: 'gt', value: 8n }, 3],
    ['a date that no row has', { column: DATE, operator: 'eq', value: '2025-01-03' }, 0],
  ])(
    'scans for an account of one identifier by nothing of the others: %s',
    async (_, asked, rows) => {
      const { snapshot } = snapshotOf(
        'year',
        ['A', 'M', 'Z'].map((ticker, n): Row => {
          const keys = { TradeDate: '2025-01-02', Ticker: ticker, ASID: BigInt(n) };
          return { ...keys, Price: 1, Names: null, Size: BigInt(n) };
        }),
        3,
      );
      const universe = [{ column: TICKER, operator: 'in' as const, values: ['M'] }];
      const grants: Grant[] = [{ window: null, universe }];
      const pruned = await prune(datasetOf('year'), snapshot, { predicates: [asked], grants });
      expect(pruned.scannedRows).toBe(rows);
    },
  );

  it('reads by identifier where that saves most bytes, of few rows, and all parts can', async () => {
    const rows = [TICKER, TICKER].flatMap((_, year) =>
      Array.from({ length: 20 }, (_, n): Row => {
        const keys = { TradeDate: `${2025 + year}-01-02`, Ticker: `T${n % 10}`, ASID: BigInt(n) };
        return { ...keys, Price: 1, Names: null };
      }),
    );
    const { snapshot } = snapshotOf('year', rows, 20);
    const group = (ticker: string, rowCount: number): RowGroup => {
      const bounds = { Ticker: { min: ticker, max: ticker } };
      return { rowCount, byteCount: rowCount * 0.01, bounds };
    };
    const order = ['T0', 'T1', 'T2', 'T2', 'T3'].map((ticker) => group(ticker, 4));
    const dataset = { ...datasetOf('year'), alsoStoredBy: 'Ticker' };
    const named: Predicate[] = [{ column: TICKER, operator: 'eq', value: 'T2' }];
    const pruned = async (
      predicates: readonly Predicate[],
      orders: readonly (readonly RowGroup[] | null)[],
      of = dataset,
    ) => {
      const identifierOrders = async () => orders;
      return await prune(of, { ...snapshot, identifierOrders }, { ...NO_CONDITIONS, predicates });
    };
    expect(await pruned(named, [order, order])).toMatchObject({
      ...{ parts: snapshot.parts, scannedRows: 16, scannedBytes: 0.16 },
      identifierRows: [[{ start: 8, end: 16 }], [{ start: 8, end: 16 }]],
    });
    const [first] = snapshot.parts;
    expect(await pruned(named, [order, order.slice(0, 2)])).toMatchObject({
      ...{ parts: [first], scannedRows: 8, scannedBytes: 0.08 },
      identifierRows: [[{ start: 8, end: 16 }]],
    });
    const natural = { parts: snapshot.parts, scannedRows: 40, scannedBytes: 3 };
    expect((await pruned(named, [order, order])).naturalRows).toBeUndefined();
    const { naturalRows } = await pruned([], [order, order]);
    expect(naturalRows).toEqual(
      snapshot.parts.map(({ rowCount }) => [{ start: 0, end: rowCount }]),
    );
    const heavy = order.map((each) => ({ ...each, byteCount: 1 }));
    const long = order.map((each) => ({ ...each, rowCount: 300_000 }));
    const withoutScans = async (...asked: Parameters<typeof pruned>) => ({
      ...(await pruned(...asked)),
      ...{ partScans: undefined, naturalRows: undefined },
    });
    for (const orders of [
      [order, null],
      [heavy, heavy],
      [long, long],
    ]) {
      expect(await withoutScans(named, orders)).toEqual(natural);
    }
    expect(await withoutScans([], [order, order])).toEqual(natural);
    expect(await withoutScans(named, [order, order], datasetOf('year') as never)).toEqual(natural);
  });

  it('does not scan a row group of nulls for any value', async () => {
    const nulls = { TradeDate: '2026-01-02', Ticker: null, ASID: null, Price: 1, Names: null };
    const { snapshot } = snapshotOf('day', [nulls, { ...nulls, Ticker: 'A' }], 1);
    const predicates: Predicate[] = [{ column: TICKER, operator: 'in', values: ['', 'A'] }];
    const pruned = await prune(datasetOf('day'), snapshot, { ...NO_CONDITIONS, predicates });
    expect(pruned.scannedBytes).toBe(0b10);
  });

  const WINDOW = { column: DATE, start: '2025-11-18', end: '2025-12-01', passesUndated: true };

  const HALVES = ['2025-11-17', '2025-11-18', '2025-12-01', '2026-01-02'].flatMap((TradeDate) => [
    { TradeDate, Ticker: 'A', ASID: 1n, Price: 1, Names: null },
    { TradeDate, Ticker: 'B', ASID: 2n, Price: 1, Names: null },
  ]);

  it('reads the row groups of no partition but those whose key may hold rows', async () => {
    const { snapshot, fetched } = snapshotOf('day', HALVES, 1);
    const predicates: Predicate[] = [{ column: DATE, operator: 'eq', value: '2025-11-18' }];
    const window = { ...WINDOW, end: WINDOW.start };
    for (const conditions of [
      { ...NO_CONDITIONS, predicates },
      { predicates: [], grants: [{ window, universe: null }] },
    ]) {
      fetched.length = 0;
      await prune(datasetOf('day'), snapshot, conditions);
      expect(fetched.map(({ key }) => key)).toEqual(['2025-11-18']);
    }
  });

  it.each<[Comparison, bigint, number]>([
    ['lt', 2n, 0b01010101],
    ['lt', 1n, 0],
    ['le', 1n, 0b01010101],
    ['le', 0n, 0],
    ['gt', 1n, 0b10101010],
    ['gt', 2n, 0],
    ['ge', 2n, 0b10101010],
    ['ge', 3n, 0],
    ['eq', 2n, 0b10101010],
    ['eq', 0n, 0],
    ['eq', 3n, 0],
  ])('scans only row groups that may hold a number %s %d', async (operator, value, scanned) => {
    const { snapshot } = snapshotOf('day', HALVES, 1);
    const predicates: Predicate[] = [{ column: ASID, operator, value }];
    const pruned = await prune(datasetOf('day'), snapshot, { ...NO_CONDITIONS, predicates });
    expect(pruned.scannedBytes).toBe(scanned);
  });

  it.each<[string, PartitionUnit, Partial<PruneConditions>, string[], number]>([
    ['nothing asked', 'day', {}, ['2025-11-17', '2025-11-18', '2025-12-01', '2026-01-02'], 255],
    [
      'a day and a ticker',
      'day',
      {
        predicates: [
          { column: DATE, operator: 'eq', value: '2025-11-18' },
          { column: TICKER, operator: 'eq', value: 'B' },
        ],
      },
      ['2025-11-18'],
      0b1000,
    ],
    [
      'an unknown ticker',
      'day',
      { predicates: [{ column: TICKER, operator: 'eq', value: 'AB' }] },
      [],
      0,
    ],
    [
      'months of a list',
      'month',
      { predicates: [{ column: DATE, operator: 'in', values: ['2026-01-02', '2025-11-17'] }] },
      ['2025-11', '2026-01'],
      0b11000011,
    ],
    [
      'years from a date on',
      'year',
      { predicates: [{ column: DATE, operator: 'gt', value: '2025-12-31' }] },
      ['2026'],
      0b11000000,
    ],
    [
      'a universe of a ticker and an id',
      'day',
      { grants: [{ window: null, universe: [listed(TICKER, 'A'), listed(ASID, 7n)] }] },
      ['2025-11-17', '2025-11-18', '2025-12-01', '2026-01-02'],
      0b01010101,
    ],
    [
      'a universe of a dataset whose rows name nothing',
      'day',
      { grants: [{ window: null, universe: [] }] },
      [],
      0,
    ],
    [
      'a window over partitions of dates',
      'day',
      { grants: [{ window: WINDOW, universe: null }] },
      ['2025-11-18', '2025-12-01'],
      0b111100,
    ],
    [
      'a window that rows without a date may pass',
      'whole',
      { grants: [{ window: WINDOW, universe: null }] },
      ['all'],
      255,
    ],
    [
      'windows with universes of their own',
      'day',
      {
        grants: [
          { window: WINDOW, universe: [listed(TICKER, 'A')] },
          { window: { ...WINDOW, start: '2026-01-01', end: '2026-12-31' }, universe: null },
        ],
      },
      ['2025-11-18', '2025-12-01', '2026-01-02'],
      0b11010100,
    ],
    ['no grant at all', 'day', { grants: [] }, [], 0],
    [
      'a column without bounds',
      'day',
      { predicates: [{ column: PRICE, operator: 'gt', value: 5 }] },
      ['2025-11-17', '2025-11-18', '2025-12-01', '2026-01-02'],
      255,
    ],
  ])('scans no more than it must for %s', async (_, unit, conditions, keys, bytes) => {
    const { snapshot } = snapshotOf(unit, HALVES, 1);
    const pruned = await prune(datasetOf(unit), snapshot, { ...NO_CONDITIONS, ...conditions });
    expect(pruned.parts.map((partition) => partition.key)).toEqual(keys);
    expect(pruned.scannedBytes).toBe(bytes);
  });
});
