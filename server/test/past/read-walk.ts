/** Walks over real HTTP, from link to link as clients do. */
import { gunzipSync } from 'node:zlib';
import { expect } from 'vitest';
import { arrowPage } from '../read-arrow.ts';
import { parquetPage } from '../read-parquet-page.ts';

export type WalkFormat = 'json' | 'csv' | 'csv_gzip' | 'arrow' | 'parquet';
export const WALK_FORMATS: readonly WalkFormat[] = ['json', 'csv', 'csv_gzip', 'arrow', 'parquet'];

/** A service's origin and an API key. */
export interface Reached {
  readonly origin: string;
  readonly key: string;
}

export async function fetchOk({ origin, key }: Reached, path: string): Promise<Response> {
  const response = await fetch(new URL(path, origin), { headers: { 'x-api-key': key } });
  if (response.status !== 200) {
    throw new Error(`${response.status} of ${path}: ${await response.text()}`);
  }
  return response;
}

interface NamedRows {
  readonly names: readonly string[];
  readonly rows: readonly (readonly unknown[])[];
}

function objectsOf({ names, rows }: NamedRows): string[] {
  const shown = (_: string, value: unknown) => (typeof value === 'bigint' ? `${value}` : value);
  return rows.map((row) =>
    JSON.stringify(Object.fromEntries(names.map((name, c) => [name, row[c]])), shown),
  );
}

/** The rows of a page, each as one text: of CSV without the header line. */
export async function rowsOf(
  response: Response,
  format: WalkFormat,
  isFirst: boolean,
): Promise<string[]> {
  const body = Buffer.from(await response.arrayBuffer());
  if (format === 'json') {
    return JSON.parse(body.toString()).data.map((row: object) => JSON.stringify(row));
  }
  if (format === 'arrow') return objectsOf(arrowPage(body));
  if (format === 'parquet') return objectsOf(await parquetPage(body));
  const text = (format === 'csv' ? body : gunzipSync(body)).toString();
  // No value has a line feed but one: a row is put together again by its quotes.
  const lines = text.split('\n').slice(isFirst ? 1 : 0, -1);
  const rows: string[] = [];
  let open = '';
  for (const line of lines) {
    open = open === '' ? line : `${open}\n${line}`;
    if (open.split('"').length % 2 === 0) continue;
    rows.push(open);
    open = '';
  }
  return rows;
}

export interface Walk {
  readonly rows: readonly string[];
  readonly version: string;
  readonly window: string | null;
  readonly pageCount: number;
}

/**
 * Reads a request to its end. All pages have to be of one version and window. `between` is called
 * before every page but the first.
 */
export async function readWalk(
  reached: Reached,
  path: string,
  format: WalkFormat,
  between: () => Promise<void> = async () => {},
): Promise<Walk> {
  const rows: string[] = [];
  const heads: string[] = [];
  let pageCount = 0;
  for (let next: string | undefined = path; next !== undefined; pageCount++) {
    if (pageCount > 0) await between();
    const response = await fetchOk(reached, next);
    const { headers } = response;
    heads.push(`${headers.get('x-dataset-version')} ${headers.get('x-window')}`);
    rows.push(...(await rowsOf(response, format, pageCount === 0)));
    next = /^<(.*)>; rel="next"$/.exec(headers.get('link') ?? '')?.[1];
  }
  expect([...new Set(heads)]).toHaveLength(1);
  const [version = '', window = ''] = (heads[0] ?? '').split(' ');
  return { rows, version, window: window === 'null' ? null : window, pageCount };
}
