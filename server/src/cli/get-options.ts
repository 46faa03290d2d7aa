/** What `ticklake get` can be told. */
import type { CommandOption } from './command.ts';
import { SERVER_OPTIONS } from './server-options.ts';

export const GET_OPTIONS = {
  ...SERVER_OPTIONS,
  format: {
    type: 'string',
    valueName: 'F',
    description: 'csv, csv_gzip, parquet or arrow (default: by the name of the file, else csv)',
  },
  output: {
    type: 'string',
    valueName: 'FILE',
    description: 'where to write; - is standard output (default)',
  },
  columns: { type: 'string', valueName: 'A,B', description: 'columns, in that order' },
  sort: { type: 'string', valueName: 'A,-B', description: 'columns to sort by; - descends' },
  period: {
    type: 'string',
    valueName: 'P',
    description: 'length of the look-back window, such as 20Y (default: that of the dataset)',
  },
  interval: {
    type: 'string',
    valueName: 'I',
    description: 'bars of another length, such as 1h, built from the stored ones',
  },
  continuous: {
    type: 'boolean',
    description: 'follow each company through its changes of ticker',
  },
  symbols: {
    type: 'string',
    valueName: 'S',
    description: 'strict refuses tickers that meant more than one company on the dates',
  },
  'adjusted-as-of': {
    type: 'string',
    valueName: 'DATE',
    description: 'adjusts rows of an adjusted dataset by the events up to this date alone',
  },
  adjustments: {
    type: 'string',
    valueName: 'A',
    description: 'splits adjusts by events that change the number of shares alone',
  },
  'adjustment-factors': {
    type: 'boolean',
    description: 'adjusted rows have their factors, whatever columns are asked for',
  },
  'factors-version': {
    type: 'string',
    valueName: 'N',
    description: 'version of the adjustment factors',
  },
  'dataset-version': { type: 'string', valueName: 'N', description: 'version to read' },
  'as-of': {
    type: 'string',
    valueName: 'TIME',
    description: 'the version that was current at this time',
  },
  limit: { type: 'string', valueName: 'N', description: 'rows at most' },
} as const satisfies Readonly<Record<string, CommandOption>>;

/** Those that a path says itself. */
export const QUESTION_OPTIONS = [
  ...['columns', 'sort', 'period', 'interval', 'continuous', 'symbols'],
  ...['adjusted-as-of', 'adjustments', 'adjustment-factors', 'factors-version'],
  ...['dataset-version', 'as-of'],
];
