/** Walks all pages of a request over the interface and reads them back into typed cells. */
import { gunzipSync } from 'node:zlib';
import type { LightMyRequestResponse } from 'fastify';
import type { Column } from '../../src/catalog/dataset.ts';
import type { TimeZone } from '../../src/time/time-zone.ts';
import type { TestService } from '../harness.ts';
import { arrowPage } from '../read-arrow.ts';
import { parquetPage } from '../read-parquet-page.ts';
import type { Cell } from './read-rows.ts';
import { shownCell } from './select-rows.ts';

const PAGE_HEADERS = ['limit', 'offset', 'next-offset'].map((name) => `x-pagination-${name}`);

/** A reader of RFC 4180: null is an empty field without quotes. */
function parseCsv(text: string): (string | null)[][] {
  const rows: (string | null)[][] = [];
  let row: (string | null)[] = [];
  let at = 0;
  while (at < text.length) {
    let field: string | null = null;
    if (text[at] === '"') {
      field = '';
      for (at++; text[at] !== '"' || text[at + 1] === '"'; at++) {
        if (text[at] === '"') at++;
        field += text[at];
      }
      at++;
    } else {
      const start = at;
      while (at < text.length && text[at] !== ',' && text[at] !== '\n') at++;
      field = at === start ? null : text.slice(start, at);
    }
    row.push(field);
    if (text[at] !== ',') {
      rows.push(row);
      row = [];
    }
    at++;
  }
  return rows;
}

const READ_TEXT: Partial<Record<Column['dataType'], (text: string) => Cell>> = {
  integer: BigInt,
  number: Number,
  'array of string': (text) => JSON.parse(text),
  'array of integer': (text) => JSON.parse(text),
  'array of number': (text) => JSON.parse(text),
  boolean: (text) => text === 'true',
};

function csvCells(text: string, columns: readonly Column[], hasHeader: boolean): Cell[][] {
  const rows = parseCsv(text);
  if (hasHeader) {
    const header = rows.shift();
    if (JSON.stringify(header) !== JSON.stringify(columns.map(({ name }) => name))) {
      throw new Error(`unexpected header ${header}`);
    }
  }
  return rows.map((row) =>
    row.map((field, c) =>
      field === null ? null : (READ_TEXT[(columns[c] as Column).dataType]?.(field) ?? field),
    ),
  );
}

export function jsonPage(text: string, columns: readonly Column[]) {
  const types = new Map(columns.map(({ name, dataType }) => [name, dataType]));
  const page = JSON.parse(text, ((name: string, value: unknown, context?: { source?: string }) => {
    if (value === null) return value;
    if (types.get(name) === 'integer') return BigInt(context?.source as string);
    return types.get(name) === 'decimal' ? context?.source : value;
  }) as never);
  for (const row of page.data) {
    const names = Object.keys(row);
    if (names.join() !== columns.map(({ name }) => name).join()) {
      throw new Error(`unexpected columns ${names}`);
    }
  }
  return {
    rows: page.data.map((row: Record<string, Cell>) => columns.map(({ name }) => row[name])),
    next: page.pagination.next_offset as number | null,
  };
}

/** The cells as text shows them; decimals and times as the columns of the page say. */
function arrowCells(bytes: Buffer, columns: readonly Column[]): Cell[][] {
  const { names, types, rows } = arrowPage(bytes);
  if (names.join() !== columns.map(({ name }) => name).join()) {
    throw new Error(`unexpected columns ${names}`);
  }
  const zones = types.map((type) => /^Timestamp<NANOSECOND, (.*)>$/.exec(type)?.[1] ?? '');
  return rows.map((row) =>
    row.map((cell, c) => shownCell(cell, columns[c] as Column, { timeZone: zones[c] as TimeZone })),
  );
}

/** Like `arrowCells`; the schema of Parquet has no zone, so times are shown in the market's. */
async function parquetCells(bytes: Buffer, columns: readonly Column[]): Promise<Cell[][]> {
  const { names, zone, rows } = await parquetPage(bytes);
  if (names.join() !== columns.map(({ name }) => name).join()) {
    throw new Error(`unexpected columns ${names}`);
  }
  return rows.map((row) =>
    row.map((cell, c) => shownCell(cell, columns[c] as Column, { timeZone: zone as TimeZone })),
  );
}

/** The cells of a body that has no offset of its own. */
export async function bodyCells(
  format: string,
  bytes: Buffer,
  columns: readonly Column[],
  hasHeader: boolean,
): Promise<Cell[][]> {
  if (format === 'arrow') return arrowCells(bytes, columns);
  if (format === 'parquet') return await parquetCells(bytes, columns);
  const text = format === 'csv' ? bytes.toString() : gunzipSync(bytes).toString();
  return csvCells(text, columns, hasHeader);
}

/** A page may not differ from itself, whether it comes from the page cache or is read again. */
async function requireSameAgain(
  service: TestService,
  url: string,
  { rawPayload, headers }: LightMyRequestResponse,
): Promise<void> {
  const again = await service.get(url);
  const steady = ['etag', 'content-type', 'content-disposition', 'link', ...PAGE_HEADERS];
  const differs = steady.find((name) => again.headers[name] !== headers[name]);
  if (differs !== undefined) throw new Error(`${differs} differs: ${url}`);
  // Equal text may come as other bytes of gzip: such a page has a weak tag.
  const [one, other] = [rawPayload, again.rawPayload].map((body) =>
    `${headers.etag}`.startsWith('W/') ? gunzipSync(body) : body,
  ) as [Buffer, Buffer];
  if (!one.equals(other)) throw new Error(`the page differs: ${url}`);
}

/** `url` is below the prefix, with a query string, without `offset`. */
export async function readPages(
  service: TestService,
  url: string,
  format: string,
  columns: readonly Column[],
): Promise<Cell[][]> {
  const rows: Cell[][] = [];
  let offset: number | null = 0;
  while (offset !== null) {
    const pageUrl = `/v1${url}${offset === 0 ? '' : `&offset=${offset}`}`;
    const answer = await service.get(pageUrl);
    if (answer.statusCode !== 200) throw new Error(`${answer.statusCode}: ${answer.body}`);
    await requireSameAgain(service, pageUrl, answer);
    if (format === 'json') {
      const page = jsonPage(answer.body, columns);
      rows.push(...page.rows);
      offset = page.next;
    } else {
      rows.push(...(await bodyCells(format, answer.rawPayload, columns, offset === 0)));
      const next = answer.headers['x-pagination-next-offset'];
      offset = next === '' ? null : Number(next);
    }
  }
  return rows;
}
