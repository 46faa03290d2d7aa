/** Arrow streams: schema, dictionaries, record batches and end. */
import type { SpooledBody } from '../../base/spool.ts';
import type { UnfinishedBytes } from '../../base/unfinished-bytes.ts';
import type { ColumnBatch, ColumnVector } from '../../engine/columns.ts';
import type { RowSource } from '../../engine/row-source.ts';
import type { Format, PageFrame, WrittenPage } from '../format.ts';
import { columnarRowLimits } from '../settings.ts';
import { begun, pageOf, writeRows } from '../write-rows.ts';
import { returnMemory } from './buffers.ts';
import { type ArrowColumn, arrowColumn } from './columns.ts';
import { fieldsOf, VALUE_BYTES } from './fields.ts';
import { END_OF_STREAM, recordBatch, schemaMessage } from './messages.ts';

/** About as much is in memory of a page that goes to a file. */
const BATCH_BYTES = 4 * 1024 * 1024;
const BATCH_ROWS_MAX = 131_072;

/** Smaller pages are kept, to be sent again. */
const EARLY_BYTES_MIN = 8 * 1024 * 1024;

/** About; without the texts of dictionaries. */
function rowBytes({ columns }: PageFrame): number {
  return columns.reduce((sum, { dataType }) => sum + VALUE_BYTES[dataType], 0);
}

/** Depends on the columns alone, so that equal rows are equal bytes. */
function batchRows(frame: PageFrame): number {
  const fitting = 2 ** Math.floor(Math.log2(BATCH_BYTES / rowBytes(frame)));
  return Math.max(1, Math.min(BATCH_ROWS_MAX, fitting));
}

class ArrowRows {
  readonly #columns: readonly ArrowColumn[];
  readonly #batchRows: number;
  readonly #body: SpooledBody | UnfinishedBytes;
  #rowCount = 0;
  #batchCount = 0;

  constructor(frame: PageFrame, body: SpooledBody | UnfinishedBytes) {
    const { columns, timeZone, textRepeats, labels } = frame;
    const fields = fieldsOf(columns, timeZone, textRepeats);
    this.#columns = columns.map((column, c) =>
      arrowColumn(column, fields[c]?.dictionaryId ?? null),
    );
    this.#batchRows = batchRows(frame);
    this.#body = body;
    body.add([schemaMessage(fields, labels)]);
  }

  append({ columns }: ColumnBatch, firstRow: number, endRow: number): void {
    for (let first = firstRow; first < endRow; ) {
      const end = Math.min(endRow, first + this.#batchRows - this.#rowCount);
      this.#columns.forEach((column, c) => {
        column.append(columns[c] as ColumnVector, first, end);
      });
      this.#rowCount += end - first;
      first = end;
      if (this.#rowCount === this.#batchRows) this.flush();
    }
  }

  flush(): void {
    const dictionaries = this.#takeDictionaries();
    const taken = this.#columns.map((column) => column.take());
    const nodes = taken.flatMap((rows) => rows.nodes);
    const buffers = taken.flatMap((rows) => rows.buffers);
    const lent = taken.flatMap((rows) => rows.lent);
    const rows = recordBatch({ length: this.#rowCount, nodes, buffers });
    this.#body.add([...dictionaries, ...rows], () => {
      for (const memory of lent) returnMemory(memory);
    });
    this.#rowCount = 0;
    this.#batchCount++;
  }

  /** Writes what is left and the end; dictionaries also if there are no rows. */
  finish(): void {
    if (this.#rowCount > 0) this.flush();
    else if (this.#batchCount === 0) this.#body.add(this.#takeDictionaries());
    this.#body.add([END_OF_STREAM]);
  }

  #takeDictionaries(): Uint8Array[] {
    return this.#columns.flatMap(({ dictionary }) => dictionary?.take() ?? []);
  }
}

async function writeInto(
  body: SpooledBody | UnfinishedBytes,
  rows: AsyncIterable<ColumnBatch>,
  frame: PageFrame,
): Promise<Omit<WrittenPage, 'body'>> {
  const arrow = new ArrowRows(frame, body);
  const counts = await writeRows(
    rows,
    frame,
    (batch) => (firstRow, endRow) => arrow.append(batch, firstRow, endRow),
    { room: () => body.room(), cellsPerTurn: CELLS_PER_TURN },
  );
  arrow.finish();
  return counts;
}

async function writeWhole(
  rows: AsyncIterable<ColumnBatch>,
  frame: PageFrame,
): Promise<WrittenPage> {
  const body = frame.spool.begin();
  try {
    const counts = await writeInto(body, rows, frame);
    return { body: await body.finish(), ...counts };
  } catch (error) {
    await body.discard();
    throw error;
  }
}

/** Sends while it writes, if the number of rows is known first and fits into memory. */
async function writeEarly(
  source: RowSource,
  frame: PageFrame,
): Promise<WrittenPage | WrittenPage<UnfinishedBytes>> {
  const { scanRowCount, rows } = await begun(source.rows());
  const rowCount = Math.min(scanRowCount ?? 0, frame.limit);
  // With the bits of nulls. A body that turns out larger takes more memory, as long as there is
  // some, then waits for its client in its turn.
  const byteCount = Math.ceil(rowCount * (rowBytes(frame) + frame.columns.length / 8));
  const body = byteCount < EARLY_BYTES_MIN ? null : frame.spool.beginUnfinished(byteCount);
  if (scanRowCount === undefined || body === null) return await writeWhole(rows, frame);
  writeInto(body, rows, frame).then(
    () => body.end(),
    (error) => body.end({ error }),
  );
  return { body, ...pageOf(scanRowCount, frame) };
}

/** Cells that are copied before other requests have their turn: less work for each than text. */
const CELLS_PER_TURN = 16_384;

export const ARROW_FORMAT: Format = {
  name: 'arrow',
  contentType: 'application/vnd.apache.arrow.stream',
  fileSuffix: '.arrows',
  rowLimits: columnarRowLimits,
  pagination: 'in headers',
  encodings: ['zstd', 'gzip'],
  isColumnar: true,
  tagStrength: 'strong',
  bodySchema: () => ({ type: 'string', format: 'binary' }),
  write: (source, frame) => writeWhole(source.rows(), frame),
  writeEarly,
};
