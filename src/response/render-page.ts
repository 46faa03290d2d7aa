/**
 * Rows -> the body and headers of one page. A page is rendered whole before its first byte is sent:
 * it is bounded by the row limit, the CSV headers need to know whether a next page exists, and a
 * failure on the way can still become a proper error.
 */
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { ColumnBatch } from '../engine/columns.ts';
import type { QueryPlan } from '../plan/query-plan.ts';
import type { ResponseFormat } from '../request/response-format.ts';
import { csvHeader, csvRowWriter, jsonRowWriter, type RowWriter } from './row-text.ts';

export interface Page {
  readonly body: Buffer;
  readonly contentType: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly rowCount: number;
  /** Offset of the next page; null on the last one. */
  readonly nextOffset: number | null;
}

/** The level between speed and size that `npm run bench` compares with the engine's own. */
const GZIP_LEVEL = 3;

const compress = promisify(gzip);

interface RowsText {
  readonly chunks: Buffer[];
  readonly rowCount: number;
  readonly nextOffset: number | null;
}

/** Writes up to `limit` rows; one row more tells that a next page exists. */
async function writeRows(
  plan: QueryPlan,
  rows: AsyncIterable<ColumnBatch>,
  write: RowWriter,
): Promise<RowsText> {
  const chunks: Buffer[] = [];
  let rowCount = 0;
  let hasMore = false;
  for await (const batch of rows) {
    const wanted = Math.min(batch.rowCount, plan.limit - rowCount);
    if (wanted < batch.rowCount) hasMore = true;
    if (wanted > 0) chunks.push(Buffer.from(write(batch, wanted)));
    rowCount += wanted;
  }
  return { chunks, rowCount, nextOffset: hasMore ? plan.offset + plan.limit : null };
}

function paginationHeaders(plan: QueryPlan, nextOffset: number | null): Record<string, string> {
  return {
    'X-Pagination-Limit': `${plan.limit}`,
    'X-Pagination-Next-Offset': nextOffset === null ? '' : `${nextOffset}`,
    'X-Pagination-Offset': plan.offset === 0 ? '' : `${plan.offset}`,
  };
}

async function renderJson(plan: QueryPlan, rows: AsyncIterable<ColumnBatch>): Promise<Page> {
  const write = jsonRowWriter(plan.columns, plan.dataset.timeZone);
  const { chunks, rowCount, nextOffset } = await writeRows(plan, rows, write);
  const pagination = { offset: plan.offset, limit: plan.limit, next_offset: nextOffset };
  const data = Buffer.concat(chunks);
  // Each row ends with a comma; the last one's is left out.
  const body = Buffer.concat([
    Buffer.from('{"data":['),
    data.subarray(0, Math.max(0, data.length - 1)),
    Buffer.from(`],"pagination":${JSON.stringify(pagination)}}`),
  ]);
  return { body, contentType: 'application/json', headers: {}, rowCount, nextOffset };
}

async function renderCsv(plan: QueryPlan, rows: AsyncIterable<ColumnBatch>): Promise<Page> {
  const write = csvRowWriter(plan.columns, plan.dataset.timeZone);
  const { chunks, rowCount, nextOffset } = await writeRows(plan, rows, write);
  const header = plan.offset === 0 ? [Buffer.from(csvHeader(plan.columns))] : [];
  return {
    body: Buffer.concat([...header, ...chunks]),
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
  const page = await renderCsv(plan, rows);
  const disposition = `attachment; filename="${suggestedName(plan, pathParameters)}"`;
  return {
    ...page,
    body: await compress(page.body, { level: GZIP_LEVEL }),
    contentType: 'application/gzip',
    headers: { ...page.headers, 'Content-Disposition': disposition },
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
