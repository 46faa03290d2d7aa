/**
 * Rows -> the body and headers of one page. A page is rendered whole before its first byte is sent:
 * it is bounded by the row limit, the CSV headers need to know whether a next page exists, and a
 * failure on the way can still become a proper error.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ColumnBatch } from '../engine/columns.ts';
import { ByteSink, giveBack } from '../formats/byte-sink.ts';
import { GzipBody } from '../formats/gzip-body.ts';
import { csvHeader, csvRowWriter, jsonRowWriter, type RowWriter } from '../formats/row-bytes.ts';
import type { QueryPlan } from '../plan/query-plan.ts';
import type { ResponseFormat } from '../request/response-format.ts';

export interface Page {
  readonly body: Buffer;
  readonly contentType: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly rowCount: number;
  /** Offset of the next page; null on the last one. */
  readonly nextOffset: number | null;
}

/**
 * Cells that are written before other requests have their turn: about half a millisecond's work. A
 * light request has some ten turns of its own, each of which waits for one of these; a turn costs
 * two microseconds.
 */
const CELLS_PER_TURN = 4096;

/** Asks for the next item while the caller is at work on one. */
async function* oneAhead<T>(items: AsyncIterable<T>): AsyncGenerator<T> {
  const iterator = items[Symbol.asyncIterator]();
  try {
    let next = iterator.next();
    for (;;) {
      const { value, done } = await next;
      if (done) return;
      next = iterator.next();
      // A failure is met when it is this item's turn.
      next.catch(() => undefined);
      yield value;
    }
  } finally {
    await iterator.return?.();
  }
}

interface WrittenRows {
  readonly rowCount: number;
  readonly nextOffset: number | null;
}

/**
 * Writes up to `limit` rows; one row more tells that a next page exists. `room` resolves when what
 * has been written is far enough on its way.
 */
async function writeRows(
  plan: QueryPlan,
  rows: AsyncIterable<ColumnBatch>,
  write: RowWriter,
  room: () => Promise<void> = async () => undefined,
): Promise<WrittenRows> {
  const rowsPerTurn = Math.ceil(CELLS_PER_TURN / plan.columns.length);
  let rowCount = 0;
  let hasMore = false;
  for await (const batch of oneAhead(rows)) {
    const wanted = Math.min(batch.rowCount, plan.limit - rowCount);
    if (wanted < batch.rowCount) hasMore = true;
    if (wanted === 0) continue;
    const writeBatch = write(batch);
    for (let row = 0; row < wanted; row += rowsPerTurn) {
      if (row > 0) await nextTurn();
      writeBatch(row, Math.min(row + rowsPerTurn, wanted));
      await room();
    }
    rowCount += wanted;
  }
  return { rowCount, nextOffset: hasMore ? plan.offset + plan.limit : null };
}

/** Bytes that are copied before other requests have their turn. */
const COPIED_BYTES_PER_TURN = 4 * 1024 * 1024;

/** The bytes of all blocks, which are given back. */
async function joined(blocks: readonly Buffer[]): Promise<Buffer> {
  const body = Buffer.allocUnsafeSlow(blocks.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  let turnEnd = COPIED_BYTES_PER_TURN;
  for (const block of blocks) {
    if (at >= turnEnd) {
      await nextTurn();
      turnEnd = at + COPIED_BYTES_PER_TURN;
    }
    at += block.copy(body, at);
    giveBack(block);
  }
  return body;
}

function paginationHeaders(plan: QueryPlan, nextOffset: number | null): Record<string, string> {
  return {
    'X-Pagination-Limit': `${plan.limit}`,
    'X-Pagination-Next-Offset': nextOffset === null ? '' : `${nextOffset}`,
    'X-Pagination-Offset': plan.offset === 0 ? '' : `${plan.offset}`,
  };
}

async function renderJson(plan: QueryPlan, rows: AsyncIterable<ColumnBatch>): Promise<Page> {
  const blocks: Buffer[] = [];
  const sink = new ByteSink((block) => blocks.push(block));
  const write = jsonRowWriter(sink, plan.columns, plan.dataset.timeZone);
  const { rowCount, nextOffset } = await writeRows(plan, rows, write);
  sink.flush();
  // Each row ends with a comma; the last one's is left out.
  const last = blocks.pop()?.subarray(0, -1) ?? Buffer.alloc(0);
  const pagination = { offset: plan.offset, limit: plan.limit, next_offset: nextOffset };
  const body = await joined([
    Buffer.from('{"data":['),
    ...blocks,
    last,
    Buffer.from(`],"pagination":${JSON.stringify(pagination)}}`),
  ]);
  return { body, contentType: 'application/json', headers: {}, rowCount, nextOffset };
}

/** The header line stands on the first page alone. */
function headerBlocks(plan: QueryPlan): Buffer[] {
  return plan.offset === 0 ? [Buffer.from(csvHeader(plan.columns))] : [];
}

async function renderCsv(plan: QueryPlan, rows: AsyncIterable<ColumnBatch>): Promise<Page> {
  const blocks = headerBlocks(plan);
  const sink = new ByteSink((block) => blocks.push(block));
  const write = csvRowWriter(sink, plan.columns, plan.dataset.timeZone);
  const { rowCount, nextOffset } = await writeRows(plan, rows, write);
  sink.flush();
  return {
    body: await joined(blocks),
    contentType: 'text/csv',
    headers: paginationHeaders(plan, nextOffset),
    rowCount,
    nextOffset,
  };
}

/** A file name of the dataset and the path's values, of characters that no system minds. */
function suggestedName(plan: QueryPlan, pathParameters: readonly string[]): string {
  const words = [plan.dataset.textId, ...pathParameters, ...(plan.offset ? [plan.offset] : [])];
  const name = words.map((word) => `${word}`.replaceAll(/[^A-Za-z0-9.-]/g, '_')).join('_');
  return `${name.slice(0, 120)}.csv.gz`;
}

async function renderCsvGzip(
  plan: QueryPlan,
  rows: AsyncIterable<ColumnBatch>,
  pathParameters: readonly string[],
): Promise<Page> {
  const body = new GzipBody();
  for (const block of headerBlocks(plan)) body.add(block);
  const sink = new ByteSink((block) => body.add(block));
  const write = csvRowWriter(sink, plan.columns, plan.dataset.timeZone);
  const { rowCount, nextOffset } = await writeRows(plan, rows, write, () => body.room());
  sink.flush();
  const disposition = `attachment; filename="${suggestedName(plan, pathParameters)}"`;
  return {
    body: await body.finish(),
    contentType: 'application/gzip',
    headers: { ...paginationHeaders(plan, nextOffset), 'Content-Disposition': disposition },
    rowCount,
    nextOffset,
  };
}

const RENDERERS: Record<
  ResponseFormat,
  (
    plan: QueryPlan,
    rows: AsyncIterable<ColumnBatch>,
    pathParameters: readonly string[],
  ) => Promise<Page>
> = { json: renderJson, csv: renderCsv, csv_gzip: renderCsvGzip };

/** Renders the rows of a plan. `pathParameters` go into the suggested name of a download. */
export function renderPage(
  plan: QueryPlan,
  rows: AsyncIterable<ColumnBatch>,
  format: ResponseFormat,
  pathParameters: readonly string[],
): Promise<Page> {
  return RENDERERS[format](plan, rows, pathParameters);
}
