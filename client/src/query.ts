/** A question that is sent when somebody reads its rows. */
import { streamOf } from './byte-stream.ts';
import { IntegrityError, MissingIdentifiersError, TicklakeError } from './errors.ts';
import { FILES_OF, joinFiles } from './joined-files.ts';
import { type BytesFormat, JOINED_WALKS, JOINS, type Join } from './joined-pages.ts';
import { type FileFormat, type FileSet, openFiles } from './manifest.ts';
import type { RowLimit } from './named-types.ts';
import {
  answerColumns,
  bulkPath,
  dataPaths,
  listsIdentifiers,
  type Parameter,
  type Path,
  type Question,
  requireAnswer,
  type Where,
} from './request.ts';
import { RowReader, unzipped } from './rows.ts';
import {
  type Missing,
  missingIn,
  missingText,
  notesOf,
  type Told,
  toldBy,
  unadjustedText,
} from './told.ts';
import type { Transport } from './transport.ts';
import type { DataScan, Explanation, Manifest, QueryForm } from './types.ts';
import type { Row } from './values.ts';
import { Pin, type Walk, walkPages } from './walk.ts';

export interface ReadOptions extends Question {
  /** Rows of one page, at most. Default: as many as the service allows. */
  readonly pageRows?: number | undefined;
  /** Aborting it ends what is under way; the error is its reason. */
  readonly signal?: AbortSignal | undefined;
}

/** A dataset to ask for rows. */
export interface Asked {
  readonly name: string;
  form(signal?: AbortSignal): Promise<QueryForm>;
  /** Filters beside those of the question. */
  filters?(form: QueryForm): Where;
  /** A look-back period that covers the dates of these filters; undefined: the dataset's own. */
  period?: string | undefined;
  /** A note for the reader, such as that another dataset is read. */
  readonly note?: string | null;
}

/** The rows of one answer. */
export interface Page<R = Row> extends Told {
  readonly rows: readonly R[];
  readonly version: number | null;
  readonly requestId: string | null;
}

/** The cost of reading rows: at most, of all pages together. */
export interface Estimate {
  readonly version: number | null;
  readonly rowsScanned: number;
  readonly bytesScanned: number;
  /** As the service tells of the first page of each request. */
  readonly scans: readonly DataScan[];
}

/** Rows of answers in gzip; more than other formats allow. */
const ROWS_FORMAT = 'csv_gzip';

/** The most pages that so many rows of an answer come to. */
function pageCountMax({ row_count_max: rows, formats }: DataScan, limit: number): number {
  const own = formats.find(({ response_format: name }) => name === ROWS_FORMAT);
  const share = Math.min(1, limit / Math.max(1, rows));
  return Math.max(1, Math.ceil((own?.page_count_max ?? 1) * share));
}

/** Each page scans as much as the first one; `limit` is of rows. */
export function estimateOf(scans: readonly DataScan[], limit: number): Estimate {
  const sumOf = (scanned: (scan: DataScan) => number) =>
    scans.reduce((sum, scan) => sum + scanned(scan) * pageCountMax(scan, limit), 0);
  return {
    version: scans[0]?.dataset_version ?? null,
    rowsScanned: sumOf((scan) => scan.rows_scanned),
    bytesScanned: sumOf((scan) => scan.bytes_scanned),
    scans,
  };
}

/** How rows are grouped, and what is computed of each group. */
export interface Groups {
  /** Such as `['count', 'sum(Quantity)', 'vwap(Price,Quantity)']`, without spaces. */
  readonly select: readonly string[];
  /** Columns whose equal values make a group. Default: all rows are one. */
  readonly by?: readonly string[];
  /** Such as `5m` or `1w`: groups by time as well. */
  readonly interval?: string;
}

function groupParameters({ select, by = [], interval }: Groups): Parameter[] {
  return [
    ['select', select.join(',')],
    ...(by.length > 0 ? [['by', by.join(',')] as Parameter] : []),
    ...(interval ? [['interval', interval] as Parameter] : []),
  ];
}

/** Parameters that choose a page, or bars that groups take the place of. */
const OF_PAGES = ['columns', 'sort', 'interval', 'adjustment_factors'];

const withoutPage = (parameters: readonly Parameter[]) =>
  parameters.filter(([name]) => !OF_PAGES.includes(name));

