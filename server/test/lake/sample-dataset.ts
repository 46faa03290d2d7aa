/** Small datasets for tests of the lake and of engines. */
import type { Column, Dataset, DataType, PartitionUnit } from '../../src/catalog/dataset.ts';

const COLUMNS: readonly [string, DataType][] = [
  ['TradeDate', 'date'],
  ['Ticker', 'string'],
  ['EventDateTime', 'date-time'],
  ['Strike', 'number'],
  ['ASID', 'integer'],
  ['Codes', 'array of string'],
];

/** The types that those do not have. */
const TYPED_COLUMNS: readonly Column[] = [
  ...(['boolean', 'array of integer', 'array of number'] as const).map((dataType) => ({
    name: `The ${dataType}`.replaceAll(' ', ''),
    dataType,
    description: dataType,
    fractionDigits: 0 as const,
  })),
  { name: 'Fee', dataType: 'decimal', description: '', fractionDigits: 0, precision: 30, scale: 2 },
];

/** With a column of every type, the last one of its natural order a decimal. */
export function typedDataset(unit: PartitionUnit = 'day'): Dataset {
  const sample = sampleDataset(unit);
  const columns = [...sample.columns, ...TYPED_COLUMNS];
  return {
    ...sample,
    columns,
    columnByName: new Map(columns.map((column) => [column.name, column])),
    naturalOrder: [...sample.naturalOrder, 'Fee'],
  };
}

/** A later definition of the typed dataset: with more columns, fewer, and wider types. */
export function widerDataset(unit: PartitionUnit = 'day'): Dataset {
  const typed = typedDataset(unit);
  const wider: Readonly<Record<string, Partial<Column>>> = {
    ASID: { dataType: 'decimal', precision: 24, scale: 3 },
    Fee: { dataType: 'decimal', precision: 33, scale: 4 },
    Thearrayofinteger: { dataType: 'array of number' },
  };
  const kept = typed.columns
    .filter(({ name }) => name !== 'Theboolean')
    .map((column) => ({ ...column, ...wider[column.name] }));
  const added = (['string', 'date-time', 'decimal', 'array of string'] as const).map(
    (dataType): Column => ({
      name: `Added ${dataType}`.replaceAll(/[ -]/g, ''),
      dataType,
      description: dataType,
      fractionDigits: 9,
      ...(dataType === 'decimal' ? { precision: 9, scale: 2 } : {}),
    }),
  );
  const columns = [...added.slice(0, 2), ...kept.toReversed(), ...added.slice(2)];
  return {
    ...typed,
    columns,
    columnByName: new Map(columns.map((column) => [column.name, column])),
    universeColumns: ['Ticker', 'Addedstring'],
  };
}

export function sampleDataset(unit: PartitionUnit = 'day', datasetId = 'US9001'): Dataset {
  const columns: Column[] = COLUMNS.map(([name, dataType]) => ({
    name,
    dataType,
    description: name,
    fractionDigits: 9,
  }));
  return {
    datasetId,
    textId: `sample_${unit}_${datasetId.toLowerCase()}`,
    name: 'Sample',
    description: 'Rows for tests.',
    dataGroup: 'Equity',
    datasetClass: 'Equity',
    datasetFormat: 'Market Data',
    timeGranularity: 'Tick',
    universeIdentifier: 'symbol',
    startDate: null,
    endDate: null,
    creationDate: '2026-01-01',
    isTimeSeries: true,
    group: 'us-equity',
    segment: 'eq-sample',
    shortSegment: 'sample',
    pathShape: 'tick',
    variant: {},
    columns,
    columnByName: new Map(columns.map((column) => [column.name, column])),
    naturalOrder: ['TradeDate', 'Ticker', 'EventDateTime', 'Strike'],
    partitioning: { unit, column: unit === 'whole' ? null : 'TradeDate' },
    alsoStoredBy: null,
    identifierColumns: ['Ticker', 'ASID'],
    requiredFilters: [],
    dateColumn: 'TradeDate',
    sameDayColumns: [],
    universeColumns: ['Ticker'],
    rootColumn: null,
    periodDefault: null,
    timeZone: 'America/New_York',
    fileTimeZone: 'America/New_York',
    filterTimeZone: 'America/New_York',
    calendar: 'XNYS',
    sessions: [],
    schedule: { days: 'trading', time: '20:00' },
    checks: [],
    expectations: [],
    otherColumns: 'refuse',
    derivation: null,
    intervals: null,
  };
}
