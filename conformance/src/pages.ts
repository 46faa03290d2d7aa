/** Pages of rows. */
import { gunzipSync } from 'node:zlib';
import { csvOf, type Row } from './market.ts';
import { select } from './select.ts';
import {
  type Answer,
  askJson,
  Deviation,
  expectFields,
  expectSame,
  expectStatus,
  expectThat,
  jsonOf,
  type Server,
} from './server.ts';

export const FORMATS = [
  { format: 'json', type: 'application/json', usual: 1_000, most: 10_000 },
  { format: 'csv', type: 'text/csv', usual: 3_000, most: 30_000 },
  { format: 'csv_gzip', type: 'application/gzip', usual: 8_000, most: 80_000 },
] as const;
export type Format = (typeof FORMATS)[number]['format'];

export const withQuery = (path: string, query: string) =>
  `${path}${path.includes('?') ? '&' : '?'}${query}`;

export async function askRows(server: Server, path: string, key: string | null = server.key) {
  const [answer, body] = await askJson(server, path, { key });
  expectFields(answer, body, 'data array');
  expectFields(answer, body.pagination, 'offset integer, limit integer, next_offset integer?');
  return { answer, rows: body.data as readonly Row[], pagination: body.pagination };
}

/** That a path answers the page that `meaning` selects. */
export async function expectPage(
  server: Server,
  path: string,
  meaning: string,
  key: string | null,
): Promise<void> {
  const { answer, rows, pagination } = await askRows(server, path, key);
  const expected = select(meaning);
  // The order of fields means nothing in JSON.
  const sorted = (row: Row = {}) => JSON.stringify(Object.entries(row).sort());
  const at = expected.rows.findIndex((row, index) => sorted(row) !== sorted(rows[index]));
  if (at >= 0) expectSame(answer, `row ${at + 1}`, rows[at], expected.rows[at]);
  expectSame(answer, 'number of rows', rows.length, expected.rows.length);
  expectSame(answer, 'next_offset', pagination.next_offset, expected.nextOffset);
  const { offset, limit } = Object.fromEntries(new URL(path, 'http://market.invalid').searchParams);
  expectSame(answer, 'offset', pagination.offset, Number(offset ?? 0));
  expectSame(answer, 'limit', pagination.limit, Number(limit ?? 1_000));
}

export async function askAs(server: Server, path: string, format: Format): Promise<Answer> {
  const answer = await server.ask(withQuery(path, `response_format=${format}`));
  expectStatus(answer, 200);
  return answer;
}

function unzipped(answer: Answer): string {
  try {
    return gunzipSync(answer.bytes).toString();
  } catch {
    throw new Deviation(answer.asked, 'gzip', answer.text);
  }
}

/** A page as CSV, whatever its format is; that of JSON always has the line of names. */
export function csvText(answer: Answer, format: Format): string {
  if (format !== 'json') return format === 'csv' ? answer.text : unzipped(answer);
  const { data } = jsonOf(answer);
  return csvOf(Object.keys(data[0] ?? {}), data);
}

export function expectText(answer: Answer, came: string, expected: string): void {
  const lines = came.split('\n');
  for (const [at, line] of expected.split('\n').entries()) {
    expectThat(answer, lines[at] === line, `line ${at + 1}: ${line}`, lines[at]);
  }
  expectThat(answer, came === expected, 'no more lines', came.slice(expected.length));
}
