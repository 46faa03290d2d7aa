/**
 * The request as programs to copy, those of the clients first. Each reads the key from `TICKLAKE_KEY`,
 * reads all rows and waits when the minute's limit is used up. Column types come from the catalogue:
 * nothing is guessed from the values.
 */
import { clientSnippets } from './client-snippets';
import type { DatasetShape, ShapeColumn } from './dataset-shape';
import { type ExplorerRequest, requestPath } from './explorer-request';
import { pandasSnippet, polarsSnippet } from './python-snippets';
import { rSnippet } from './r-snippet';
import { getSnippet, shellSnippet } from './shell-snippet';
import type { Snippet } from './snippet';
import { typescriptSnippet } from './typescript-snippet';

/** So many come in a few megabytes. */
const ROWS_PER_ARROW_PAGE = 200_000;

/** Columns of the answer, in its order. */
function answerColumns(request: ExplorerRequest, shape: DatasetShape): readonly ShapeColumn[] {
  const chosen = request.parameters.find(({ name }) => name === 'columns')?.value.split(',');
  if (!chosen) return shape.columns;
  return chosen.flatMap((name) => shape.columns.filter((column) => column.name === name));
}

/** `base` is the address of the interface with its version prefix. */
export function snippetsOf(
  request: ExplorerRequest,
  shape: DatasetShape,
  base: string,
): readonly Snippet[] {
  const { json, csv, arrow } = shape.limits;
  const arrowRows = Math.min(ROWS_PER_ARROW_PAGE, arrow.maximum);
  const rows = {
    url: `${base}${requestPath(request, { limit: json.maximum })}`,
    columns: answerColumns(request, shape),
    timeZone: shape.time_zone,
  };
  const csvUrl = `${base}${requestPath(request, { response_format: 'csv', limit: csv.maximum })}`;
  const arrowUrl = `${base}${requestPath(request, { response_format: 'arrow', limit: arrowRows })}`;
  return [
    ...clientSnippets(request, shape, base),
    { name: 'get', label: 'Command line', text: getSnippet(request, base) },
    { name: 'url', label: 'URL', text: `${base}${requestPath(request)}` },
    { name: 'curl', label: 'curl', text: shellSnippet(csvUrl) },
    { name: 'pandas', label: 'Python, pandas', text: pandasSnippet(rows) },
    { name: 'polars', label: 'Python, polars', text: polarsSnippet(rows) },
    { name: 'typescript', label: 'TypeScript, fetch', text: typescriptSnippet(rows) },
    { name: 'r', label: 'R', text: rSnippet(arrowUrl) },
  ];
}

/** The programs of one language or tool, which stand in a tab of their own. */
export interface SnippetTab {
  readonly name: string;
  readonly label: string;
  readonly snippets: readonly Snippet[];
}

const TABS: readonly (readonly [label: string, names: readonly Snippet['name'][]])[] = [
  ['Python', ['python-client', 'pandas', 'polars']],
  ['TypeScript', ['typescript-client', 'typescript']],
  ['curl', ['curl']],
  ['DuckDB', ['duckdb']],
  ['R', ['r']],
  ['Command line', ['get']],
];

/** All programs but the address, which is none. */
export function tabsOf(snippets: readonly Snippet[]): readonly SnippetTab[] {
  return TABS.map(([label, names]) => ({
    name: label,
    label,
    snippets: names.flatMap((name) => snippets.filter((snippet) => snippet.name === name)),
  })).filter((tab) => tab.snippets.length > 0);
}
