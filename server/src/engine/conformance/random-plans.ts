/** Random rows of the sample dataset, and random plans with every operator, order and grant. */
import fc from 'fast-check';
import { typedDataset } from '../../../test/lake/sample-dataset.ts';
import { sampleRows } from '../../../test/lake/sample-rows.ts';
import type { Column, Dataset, DataType } from '../../catalog/dataset.ts';
import { type CellValue, dateOfDays } from '../columns.ts';
import { operatorsOf, takes } from '../operators.ts';
import type { BoundValue } from '../part.ts';
import type { Grant, IdentifierList, Predicate, QueryPlan } from '../query-plan.ts';
import { PLACE_COUNT, samplePredicate } from '../sample.ts';
import type { Row } from './select-rows.ts';

const FIRST_DAY = 20_770;
const DAYS = { min: FIRST_DAY, max: FIRST_DAY + 3 };

const orNull = <T>(value: fc.Arbitrary<T>) => fc.option(value, { freq: 4 });

/** Cells of the columns that the typed dataset adds. */
const TYPED_CELLS = [
  orNull(fc.boolean()),
  orNull(fc.array(fc.constantFrom(7n, -1n, 2n ** 62n), { maxLength: 3 })),
  orNull(fc.array(fc.constantFrom(1.5, 0.1, 1e21), { maxLength: 3 })),
  orNull(fc.constantFrom(0n, 125n, -125n, 10n ** 20n, -(10n ** 30n) + 1n)),
] as const;

/** Few distinct keys, so that most rows tie, and nulls among them. */
export const anyRows: fc.Arbitrary<Row[]> = sampleRows(DAYS).chain((rows) =>
  fc
    .array(fc.tuple(...TYPED_CELLS), { minLength: rows.length, maxLength: rows.length })
    .map((typed) =>
      rows.map(([day, ...cells], r) => [dateOfDays(day), ...cells, ...(typed[r] as CellValue[])]),
    ),
);

const anyDate = fc.integer({ min: DAYS.min - 1, max: DAYS.max + 1 }).map(dateOfDays);
const anyTicker = fc.constantFrom('', 'A', 'AAPL', 'é', 'twelve bytes', 'thirteen here', 'none');
const anyInteger = fc.oneof(
  fc.constantFrom(0n, -(2n ** 63n), 2n ** 63n - 1n),
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
);

const VALUES: Readonly<Record<DataType, fc.Arbitrary<BoundValue>>> = {
  string: anyTicker,
  integer: anyInteger,
  number: fc.constantFrom(1.5, 0.1, 1e-9, 12345.678, -1, 2),
  date: anyDate,
  'date-time': fc.constantFrom(1_790_000_000_123_456_789n, 1_790_000_000_123_456_788n, -1n, 0n),
  decimal: fc.constantFrom(0n, 125n, -125n, 10n ** 20n, 5n),
  boolean: fc.boolean(),
  'array of integer': fc.constantFrom(7n, -1n, 2n ** 62n, 8n),
  'array of number': fc.constantFrom(1.5, 0.1, 1e21, -3),
  'array of string': fc.constantFrom('x', 'y', 'longer than twelve bytes', ''),
};

const anyPattern = fc.constantFrom(
  '*',
  'A*',
  '*é*',
  'a*',
  '*TWELVE*',
  '*bytes',
  'A',
  '',
  '*.*',
  'x',
);

const columnNamed = ({ columnByName }: Dataset, name: string) => columnByName.get(name) as Column;

function anyPredicate({ columns }: Dataset): fc.Arbitrary<Predicate> {
  return fc
    .constantFrom(
      ...columns.flatMap((column) =>
        operatorsOf(column.dataType).map((operator) => ({ column, operator })),
      ),
    )
    .chain(({ column, operator }): fc.Arbitrary<Predicate> => {
      const value = VALUES[column.dataType];
      if (takes(operator, 'pattern'))
        return anyPattern.map((pattern) => ({ column, operator, pattern }));
      if (takes(operator, 'value')) return value.map((each) => ({ column, operator, value: each }));
      const lists = fc.array(value, { minLength: 1, maxLength: 100 });
      return lists.map((values) => ({ column, operator, values }));
    });
}

function anyIdentifiers(dataset: Dataset, name: string): fc.Arbitrary<IdentifierList> {
  const column = columnNamed(dataset, name);
  return fc
    .array(VALUES[column.dataType], { maxLength: 5 })
    .map((values) => ({ column, operator: 'in', values }));
}

function anyGrant(dataset: Dataset): fc.Arbitrary<Grant> {
  return fc.record({
    window: fc.option(
      fc.record({
        column: fc.constant(columnNamed(dataset, 'TradeDate')),
        start: anyDate,
        end: anyDate,
        passesUndated: fc.boolean(),
      }),
    ),
    universe: fc.option(
      fc.tuple(anyIdentifiers(dataset, 'Ticker'), anyIdentifiers(dataset, 'ASID')),
    ),
  });
}

function anySort({ columns }: Dataset) {
  return fc
    .uniqueArray(fc.constantFrom(...columns), { minLength: 1, maxLength: 3 })
    .chain((chosen) =>
      fc.tuple(
        ...chosen.map((column) =>
          fc.record({ column: fc.constant(column), descending: fc.boolean() }),
        ),
      ),
    );
}

export const ALL_ROWS: Grant = { window: null, universe: null };

export type Asked = Pick<QueryPlan, 'predicates' | 'grants' | 'sort' | 'columns'>;

/** Half of the rows, and none or another condition. */
function anyConditions(dataset: Dataset): fc.Arbitrary<Predicate[]> {
  const sample = samplePredicate(dataset, PLACE_COUNT / 2);
  const others = fc.array(anyPredicate(dataset), { maxLength: 2 });
  if (sample === null) return others;
  return fc.oneof(
    { weight: 4, arbitrary: others },
    { weight: 1, arbitrary: others.map((some) => [...some.slice(1), sample]) },
  );
}

/** The part of a plan that chooses and orders rows, without the page. */
export function anyAskedOf(dataset: Dataset): fc.Arbitrary<Asked> {
  return fc.record({
    predicates: anyConditions(dataset),
    grants: fc.oneof(
      { weight: 2, arbitrary: fc.constant([ALL_ROWS]) },
      { weight: 1, arbitrary: fc.array(anyGrant(dataset), { maxLength: 3 }) },
    ),
    sort: fc.oneof(fc.constant([]), anySort(dataset)),
    columns: fc.oneof(
      fc.constant(dataset.columns),
      fc.uniqueArray(fc.constantFrom(...dataset.columns), { minLength: 1 }),
    ),
  });
}

export const anyAsked = anyAskedOf(typedDataset('day'));

/**
 * Every row and column. Random plans find few rows; this example ensures that some are compared.
 */
export function everythingOf({ columns }: Pick<Dataset, 'columns'>): Asked {
  return { predicates: [], grants: [ALL_ROWS], sort: [], columns };
}
