/**
 * Rows -> the body and headers of one page. A page is rendered whole before its first byte is sent:
 * it is bounded by the row limit, the CSV headers need to know whether a next page exists, and a
 * failure on the way can still become a proper error. A large page of a format that ends with a proof of its own may
 * be sent while it is rendered.
 */
import type { Spool } from '../base/spool.ts';
import type { UnfinishedBytes } from '../base/unfinished-bytes.ts';
import type { QueryPlan } from '../engine/query-plan.ts';
import type { RowSource } from '../engine/row-source.ts';
import type { Format, PageBody, PageFrame, WrittenPage } from '../formats/format.ts';
import { type ListedIdentifiers, listedIdentifiers } from '../plan/listed-identifiers.ts';
import { labelsOf } from '../plan/row-labels.ts';
import { suggestedName } from './suggested-name.ts';

/** Bytes of a body. */
export function bodyBytes(body: PageBody): number {
  return Buffer.isBuffer(body) ? body.length : body.byteCount;
}

export interface Page<Body = PageBody> extends WrittenPage<Body> {
  readonly contentType: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The identifiers that the request lists, as far as the rows have them; absent: it lists none. */
  readonly listed?: ListedIdentifiers | undefined;
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

function frameOf(plan: QueryPlan, spool: Spool): PageFrame {
  const { columns, dataset, offset, limit } = plan;
  return {
    ...{ columns, offset, limit, spool },
    timeZone: dataset.timeZone,
    // Rows of other datasets are lists, each row about something else.
    textRepeats: dataset.isTimeSeries,
    labels: labelsOf(plan),
  };
}

function withHeaders<Body>(
  written: WrittenPage<Body>,
  plan: QueryPlan,
  { contentType, fileSuffix, pagination }: Format,
  pathParameters: readonly string[],
): Page<Body> {
  const headers = {
    ...(pagination === 'in headers' ? paginationHeaders(plan, written.nextOffset) : {}),
    ...(fileSuffix === null
      ? {}
      : downloadHeaders(suggestedName(plan, pathParameters) + fileSuffix)),
  };
  return { ...written, contentType, headers };
}

/** Renders the rows of a plan. `pathParameters` go into the suggested name of a download. */
export async function renderPage(
  plan: QueryPlan,
  source: RowSource,
  format: Format,
  pathParameters: readonly string[],
  spool: Spool,
): Promise<Page> {
  const listed = listedIdentifiers(plan);
  const rows = listed?.watched(plan.columns, source) ?? source;
  const written = await format.write(rows, frameOf(plan, spool));
  return { ...withHeaders(written, plan, format, pathParameters), ...(listed && { listed }) };
}

/** The same; where that pays, and where no header tells what the rows lack, the body is still being written. */
export async function renderEarly(
  plan: QueryPlan,
  source: RowSource,
  format: Format,
  pathParameters: readonly string[],
  spool: Spool,
): Promise<Page<PageBody | UnfinishedBytes>> {
  if (listedIdentifiers(plan)) return renderPage(plan, source, format, pathParameters, spool);
  const { write, writeEarly = write } = format;
  const written = await writeEarly(source, frameOf(plan, spool));
  return withHeaders<PageBody | UnfinishedBytes>(written, plan, format, pathParameters);
}
