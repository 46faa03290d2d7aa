/** Commands that ask a server over HTTP: `get`, `mirror` and `sharing profile`. */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import {
  APIError,
  type Query,
  type RemoteFile,
  Ticklake,
  TicklakeError,
  type Where,
} from '@ticklake/client';
import { atEnd } from '../base/at-end.ts';
import { UsageError } from '../base/errors.ts';
import { failureText } from '../base/failure-text.ts';
import { counted, printableLine } from '../base/printable.ts';
import { writeSecretFile } from '../base/secret.ts';
import { synchronizeFile } from '../base/write-whole-file.ts';
import { joinParquet, tryLockFile } from '../installed.ts';
import { type MirrorReport, mirrorDataset } from '../mirror/mirror-dataset.ts';
import {
  type Command,
  type CommandContext,
  EXIT,
  flag,
  type OptionValues,
  option,
  repeatable,
  textOf,
  textsOf,
  wholeNumberOf,
} from './command.ts';
import { isTerminal } from './progress-bar.ts';
import { IS_ROWLESS, ROWLESS_BYTES_MAX } from './rowless-answer.ts';

const DEFAULT_URL = 'http://127.0.0.1:8080';

export const SERVER_OPTIONS = {
  server: option('URL', `address of the server (default: $TICKLAKE_URL, else ${DEFAULT_URL})`),
  'key-file': option('FILE', 'read the API key from FILE (default: the key in $TICKLAKE_KEY)'),
};

/** The key in the file, or else in the environment. Throws `UsageError` where there is none. */
export function keyOf({ env }: CommandContext, file: unknown): string {
  if (typeof file !== 'string') {
    if (env.TICKLAKE_KEY) return env.TICKLAKE_KEY;
    throw new UsageError('there is no API key: set TICKLAKE_KEY, or name its file with --key-file');
  }
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (error) {
    throw new UsageError(`--key-file: ${failureText(error)}`);
  }
}