/** Columns of groups with their types: those of the dataset, and one for each value. */
function groupColumns({ columns }: QueryForm, { select }: Groups) {
  const types = new Map(columns.map(({ name, data_type }) => [name, data_type]));
  const computed = select.map((name) => {
    const [, kind = '', column = ''] = /^(\w+)\(?(\w*)/.exec(name) ?? [];
    const own = types.get(column) ?? 'number';
    const isOwn = ['min', 'max', 'first', 'last'].includes(kind);
    const isExact = kind === 'sum' && own !== 'number';
    const other = kind === 'count' ? 'integer' : isExact ? 'decimal' : 'number';
    return { name, data_type: isOwn ? own : other } as const;
  });
  return [...columns, ...computed];
}

const NO_LIMIT = Number.POSITIVE_INFINITY;
const NEVER = new AbortController().signal;

/** Pages are sorted, files are not. */
function isOfPagesAlone({ sort }: Question): boolean {
  return Boolean(sort?.length);
}

/** Binds a request to the versions of the first answer. */
function pinned({ path, parameters }: Path, { parameters: pins }: Pin): Path {
  if (pins.length === 0) return { path, parameters };
  const replaced = ['as_of', ...pins.map(([name]) => name)];
  return {
    path,
    parameters: [...parameters.filter(([name]) => !replaced.includes(name)), ...pins],
  };
}

export class Query<R = Row> implements AsyncIterable<R> {
  readonly #transport: Transport;
  readonly #dataset: Asked;
  readonly #options: ReadOptions;
  /** Another path than the dataset's own, such as that of changes. */
  readonly #path: (() => Promise<Path>) | null;
  readonly #pin = new Pin();
  #window: string | null = null;
  #missing: Missing | null = null;
  #unadjusted: readonly string[] | null = null;
  readonly #warned = new Set<string>();

  /** Made by `Dataset`. */
  constructor(
    transport: Transport,
    dataset: Asked,
    options: ReadOptions,
    path?: () => Promise<Path>,
  ) {
    this.#transport = transport;
    this.#dataset = dataset;
    this.#options = options;
    this.#path = path ?? null;
  }

  /** The version that is read, from the first answer on. */
  get version(): number | null {
    return this.#pin.of('dataset_version');
  }

  /** The version of the adjustment factors, from the first answer on, if any were used. */
  get factorsVersion(): number | null {
    return this.#pin.of('factors_version');
  }

  /** The version of the ranks of continuous contracts, from the first answer on. */
  get rollsVersion(): number | null {
    return this.#pin.of('rolls_version');
  }

  /**
   * The dates that were read, `START/END`, if a look-back window or the account's rules closed
   * them; null before the first answer. Of several requests, those of the last.
   */
  get window(): string | null {
    return this.#window;
  }

  /**
   * Identifiers of a list without rows: they are unknown, have none on these dates, or are not the
   * account's to read. Null before the first answer, and if nobody tells.
   */
  get missing(): Missing | null {
    return this.#missing;
  }

  /**
   * Securities whose rows are not adjusted, as the header `X-Unadjusted` has them: ticker, ASID if
   * there is one, and the reason. Null until one is named; files do not tell.
   */
  get unadjusted(): readonly string[] | null {
    return this.#unadjusted;
  }

  /**
   * The rows by pages, the next one fetched while one is worked on. If `where` leaves a day or an
   * identifier of the path open, they come from files, as far as these have arrived.
   */
  pages(): AsyncGenerator<Page<R>> {
    return this.#pages(this.#limit);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<R> {
    for await (const { rows } of this.pages()) yield* rows;
  }

  /** The first rows, up to a limit that has to be named; `Infinity` is one. */
  async toArray({ limit }: { readonly limit: number }): Promise<R[]> {
    const pages: (readonly R[])[] = [];
    for await (const { rows } of this.#pages(Math.min(limit, this.#limit))) pages.push(rows);
    return pages.flat() as R[];
  }

  /** The answer as one stream of Arrow's streaming format, for any reader of it. */
  arrow(): ReadableStream<Uint8Array<ArrayBuffer>> {
    return streamOf(this.bytes('arrow'));
  }

  /**
   * The answer in a format, page by page; Parquet only if it is one page. If `where` leaves a day
   * or an identifier of the path open, it is joined from files.
   */
  async *bytes(format: BytesFormat): AsyncGenerator<Uint8Array<ArrayBuffer>> {
    if (await this.#needsFiles(format)) {
      yield* this.#joinedFiles(format);
      return;
    }
    const join: Join = JOINS[format];
    const paths = await this.#paths();
    if (paths.length > 1 && this.#limit < NO_LIMIT) {
      throw new TicklakeError(
        `These are ${paths.length} requests: their rows can be read, or their bytes without a limit; ` +
          'or ask for one day and identifier',
      );
    }
    await this.#requireAll(paths);
    for (const [at, path] of paths.entries()) {
      const walk = await this.#walk(path, format, (bytes) => bytes, this.#limit);
      let isBegin = true;
      for await (const { body, isLast, headers } of walk) {
        await this.#tell(toldBy(headers), isBegin && paths.length === 1);
        const isFirst = isBegin && at === 0;
        yield join(body, { isFirst, isBegin, isLast: isLast && at === paths.length - 1 });
        isBegin = false;
      }
    }
  }

  /** How much reading would scan at most, and of which version. Reads no rows. */
  async estimate(): Promise<Estimate> {
    const scans: DataScan[] = [];
    for (const given of await this.#paths()) {
      const { path, parameters } = pinned(given, this.#pin);
      if (!path.startsWith('data/')) throw new TicklakeError('There is no estimate of changes');
      const rest = { signal: this.#options.signal, about: { dataset: this.#dataset.name } };
      const scanPath = path.replace(/^data\//, 'data-scan/');
      const scan = await this.#transport.json<DataScan>(scanPath, parameters, rest);
      this.#pin.hold(scan);
      scans.push(scan);
    }
    return estimateOf(scans, this.#limit);
  }

  /** The exact number of rows, whatever `limit` says. What the index does not know is scanned. */
  async count(): Promise<number> {
    let total = 0;
    for (const { path, parameters } of await this.#paths()) {
      if (!path.startsWith('data/')) throw new TicklakeError('Changes cannot be counted');
      const asked: Path = { path, parameters: [...parameters, ['count', 'exact']] };
      for await (const { headers } of await this.#walk(asked, ROWS_FORMAT, unzipped, 1)) {
        const told = headers.get('x-pagination-total');
        if (told === null) throw new IntegrityError('The answer does not tell the number of rows');
        total += Number(told);
      }
    }
    return total;
  }

  /**
   * Groups of the rows, computed by the service, with columns named as `select` writes them.
   * `sort`, `columns` and `limit` do not apply.
   */
  async aggregate(groups: Groups): Promise<Row[]> {
    const { form } = await this.#question();
    const { path, parameters } = await this.#onePath();
    const asked: Path = {
      path: `${path}/aggregate`,
      parameters: [...withoutPage(parameters), ...groupParameters(groups)],
    };
    const reader = new RowReader(groupColumns(form, groups));
    const rows: Row[] = [];
    for await (const page of await this.#walk(asked, ROWS_FORMAT, unzipped, NO_LIMIT)) {
      rows.push(...reader.read(page.body));
      reader.end();
    }
    return rows;
  }

  /** Which of the account's rules decide about the request, and what would change that. */
  async explain(): Promise<Explanation> {
    const { path, parameters } = pinned(await this.#onePath(), this.#pin);
    const rest = { signal: this.#options.signal, about: { dataset: this.#dataset.name } };
    return await this.#transport.json<Explanation>(`${path}/explain`, parameters, rest);
  }

  async #onePath(): Promise<Path> {
    const [path, ...others] = await this.#paths();
    if (path?.path.startsWith('data/') && others.length === 0) return path;
    throw new TicklakeError('Ask about one request for rows: of one day and one identifier');
  }

  /** All rows as files, with links to them. `sort` and `limit` do not apply to files. */
  files({ format = 'parquet' }: { readonly format?: FileFormat } = {}): Promise<FileSet> {
    const read = async () => {
      const { form, question } = await this.#question();
      return await this.#manifest(form, question, format);
    };
    return openFiles(this.#transport, read, this.#options.signal);
  }

  async #manifest(form: QueryForm, question: Question, format: FileFormat): Promise<Manifest> {
    const { path, parameters } = pinned(bulkPath(form, question), this.#pin);
    const named: Parameter[] = format === 'parquet' ? [] : [['response_format', format]];
    const asked = [...parameters, ...named];
    const rest = { signal: this.#options.signal, about: { dataset: this.#dataset.name } };
    const answer = await this.#transport.json<Manifest>(`bulk/${path}`, asked, rest);
    requireAnswer(form, question, answer.canonical_request);
    this.#pin.hold(answer);
    const { window, symbols, hint } = answer;
    const told = { window, symbols, hint, missing: missingIn(answer), unadjusted: null };
    await this.#tell(told, true);
    return answer;
  }

  /** True if only files can be joined to one body of the format. */
  async #needsFiles(format: BytesFormat): Promise<boolean> {
    if (this.#path) return false;
    const { form, question } = await this.#question();
    const isCut = isOfPagesAlone(question) || this.#limit < NO_LIMIT;
    const pathCount = dataPaths(form, question)?.length ?? NO_LIMIT;
    const isOne = pathCount === 1 || (pathCount < NO_LIMIT && JOINED_WALKS.includes(format));
    return !isCut && !isOne;
  }

  async *#joinedFiles(format: BytesFormat): AsyncGenerator<Uint8Array<ArrayBuffer>> {
    const { form, question } = await this.#question();
    const { files, hint, rowlessStream } = await this.files({ format: FILES_OF[format] });
    if (files.length === 0 && rowlessStream) {
      yield rowlessStream;
      return;
    }
    // Without files, nothing tells the types of the columns.
    if (files.length === 0 && (format === 'arrow' || format === 'parquet')) {
      throw new TicklakeError(`There are no rows.${hint ? ` ${hint}` : ''}`);
    }
    yield* joinFiles(format, files, answerColumns(form, question));
  }

  get #limit(): number {
    return this.#options.limit ?? NO_LIMIT;
  }

  async *#pages(limit: number): AsyncGenerator<Page<R>> {
    const { columns } = await this.#dataset.form(this.#options.signal);
    if (await this.#isOfAnyPath()) {
      yield* this.#filePages(limit);
      return;
    }
    let left = limit;
    const paths = await this.#paths();
    let isFirst = paths.length === 1;
    await this.#requireAll(paths);
    const found = new Map<string, number>();
    for (const path of paths) {
      if (left <= 0) return;
      const reader = new RowReader(columns);
      for await (const page of await this.#walk(path, ROWS_FORMAT, unzipped, left)) {
        const told = toldBy(page.headers);
        await this.#tell(told, isFirst);
        isFirst = false;
        const all = [...reader.read(page.body)] as R[];
        reader.end();
        const rows = all.length > left ? all.slice(0, left) : all;
        left -= rows.length;
        if (path.identifier !== undefined) {
          found.set(path.identifier, (found.get(path.identifier) ?? 0) + rows.length);
        }
        yield { rows, version: this.version, requestId: page.headers.get('x-request-id'), ...told };
      }
    }
    if (found.size < 2 || !(await this.#isChosenByPath())) return;
    const names = [...found].flatMap(([name, rowCount]) => (rowCount === 0 ? [name] : []));
    this.#tellMissing({ count: names.length, of: found.size, names });
  }

  /** Asks a manifest which identifiers have no rows, before strict reads of one at a time. */
  async #requireAll(paths: readonly Path[]): Promise<void> {
    const isOfMany = new Set(paths.map(({ identifier }) => identifier)).size > 1;
    if (!this.#options.strict || !isOfMany) return;
    const { form, question } = await this.#question();
    // Pages have the dataset's look-back period, files have none of their own.
    const period = question.period ?? form.default_period ?? undefined;
    await this.#manifest(form, { ...question, period }, 'parquet');
  }

  /** True if only identifiers and dates choose rows, so that the rows show whose are missing. */
  async #isChosenByPath(): Promise<boolean> {
    const { form, question } = await this.#question();
    const columns = [form.date_column, ...form.identifier_columns];
    const names = Object.keys(question.where ?? {}).map((name) => name.split('.')[0] ?? '');
    return !question.continuous && names.every((name) => columns.includes(name));
  }

  /** True if the question names no path, so that only files have its rows. */
  async #isOfAnyPath(): Promise<boolean> {
    if (this.#path) return false;
    const { form, question } = await this.#question();
    return dataPaths(form, question) === null && !isOfPagesAlone(question);
  }

  async *#filePages(limit: number): AsyncGenerator<Page<R>> {
    const { form, question } = await this.#question();
    const { files, hint, version, window, symbols } = await this.files({ format: FILES_OF.csv });
    const about = {
      ...{ version, window, symbols, hint },
      ...{ missing: null, unadjusted: null, requestId: null },
    };
    const columns = answerColumns(form, question);
    const reader = new RowReader(form.columns);
    const decoder = new TextDecoder();
    if (files.length === 0) yield { rows: [], ...about };
    let left = limit;
    for await (const chunk of joinFiles('csv', files, columns)) {
      if (left <= 0) return;
      const all = [...reader.read(decoder.decode(chunk, { stream: true }))] as R[];
      const rows = all.slice(0, left);
      left -= rows.length;
      if (rows.length > 0) yield { rows, ...about };
    }
    reader.end();
  }

  /** The question, with the filters of what it is asked of. */
  async #question(): Promise<{ form: QueryForm; question: ReadOptions }> {
    const form = await this.#dataset.form(this.#options.signal);
    const where = { ...this.#dataset.filters?.(form), ...this.#options.where };
    const period = this.#options.period ?? (form.default_period && this.#dataset.period);
    return { form, question: { ...this.#options, where, ...(period && { period }) } };
  }

  /** Keeps what an answer says, and warns. Rejects a strict read that may lack identifiers. */
  async #tell(told: Told, isFirst: boolean): Promise<void> {
    this.#window = told.window;
    const { form, question } = await this.#question();
    const notes = this.#path ? [] : notesOf(told, form, question);
    if (told.unadjusted !== null) this.#tellUnadjusted(told.unadjusted.split(', '));
    for (const note of [this.#dataset.note, ...notes]) if (note) this.#warn(note);
    if (told.missing && !question.continuous) this.#tellMissing(told.missing);
    else if (isFirst && this.#options.strict && listsIdentifiers(form, question)) {
      throw new MissingIdentifiersError('Nobody tells which of the identifiers have no rows', []);
    }
  }

  #tellUnadjusted(entries: readonly string[]): void {
    const fresh = entries.filter((entry) => !this.#unadjusted?.includes(entry));
    if (fresh.length > 0) this.#warn(unadjustedText(fresh));
    this.#unadjusted = [...(this.#unadjusted ?? []), ...fresh];
  }

  #tellMissing(missing: Missing): void {
    this.#missing = missing;
    if (missing.count === 0) return;
    const text = missingText(missing);
    if (this.#options.strict) throw new MissingIdentifiersError(text, missing.names);
    this.#warn(text);
  }

  /** Once, however often the question is read. */
  #warn(note: string): void {
    if (!this.#warned.has(note)) this.#transport.warn(note);
    this.#warned.add(note);
  }

  /** The requests for the rows; several only where the path names days or identifiers. */
  async #paths(): Promise<Path[]> {
    if (this.#path) return [await this.#path()];
    const { form, question } = await this.#question();
    const paths = dataPaths(form, question);
    const needed = form.path_parameters.map((name) => name.replace('_', ' ')).join(' and ');
    if (paths === null) {
      throw new TicklakeError(
        `${form.dataset_id} is read by ${needed}: name each in 'where', one value or a list; or read it without 'sort'`,
      );
    }
    if (paths.length > 1 && question.sort?.length) {
      throw new TicklakeError(`'sort' is for one ${needed} at a time`);
    }
    return paths.map((each) => ({ ...each, path: `data/${each.path}` }));
  }

  async #walk<Body>(given: Path, format: BytesFormat, decode: Walk<Body>['decode'], limit: number) {
    const { signal, pageRows } = this.#options;
    const { path, parameters } = this.#path ? given : pinned(given, this.#pin);
    const transport = this.#transport;
    return walkPages({
      ...{ transport, decode, pin: this.#pin, limit, dataset: this.#dataset.name },
      first: transport.urlOf(path, [...parameters, ['response_format', format]]),
      pageRows: pageRows ?? (await this.#pageRowsOf(format)),
      signal: signal ?? NEVER,
    });
  }

  /** As many as a page may have; the service's default where it names no limit. */
  async #pageRowsOf(format: BytesFormat): Promise<number | null> {
    const { limits } = await this.#dataset.form(this.#options.signal);
    return (limits as Partial<Record<string, RowLimit>>)[format]?.maximum ?? null;
  }
}
