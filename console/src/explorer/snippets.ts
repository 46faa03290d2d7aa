/**
 * The request as programs to copy. Each reads the key from `TICKLAKE_API_KEY`, follows the pages to
 * the end and waits when the minute's limit is used up. Column types come from the catalogue: nothing
 * is guessed from the values.
 */
import type { DatasetShape, ShapeColumn } from './dataset-shape';
import { type ExplorerRequest, requestPath } from './explorer-request';
import { pandasSnippet, polarsSnippet } from './python-snippets';
import { shellSnippet } from './shell-snippet';
import { typescriptSnippet } from './typescript-snippet';

export interface Snippet {
  readonly name: 'url' | 'curl' | 'typescript' | 'pandas' | 'polars';
  readonly label: string;
  readonly text: string;
}

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
    { name: 'url', label: 'URL', text: `${base}${requestPath(request)}` },
    { name: 'curl', label: 'curl', text: shellSnippet(csvUrl) },
    { name: 'pandas', label: 'Python, pandas', text: pandasSnippet(rows) },
    { name: 'polars', label: 'Python, polars', text: polarsSnippet(rows) },
    { name: 'typescript', label: 'TypeScript', text: typescriptSnippet(rows) },
  ];
}