/** A client of the server that the command line, or else the environment, names. */
export function clientOf(context: CommandContext, values: OptionValues): Ticklake {
  const url = textOf(values, 'server') ?? context.env.TICKLAKE_URL ?? DEFAULT_URL;
  const key = keyOf(context, values['key-file']);
  const warn = (message: string) => context.stderr.write(`ticklake: ${printableLine(message)}\n`);
  try {
    return new Ticklake({ url, key, warn });
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

/** The words of a list as filters write it: with commas between, some in quotes. */
function listOf(text: string): string[] {
  const items = text.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g);
  return [...items].map(([, quoted, plain]) => quoted?.replaceAll('""', '"') ?? plain ?? '');
}

/** Filters from words such as `Ticker=AVQX` and `Price.ge=10`; lists if the operator takes them. */
function filtersOf(words: readonly string[]): Where {
  const where: Record<string, string | string[]> = {};
  for (const word of words) {
    const at = word.indexOf('=');
    if (at <= 0)
      throw new UsageError(`a filter is such as Ticker=AVQX or Price.ge=10, not ${word}`);
    const [name, value] = [word.slice(0, at), word.slice(at + 1)];
    if (name in where) throw new UsageError(`the filter ${name} is given twice`);
    where[name] = name.endsWith('.in') ? listOf(value) : value;
  }
  return where;
}

function columnsOf(value: unknown): string[] | undefined {
  return typeof value === 'string' ? value.split(',') : undefined;
}

const REFUSALS = [400, 401, 403, 404, 406, 410, 422];

/** An error of the client, as one of the command line's words. */
function asUsageError(error: unknown): unknown {
  // The classes below it are failures of the server or on the way.
  if (error instanceof TicklakeError && error.name === 'TicklakeError') {
    return new UsageError(error.message);
  }
  const isRefusal = error instanceof APIError && REFUSALS.includes(error.status);
  return isRefusal ? new UsageError(`the server answers with ${error.message}`) : error;
}

/** Options of a question, which a path has itself. */
const QUESTION_OPTIONS = {
  columns: option('A,B', 'columns, in that order'),
  sort: option('A,-B', 'columns to sort by; - descends'),
  period: option('P', 'length of the look-back window, such as 20Y (default: that of the dataset)'),
  interval: option('I', 'bars of another length, such as 1h, built from the stored ones'),
  session: option('S', 'bars of regular, extended or overnight hours alone'),
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
};

const GET_OPTIONS = {
  ...SERVER_OPTIONS,
  format: option(
    'F',
    'csv, csv_gzip, parquet or arrow (default: by the name of the file, else csv)',
  ),
  output: option('FILE', 'where to write; - is standard output (default)'),
  ...QUESTION_OPTIONS,
  limit: option('N', 'rows at most'),
};

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
    session: values.session as 'regular' | 'extended' | 'overnight' | undefined,
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
  const own = [...filters, ...Object.keys(QUESTION_OPTIONS).filter((each) => each in values)];
  if (own.length > 0) throw new UsageError(`a path has its own parameters, not ${own.join(', ')}`);
  const path = name.replace(/^\/?((api\/)?v1\/)?data\/|^\//, '');
  return client.path(path, { limit: wholeNumberOf(values, 'limit'), signal });
}

/** Passes bytes on, and puts the first of them into `kept`. */
async function* keepingStart(
  bytes: AsyncIterable<Uint8Array>,
  kept: Uint8Array[],
): AsyncGenerator<Uint8Array> {
  let byteCount = 0;
  for await (const chunk of bytes) {
    byteCount += chunk.length;
    if (byteCount <= ROWLESS_BYTES_MAX) kept.push(chunk);
    yield chunk;
  }
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
async function writeWhole(bytes: AsyncIterable<Uint8Array>, path: string): Promise<number> {
  const partial = `${path}.${randomUUID()}.partial`;
  try {
    // Not by a stream: one that fails before its file is open makes it after it was removed.
    await writeFile(partial, bytes, { flag: 'wx' });
    synchronizeFile(partial);
    // Before the file has its name, from when on others may move it.
    const { size } = statSync(partial);
    renameSync(partial, path);
    return size;
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
  using _removal = atEnd(() => rmSync(folder, { recursive: true, force: true }));
  const paths = files.map((_, at) => join(folder, `${at}.parquet`));
  for (const [at, file] of files.entries()) await file.download(paths[at] as string);
  yield* (await joinParquet(paths)).chunks();
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

async function runGet(
  context: CommandContext,
  values: OptionValues,
  positionals: readonly string[],
) {
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
    const answer = format === 'parquet' ? parquetOf(query, isWhole, output) : query.bytes(format);
    const start: Uint8Array[] = [];
    const bytes = keepingStart(answer, start);
    const byteCount = output === '-' ? await write(bytes, stdout) : await writeWhole(bytes, output);
    const isShort = byteCount <= ROWLESS_BYTES_MAX;
    const isRowless = isShort && (await IS_ROWLESS[format](Buffer.concat(start)));
    const { version, window } = query;
    const dates = window === null ? '' : `, dates ${window}`;
    const what = isRowless ? 'no rows' : counted(byteCount, 'byte');
    const place = output === '-' ? 'standard output' : output;
    const text = `${place}: ${what} of version ${version}${dates}\n`;
    return {
      value: { output, format, byteCount, datasetVersion: version, window },
      text: output === '-' && !isRowless ? '' : text,
      ...(isRowless && { exitCode: EXIT.nothingToDo }),
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
  run: runGet,
};

/** The text ids of datasets that are named by it or by their id. Throws `UsageError` for others. */
async function textIdsOf(client: Ticklake, names: readonly string[]): Promise<string[]> {
  const known = await client.datasets();
  return [...new Set(names)].map((name) => {
    const found = known.find(
      ({ dataset_id: id, dataset_text_id: textId }) => id === name || textId === name,
    );
    if (!found) throw new UsageError(`the server has no dataset ${name}`);
    return found.dataset_text_id;
  });
}

type NamedReport = MirrorReport & { readonly name: string; readonly path: string };

function lineOf({ name, ...report }: NamedReport): string {
  const { isChanged, datasetVersion, rowCount, fileCount, fetchedFileCount } = report;
  const what = `version ${datasetVersion}, ${counted(rowCount, 'row')} in ${counted(fileCount, 'file')}`;
  const how = isChanged
    ? `${counted(fetchedFileCount, 'file')} of ${counted(report.fetchedByteCount, 'byte')} fetched`
    : 'as it was';
  return `${name}: ${what}; ${how}\n`;
}

async function mirrorOne(
  context: CommandContext,
  values: OptionValues,
  client: Ticklake,
  [dir, name]: readonly [string, string],
): Promise<NamedReport> {
  const path = join(dir, name);
  mkdirSync(path, { recursive: true });
  const lock = tryLockFile(join(path, '.lock'));
  if (!lock) throw new UsageError(`another process is updating ${path}; try again later`);
  using _lock = atEnd(() => lock.release());
  const report = await mirrorDataset({
    ...{ name, path, signal: context.signal, verifies: values.verify === true },
    dataset: client.dataset(name),
    server: client.url,
    where: filtersOf(textsOf(values, 'where')),
    columns: columnsOf(values.columns),
    onProgress: (doneBytes, allBytes) =>
      context.onProgress(name, allBytes ? doneBytes / allBytes : 1),
  });
  return { name, path, ...report };
}

async function runMirror(
  context: CommandContext,
  values: OptionValues,
  [dir = '', ...names]: readonly string[],
) {
  try {
    const client = clientOf(context, values);
    const reports: NamedReport[] = [];
    for (const name of await textIdsOf(client, names)) {
      reports.push(await mirrorOne(context, values, client, [dir, name]));
    }
    return { value: { datasets: reports }, text: reports.map(lineOf).join('') };
  } catch (error) {
    throw asUsageError(error);
  }
}

export const mirror: Command = {
  name: ['mirror'],
  summary: 'keep a local copy of datasets of a server up to date, as Parquet files',
  usage: '<dir> <dataset...>',
  options: {
    ...SERVER_OPTIONS,
    where: repeatable('FILTER', 'only rows that pass, such as Ticker.in=AVQX,BZOQ'),
    columns: option('A,B', 'only these columns'),
    verify: flag('read the existing files again, and download those that were altered'),
  },
  run: runMirror,
};

const TIMEOUT_MS = 30_000;
/** The only version of profiles so far. */
const PROFILE_VERSION = 1;

interface Shares {
  readonly items?: readonly { readonly name: string }[];
}

/** The account's share, null if it may read nothing. Throws `UsageError` for a refused key. */
async function shareOf(endpoint: string, key: string, stop: AbortSignal): Promise<string | null> {
  const signal = AbortSignal.any([stop, AbortSignal.timeout(TIMEOUT_MS)]);
  const headers = { Authorization: `Bearer ${key}` };
  const asked = fetch(`${endpoint}/shares`, { headers, signal, redirect: 'error' });
  const answer = await asked.catch((error: Error) => {
    const reason = failureText(error.cause ?? error);
    throw new Error(`${endpoint} cannot be reached: ${reason}`, { cause: error });
  });
  const text = await answer.text();
  if (!answer.ok) throw new UsageError(`the server answers with ${answer.status}: ${text}`);
  return (JSON.parse(text) as Shares).items?.[0]?.name ?? null;
}

function writeProfile(path: string, profile: object): void {
  try {
    writeSecretFile(path, JSON.stringify(profile, null, 2));
  } catch (error) {
    throw new UsageError(failureText(error));
  }
}

async function runProfile(
  context: CommandContext,
  values: OptionValues,
  [file = '']: readonly string[],
) {
  const key = keyOf(context, values['key-file']);
  const endpoint = `${clientOf(context, values).url}/delta-sharing`;
  const share = await shareOf(endpoint, key, context.signal);
  const path = resolve(file);
  writeProfile(path, { shareCredentialsVersion: PROFILE_VERSION, endpoint, bearerToken: key });
  const what =
    share === null ? 'no share yet, because the account has no rules' : `the share ${share}`;
  return {
    value: { output: path, endpoint, share },
    text: `${path}: ${what}, at ${endpoint}\nThe file holds your API key: keep it to yourself.\n`,
  };
}

export const sharingProfile: Command = {
  name: ['sharing', 'profile'],
  summary: 'write the profile by which clients of Delta Sharing read from a server',
  usage: '<file>',
  options: SERVER_OPTIONS,
  run: runProfile,
};
