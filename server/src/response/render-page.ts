/**
 * Rows -> the body and headers of one page. A page is rendered whole before its first byte is sent:
 * it is bounded by the row limit, the CSV headers need to know whether a next page exists, and a
 * failure on the way can still become a proper error.
 */
import type { Spool } from '../base/spool.ts';
import type { StoredBytes } from '../base/stored-bytes.ts';
import type { QueryPlan } from '../engine/query-plan.ts';
import type { RowSource } from '../engine/row-source.ts';
import type { Format } from '../formats/format.ts';
import { labelsOf } from '../plan/row-labels.ts';
import { suggestedName } from './suggested-name.ts';

/** In memory; a large one in files, until it is sent. */
export type PageBody = Buffer | StoredBytes;

/** Bytes of a body. */
export function bodyBytes(body: PageBody): number {
  return Buffer.isBuffer(body) ? body.length : body.byteCount;
}

export interface Page {
  readonly body: PageBody;
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

function downloadHeaders(name: string): Record<string, string> {
  return { 'Content-Disposition': `attachment; filename="${name}"` };
}

/** Renders the rows of a plan. `pathParameters` go into the suggested name of a download. */
export async function renderPage(
  plan: QueryPlan,
  source: RowSource,
  { contentType, fileSuffix, pagination, write }: Format,
  pathParameters: readonly string[],
  spool: Spool,
): Promise<Page> {
  const { columns, dataset, offset, limit } = plan;
  const written = await write(source, {
    ...{ columns, offset, limit, spool },
    timeZone: dataset.timeZone,
    // Rows of other datasets are lists, each row about something else.
    textRepeats: dataset.isTimeSeries,
    labels: labelsOf(plan),
  });
  const headers = {
    ...(pagination === 'in headers' ? paginationHeaders(plan, written.nextOffset) : {}),
    ...(fileSuffix === null
      ? {}
      : downloadHeaders(suggestedName(plan, pathParameters) + fileSuffix)),
  };
  return { ...written, contentType, headers };
}
