/** Loads the texts and files of one load into a writer, in their order. */
import { AllowanceMissing, UsageError } from '../base/errors.ts';
import { pathFailure } from '../base/failure-text.ts';
import type { Dataset } from '../catalog/dataset.ts';
import { HEADER_AS_IT_IS, type HeaderRules } from '../catalog/header-columns.ts';
import type { PartWriter } from '../engine/engine.ts';
import {
  type BadValue,
  type LoadReport,
  type ParquetLoader,
  type ParquetSource,
  type RecordLoader,
  SHOWN_BAD_VALUES,
} from '../engine/file-loading.ts';
import { BatchRecords } from './batch-records.ts';
import { CsvText, type CutBlock, RecordCutter, type TextLayout } from './cut-records.ts';
import type { IsRead } from './dbn-text.ts';
import {
  type NumberedRecords,
  numberRecords,
  type PlainRecordsBlock,
  runsOf,
} from './record-blocks.ts';
import { RowPlaces, withoutRows } from './row-places.ts';

/**
 * CSV text with a header line. `open` yields it from its beginning, unpacked; a chunk may be
 * overwritten when the next one is asked for. Fields that are not read may be empty.
 */
export interface CsvSource {
  readonly format: 'csv';
  /** Name in reports: the path, and the member's name in a zip file. */
  readonly displayName: string;
  open(isRead?: IsRead): AsyncIterable<Buffer>;
}

/** A file to load. */
export type SourceFile =
  | CsvSource
  | ({ readonly format: 'parquet' } & Omit<ParquetSource, 'header'>);

/** Reads the texts of a vendor. */
export interface TextOpener {
  /** The rows that each record becomes. */
  readonly rowsPerRecord: number;
  /** True if it refuses rows of another date than that in the name of their file. */
  readonly hasDatedNames: boolean;
  /** Fields of the texts so far that it does not know, and does not read. */
  readonly otherFields: ReadonlySet<string>;
  /**
   * The layout of a text and the text itself, with blank lines in place of its header and of what
   * else is no record. Rejects with a `UsageError` if it is no such text.
   */
  open(source: CsvSource): Promise<TextLayout & { readonly chunks: AsyncIterable<Buffer> }>;
}

/** How files are read. */
export interface ReadingRules {
  readonly header: HeaderRules;
  /** Absent: the header line of a text names columns. */
  readonly opener?: TextOpener | undefined;
  /** True if the last line of a text needs no line end. */
  readonly allowsUnended: boolean;
}

/** The failure of a source, with its name in the message. */
export function namedFailure(displayName: string, error: unknown): unknown {
  if (!(error instanceof UsageError)) return pathFailure(displayName, error);
  return new UsageError(`${displayName}: ${error.message}`);
}

const LINE_FEED = 10;
const AS_THEY_ARE: ReadingRules = { header: HEADER_AS_IT_IS, allowsUnended: true };

type Work = CutBlock | { readonly kind: 'parquet'; readonly source: ParquetSource };

async function* worksOf(
  dataset: Dataset,
  sources: AsyncIterable<SourceFile> | Iterable<SourceFile>,
  { header, opener, allowsUnended }: ReadingRules,
): AsyncGenerator<Work> {
  const cutter = new RecordCutter(dataset, header);
  for await (const source of sources) {
    if (source.format === 'parquet') {
      if (opener) throw new UsageError(`${source.displayName}: recipes read text, not Parquet`);
      cutter.flush();
      yield* cutter.take();
      yield { kind: 'parquet', source: { ...source, header } };
      continue;
    }
    let lastByte: number | undefined;
    try {
      const opened = (await opener?.open(source)) ?? null;
      const text = new CsvText(cutter, source.displayName, opened);
      for await (const chunk of opened?.chunks ?? source.open()) {
        lastByte = chunk.at(-1) ?? lastByte;
        text.push(chunk);
        yield* cutter.take();
      }
      text.end();
    } catch (error) {
      throw namedFailure(source.displayName, error);
    }
    if (lastByte !== LINE_FEED && !allowsUnended) {
      const text = `${source.displayName}: the last line has no end, so the file may be cut off`;
      throw new AllowanceMissing(text, 'allow_unended');
    }
    cutter.flushIfFull();
    yield* cutter.take();
  }
  cutter.flush();
  yield* cutter.take();
}

const NO_RECORDS = { rowCount: 0, badRowCount: 0, badFields: [], badRecordNumbers: [] };

/** The rows of a load in the writer: their counts and origins. */
export interface LoadedRows {
  readonly report: LoadReport;
  readonly places: RowPlaces;
}

class Loading {
  readonly #rowsPerRecord: number;
  readonly #places: RowPlaces;
  readonly #records: RecordLoader;
  readonly #batches: RecordLoader;
  readonly #parquet: ParquetLoader | undefined;
  #rowCount = 0;
  #badRowCount = 0;
  readonly #badValues: BadValue[] = [];

