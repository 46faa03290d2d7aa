/** Every row of a list that is served in pages. */
import { getJson, queryString } from './client';

const PAGE_ROWS = 1000;

interface PageOf<Row> {
  readonly data: readonly Row[];
  readonly pagination: { readonly next_after: number | null };
}

export async function everyRow<Row>(
  path: string,
  parameters: Readonly<Record<string, string | number>>,
  signal: AbortSignal,
): Promise<readonly Row[]> {
  const rows: Row[] = [];
  let after: number | null = 0;
  while (after !== null) {
    const query = queryString({ ...parameters, after, limit: PAGE_ROWS });
    const page: PageOf<Row> = await getJson<PageOf<Row>>(`${path}${query}`, signal);
    rows.push(...page.data);
    after = page.pagination.next_after;
  }
  return rows;
}
