/**
 * The request as programs to copy, those of the clients first. Each reads the key from `TICKLAKE_KEY`,
 * reads all rows and waits when the minute's limit is used up. Column types come from the catalogue:
 * nothing is guessed from the values.
 */
import { clientSnippets } from './client-snippets';
import type { DatasetShape, ShapeColumn } from './dataset-shape';
import { type ExplorerRequest, requestPath } from './explorer-request';
import { pandasSnippet, polarsSnippet } from './python-snippets';
import { getSnippet, shellSnippet } from './shell-snippet';
import type { Snippet } from './snippet';
import { typescriptSnippet } from './typescript-snippet';

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
  const { json, csv } = shape.limits;
  const rows = {
    url: `${base}${requestPath(request, { limit: json.maximum })}`,
    columns: answerColumns(request, shape),
    timeZone: shape.time_zone,
  };
  const csvUrl = `${base}${requestPath(request, { response_format: 'csv', limit: csv.maximum })}`;
  return [
    ...clientSnippets(request, shape, base),
    { name: 'get', label: 'Command line', text: getSnippet(request, base) },
    { name: 'url', label: 'URL', text: `${base}${requestPath(request)}` },
    { name: 'curl', label: 'curl', text: shellSnippet(csvUrl) },
    { name: 'pandas', label: 'Python, pandas', text: pandasSnippet(rows) },
    { name: 'polars', label: 'Python, polars', text: polarsSnippet(rows) },
    { name: 'typescript', label: 'TypeScript, fetch', text: typescriptSnippet(rows) },
  ];
}