  constructor(writer: PartWriter, dataset: Dataset, opener: TextOpener | undefined) {
    this.#rowsPerRecord = opener?.rowsPerRecord ?? 1;
    this.#places = new RowPlaces(undefined, this.#rowsPerRecord);
    this.#batches = new BatchRecords(writer, dataset);
    this.#records = writer.records ?? this.#batches;
    this.#parquet = writer.parquet;
  }

  /** `turn` resolves when the work before is done. */
  async load(work: Work, turn: Promise<void>): Promise<void> {
    const block = work.kind === 'plain' ? work.block : null;
    const isSmall = block !== null && this.#isForBatches(block);
    const leftOut = block && !isSmall && (await this.#records.loadPlainRecords(block, turn));
    await turn;
    if (work.kind === 'parquet') return await this.#loadParquet(work.source);
    if (work.kind === 'numbered') await this.#loadNumbered(work.block);
    else if (leftOut) this.#addPlain(work.block, leftOut);
    else await this.#loadNumbered(numberRecords(work.block), isSmall ? this.#batches : undefined);
    work.release();
  }

  get loaded(): LoadedRows {
    const counts = { rowCount: this.#rowCount, badRowCount: this.#badRowCount };
    return { report: { ...counts, badValues: this.#badValues }, places: this.#places };
  }

  async #loadParquet(source: ParquetSource): Promise<void> {
    const { displayName: file } = source;
    if (!this.#parquet) {
      throw new UsageError(`${file}: Parquet cannot be loaded here; load it as CSV`);
    }
    const { badRowNumbers, ...report } = await this.#parquet.loadParquet(source);
    const { rowCount, badRowCount } = report;
    const run = { file, line: 1, rowCount: rowCount + badRowCount, number: 1 };
    for (const good of withoutRows([run], badRowNumbers, badRowCount)) this.#places.add(good);
    this.#add(report);
  }

  #addPlain(block: PlainRecordsBlock, leftOut: readonly number[]): void {
    this.#rowCount += (block.recordCount - leftOut.length) * this.#rowsPerRecord;
    for (const run of withoutRows(runsOf(block), leftOut, leftOut.length)) this.#places.add(run);
  }

  /** True of few fields, unless a recipe reads them, which only the engine does. */
  #isForBatches({ recordCount, fields, reading }: PlainRecordsBlock): boolean {
    const { plainFieldsMin = 0 } = this.#records;
    return !reading && recordCount * fields.length < plainFieldsMin;
  }

  async #loadNumbered(block: NumberedRecords, loader = this.#records): Promise<void> {
    const shownCount = Math.max(0, SHOWN_BAD_VALUES - this.#badValues.length);
    const { rowCount, badRowCount, badFields, badRecordNumbers } =
      block.recordCount === 0 ? NO_RECORDS : await loader.loadNumberedRecords(block, shownCount);
    const good = withoutRows(block.runs, badRecordNumbers, badRecordNumbers.length);
    for (const run of good) this.#places.add(run);
    const fields = badFields.map((bad) => ({ ...bad, ...block.originOf(bad.recordNumber) }));
    const found = [...block.badRecords, ...fields].sort((a, b) => a.recordNumber - b.recordNumber);
    this.#add({
      rowCount,
      badRowCount: badRowCount + block.badRecordCount,
      badValues: found.map(({ recordNumber: _, ...bad }) => bad),
    });
  }

  #add({ rowCount, badRowCount, badValues }: LoadReport): void {
    this.#rowCount += rowCount;
    this.#badRowCount += badRowCount;
    this.#badValues.push(...badValues.slice(0, SHOWN_BAD_VALUES - this.#badValues.length));
  }
}

/**
 * Appends the good rows of all sources to the writer, in their order, tells where each comes from,
 * and reports the bad ones. While one block is loaded the next is cut, and memory and disk stay
 * bounded whatever the size of the files. Throws a `UsageError` that names the file of which
 * nothing can be read.
 */
export async function loadSources(
  writer: PartWriter,
  dataset: Dataset,
  sources: AsyncIterable<SourceFile> | Iterable<SourceFile>,
  signal: AbortSignal,
  rules: ReadingRules = AS_THEY_ARE,
): Promise<LoadedRows> {
  const loading = new Loading(writer, dataset, rules.opener);
  let running: Promise<void> = Promise.resolve();
  try {
    for await (const work of worksOf(dataset, sources, rules)) {
      const before = running;
      running = loading.load(work, before);
      // Awaited before the next one; until then a failure is not an unhandled one.
      running.catch(() => {});
      await before;
      signal.throwIfAborted();
    }
  } finally {
    await running;
  }
  return loading.loaded;
}
