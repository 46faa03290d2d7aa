/**
 * Rows -> the body and headers of one page. A page is rendered whole before its first byte is sent:
 * it is bounded by the row limit, the CSV headers need to know whether a next page exists, and a
 * failure on the way can still become a proper error.
 */
import type { ColumnBatch } from '../engine/columns.ts';
import type { QueryPlan } from '../engine/query-plan.ts';
import type { Format } from '../formats/format.ts';

export interface Page {
  readonly body: Buffer;
  readonly contentType: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly rowCount: number;
  /** Offset of the next page; null on the last one. */
  readonly nextOffset: number | null;
}

function paginationHeaders(plan: QueryPlan, nextOffset: number | null): Record<string, string> {
  return {
    'X-Pagination-Limit': `${plan.limit}`,
    'X-Pagination-Next-Offset': nextOffset === null ? '' : `${nextOffset}`,
    'X-Pagination-Offset': plan.offset === 0 ? '' : `${plan.offset}`,
  };
}

/** A file name of the dataset and the path's values, of characters that no system minds. */
function suggestedName(plan: QueryPlan, pathParameters: readonly string[]): string {
  const words = [plan.dataset.textId, ...pathParameters, ...(plan.offset ? [plan.offset] : [])];
  const name = words.map((word) => `${word}`.replaceAll(/[^A-Za-z0-9.-]/g, '_')).join('_');
  return name.slice(0, 120);
}

function downloadHeaders(name: string): Record<string, string> {
  return { 'Content-Disposition': `attachment; filename="${name}"` };
}

/** Renders the rows of a plan. `pathParameters` go into the suggested name of a download. */
export async function renderPage(
  plan: QueryPlan,
  rows: AsyncIterable<ColumnBatch>,
  { contentType, fileSuffix, pagination, write }: Format,
  pathParameters: readonly string[],
): Promise<Page> {
  const { columns, dataset, offset, limit } = plan;
  const written = await write(rows, { columns, timeZone: dataset.timeZone, offset, limit });
  const headers = {
    ...(pagination === 'in headers' ? paginationHeaders(plan, written.nextOffset) : {}),
    ...(fileSuffix === null
      ? {}
      : downloadHeaders(suggestedName(plan, pathParameters) + fileSuffix)),
  };
  return { ...written, contentType, headers };
}
