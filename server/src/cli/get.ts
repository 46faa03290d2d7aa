/** `ticklake get`: the rows of a server in one file, or on standard output. */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createWriteStream, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Query, RemoteFile, Ticklake } from '@ticklake/client';
import { UsageError } from '../base/errors.ts';
import { counted } from '../base/printable.ts';
import { synchronizeFile } from '../base/write-whole-file.ts';
import { joinParquet } from '../installed.ts';
import {
  type Command,
  type CommandContext,
  flag,
  type OptionValues,
  option,
  textOf,
  wholeNumberOf,
} from './command.ts';
import { isTerminal } from './progress-bar.ts';
import { asUsageError, clientOf, columnsOf, filtersOf, SERVER_OPTIONS } from './server-options.ts';

export const GET_OPTIONS = {
  ...SERVER_OPTIONS,
  format: option(
    'F',
    'csv, csv_gzip, parquet or arrow (default: by the name of the file, else csv)',
  ),
  output: option('FILE', 'where to write; - is standard output (default)'),
  columns: option('A,B', 'columns, in that order'),
  sort: option('A,-B', 'columns to sort by; - descends'),
  period: option('P', 'length of the look-back window, such as 20Y (default: that of the dataset)'),
  interval: option('I', 'bars of another length, such as 1h, built from the stored ones'),
  continuous: flag('follow each company through its changes of ticker'),
  symbols: option('S', 'strict refuses tickers that meant more than one company on the dates'),
  'adjusted-as-of': option(
    'DATE',
    'adjusts rows of an adjusted dataset by the events up to this date alone',
  ),
  adjustments: option('A', 'splits adjusts by events that change the number of shares alone'),
  'adjustment-factors': flag('adjusted rows have their factors, whatever columns are asked for'),
  'factors-version': option('N', 'version of the adjustment factors'),
  'dataset-version': option('N', 'version to read'),
  'as-of': option('TIME', 'the version that was current at this time'),
  limit: option('N', 'rows at most'),
};

/** Options of a question, which a path has itself. */
export const QUESTION_OPTIONS = [
  ...['columns', 'sort', 'period', 'interval', 'continuous', 'symbols'],
  ...['adjusted-as-of', 'adjustments', 'adjustment-factors', 'factors-version'],
  ...['dataset-version', 'as-of'],
];

/** The formats, by the ends of files' names. */
const SUFFIXES = {
  csv: '.csv',
  csv_gzip: '.csv.gz',
  parquet: '.parquet',
  arrow: '.arrows',
} as const;
type Format = keyof typeof SUFFIXES;
const FORMATS = Object.keys(SUFFIXES) as Format[];

function formatOf(given: unknown, output: string): Format {
  if (given === undefined) return FORMATS.find((name) => output.endsWith(SUFFIXES[name])) ?? 'csv';
  const format = FORMATS.find((name) => name === given);
  if (format) return format;
  throw new UsageError(`--format is one of ${FORMATS.join(', ')}, not ${given}`);
}

/** The rows of a dataset; those that pages would find, whatever the format. */
async function datasetQuery(
  client: Ticklake,
  values: OptionValues,
  [name = '', ...filters]: readonly string[],
  signal: AbortSignal,
): Promise<Query> {
  const dataset = client.dataset(name);
  const { default_period: usual } = await dataset.form(signal);
  return dataset.read({
    where: filtersOf(filters),
    columns: columnsOf(values.columns),
    sort: columnsOf(values.sort),
    version: wholeNumberOf(values, 'dataset-version'),
    asOf: textOf(values, 'as-of'),
    // Named in any case, because files have no look-back window of their own.
    period: textOf(values, 'period') ?? usual ?? undefined,
    interval: textOf(values, 'interval'),
    continuous: values.continuous as boolean | undefined,
    adjustedAsOf: textOf(values, 'adjusted-as-of'),
    adjustmentFactors: values['adjustment-factors'] as boolean | undefined,
    factorsVersion: wholeNumberOf(values, 'factors-version'),
    // The server says which words there are.
    adjustments: values.adjustments as 'all' | 'splits' | undefined,
    symbols: values.symbols as 'any' | 'strict' | undefined,
    ...{ limit: wholeNumberOf(values, 'limit'), signal },
  });
}

