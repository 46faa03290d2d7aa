/** Forms of datasets as the service tells them, for tests. */

import type { Operator } from '@ticklake/client';
import type { DatasetShape, ShapeColumn } from './dataset-shape';
import type { ExplorerQuery } from './explorer-query';

const OPERATORS_OF: Readonly<Record<ShapeColumn['data_type'], readonly Operator[]>> = {
  string: ['eq', 'in', 'like', 'ilike'],
  'array of string': ['eq', 'in', 'like'],
  integer: ['eq', 'gt', 'ge', 'lt', 'le', 'in'],
  number: ['eq', 'gt', 'ge', 'lt', 'le', 'in'],
  decimal: ['eq', 'gt', 'ge', 'lt', 'le', 'in'],
  boolean: ['eq', 'in'],
  'array of integer': ['eq', 'in'],
  'array of number': ['eq', 'in'],
  date: ['eq', 'gt', 'ge', 'lt', 'le', 'in'],
  'date-time': ['eq', 'gt', 'ge', 'lt', 'le', 'in'],
};

function column(name: string, data_type: ShapeColumn['data_type']): ShapeColumn {
  return { name, data_type, operators: OPERATORS_OF[data_type] };
}

const COLUMNS: readonly ShapeColumn[] = [
  column('TradeDate', 'date'),
  column('Ticker', 'string'),
  column('ASID', 'integer'),
  column('OpenPrice', 'number'),
  column('DailyVolume', 'integer'),
];

const SHARED = {
  dataset_id: 'US1022',
  group: 'us-equity',
  aliases: [],
  required_filters: [],
  unfilterable_columns: [],
  path_forms: [{ identifier_column: null, unfilterable_columns: [] }],
  default_period: null,
  date_column: 'TradeDate',
  time_zone: 'America/New_York',
  filter_time_zone: 'America/New_York',
  required_filter_operators: ['eq', 'in'],
  identifier_columns: ['Ticker', 'ASID'],
  root_column: null,
  sort_columns: ['TradeDate', 'Ticker'],
  interval_columns: [],
  limits: {
    json: { default: 1000, maximum: 10_000 },
    csv: { default: 3000, maximum: 30_000 },
    csv_gzip: { default: 8000, maximum: 80_000 },
    arrow: { default: 1_000_000, maximum: 1_000_000 },
    parquet: { default: 1_000_000, maximum: 1_000_000 },
  },
  is_entitled: true,
  rules: [{ start_date: '2007-01-01', end_date: null, universe_identifiers: [] }],
} satisfies Partial<DatasetShape>;

/** Asked by filters alone, in an adjusted variant. */
export const DAILY: DatasetShape = {
  ...SHARED,
  segment: 'eq-daily-ohlc',
  path_parameters: [],
  parameters: [
    { name: 'adjusted', values: ['true', 'false'], pattern: null, default: 'false' },
    { name: 'period', values: [], pattern: '^[1-9][0-9]{0,3}(Y|W|D)$', default: '5Y' },
  ],
  variants: [
    {
      dataset_id: 'US1020',
      dataset_name: 'Daily',
      parameters: { adjusted: 'false' },
      is_entitled: true,
    },
    {
      dataset_id: 'US1022',
      dataset_name: 'Daily Adjusted',
      parameters: { adjusted: 'true' },
      is_entitled: true,
    },
  ],
  default_period: '5Y',
  columns: COLUMNS,
};

/** The same, but it wants an identifier. */
export const WANTING: DatasetShape = { ...DAILY, required_filters: [['Ticker', 'ASID']] };

/** Day and identifier stand in the path. */
export const TICKS: DatasetShape = {
  ...SHARED,
  dataset_id: 'US1032',
  segment: 'eq-taq',
  path_parameters: ['trade_date', 'identifier'],
  parameters: [],
  variants: [],
  unfilterable_columns: ['TradeDate'],
  path_forms: [
    { identifier_column: 'Ticker', unfilterable_columns: ['TradeDate', 'Ticker'] },
    { identifier_column: 'ASID', unfilterable_columns: ['TradeDate', 'ASID'] },
  ],
  columns: [
    ...COLUMNS.slice(0, 3),
    column('EventDateTime', 'date-time'),
    column('Price', 'number'),
  ],
};

export const EMPTY_QUERY: ExplorerQuery = {
  dataset: 'US1022',
  date: '',
  identifier: '',
  from: '',
  to: '',
  period: '',
  version: '',
  columns: [],
  filters: [],
  sort: [],
};