function pathQuery(
  client: Ticklake,
  values: OptionValues,
  [name = '', ...filters]: readonly string[],
  signal: AbortSignal,
): Query {
  const own = [...filters, ...QUESTION_OPTIONS.filter((each) => each in values)];
  if (own.length > 0) throw new UsageError(`a path has its own parameters, not ${own.join(', ')}`);
  const path = name.replace(/^\/?((api\/)?v1\/)?data\/|^\//, '');
  return client.path(path, { limit: wholeNumberOf(values, 'limit'), signal });
}

/** Writes all bytes, at the pace at which they are taken. Resolves to their number. */
async function write(bytes: AsyncIterable<Uint8Array>, to: NodeJS.WritableStream): Promise<number> {
  let byteCount = 0;
  for await (const chunk of bytes) {
    byteCount += chunk.length;
    if (!to.write(chunk)) await once(to, 'drain');
  }
  return byteCount;
}

/** The file is there when all of it is. */
async function writeFile(bytes: AsyncIterable<Uint8Array>, path: string): Promise<number> {
  const partial = `${path}.${randomUUID()}.partial`;
  try {
    const file = createWriteStream(partial, { flags: 'wx' });
    await pipeline(bytes, file);
    synchronizeFile(partial);
    renameSync(partial, path);
    return file.bytesWritten;
  } catch (error) {
    rmSync(partial, { force: true });
    throw error;
  }
}

/** Joins files of the service; needs their space again until it is whole. */
async function* joinedParquet(
  files: readonly RemoteFile[],
  output: string,
): AsyncGenerator<Uint8Array> {
  const place = output === '-' ? tmpdir() : dirname(output);
  const folder = mkdtempSync(join(place, '.ticklake-get-'));
  try {
    const paths = files.map((_, at) => join(folder, `${at}.parquet`));
    for (const [at, file] of files.entries()) await file.download(paths[at] as string);
    yield* (await joinParquet(paths)).chunks();
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** By files if they have all rows; else as a page, which refuses too many rows. */
async function* parquetOf(
  query: Query,
  isWhole: boolean,
  output: string,
): AsyncGenerator<Uint8Array> {
  const files = isWhole ? (await query.files()).files : [];
  const [file] = files;
  if (file && files.length === 1) yield* file.stream();
  else if (file) yield* joinedParquet(files, output);
  else yield* query.bytes('parquet');
}

async function run(context: CommandContext, values: OptionValues, positionals: readonly string[]) {
  const output = textOf(values, 'output') ?? '-';
  const format = formatOf(values.format, output);
  const { stdout, signal } = context;
  if (output === '-' && context.isJson) {
    throw new UsageError(
      'with --json, standard output is for the result: name a file with --output',
    );
  }
  if (output === '-' && format !== 'csv' && isTerminal(stdout)) {
    throw new UsageError(`${format} is not for terminals: name a file with --output`);
  }
  try {
    const isPath = positionals[0]?.includes('/') === true;
    const queryOf = isPath ? pathQuery : datasetQuery;
    const query = await queryOf(clientOf(context, values), values, positionals, signal);
    const isWhole = !isPath && !values.sort && !values.limit;
    const bytes = format === 'parquet' ? parquetOf(query, isWhole, output) : query.bytes(format);
    const byteCount = output === '-' ? await write(bytes, stdout) : await writeFile(bytes, output);
    const { version, window } = query;
    const dates = window === null ? '' : `, dates ${window}`;
    const text = `${output}: ${counted(byteCount, 'byte')} of version ${version}${dates}\n`;
    return {
      value: { output, format, byteCount, datasetVersion: version, window },
      text: output === '-' ? '' : text,
    };
  } catch (error) {
    throw asUsageError(error);
  }
}

export const get: Command = {
  name: ['get'],
  summary: 'write rows of a server to one file or to standard output',
  usage: '<dataset or path> [filter...]',
  options: GET_OPTIONS,
  run,
};
