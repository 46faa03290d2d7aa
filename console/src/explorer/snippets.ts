/**
 * The request as programs to copy. None holds a key: all read it from `TICKLAKE_API_KEY`. They walk
 * the pages to the end.
 */
import type { DatasetShape } from './dataset-shape';
import { type ExplorerRequest, requestPath } from './explorer-request';

export interface Snippet {
  readonly name: string;
  readonly label: string;
  readonly text: string;
}

/** A literal of JSON is one of TypeScript and Python too. */
function quoted(text: string): string {
  return JSON.stringify(text);
}

function curlSnippet(url: string): string {
  return [`curl --fail-with-body --header "X-API-KEY: $TICKLAKE_API_KEY" \\`, `  '${url}'`].join(
    '\n',
  );
}

function typescriptSnippet(url: string, limit: number): string {
  return `type Value = string | number | string[] | null;

interface Page {
  data: Record<string, Value>[];
  pagination: { next_offset: number | null };
}

const url = new URL(${quoted(url)});
url.searchParams.set("limit", "${limit}");

const rows: Page["data"] = [];
for (let offset: number | null = 0; offset !== null; ) {
  url.searchParams.set("offset", String(offset));
  const response = await fetch(url, {
    headers: { "X-API-KEY": process.env.TICKLAKE_API_KEY ?? "" },
  });
  if (!response.ok) throw new Error(await response.text());
  const page = (await response.json()) as Page;
  rows.push(...page.data);
  offset = page.pagination.next_offset;
}
console.log(\`\${rows.length} rows\`);
`;
}

/** Reads all pages of CSV into `pages`; only the first one has a header line. */
function pythonWalk(url: string, limit: number): string {
  return `url = ${quoted(url)}
parameters = {"response_format": "csv", "limit": ${limit}}

pages = []
with requests.Session() as session:
    session.headers["X-API-KEY"] = os.environ["TICKLAKE_API_KEY"]
    offset = "0"
    while offset:
        response = session.get(url, params={**parameters, "offset": offset})
        if not response.ok:
            raise RuntimeError(response.text)
        pages.append(response.content)
        offset = response.headers["X-Pagination-Next-Offset"]
`;
}

/** Columns of dates, which pandas reads as text unless told. */
function dateColumns(request: ExplorerRequest, shape: DatasetShape): string[] {
  const chosen = request.parameters.find(({ name }) => name === 'columns')?.value.split(',');
  return shape.columns
    .filter(({ name, data_type }) => data_type === 'date' && (chosen?.includes(name) ?? true))
    .map(({ name }) => name);
}

function pandasSnippet(url: string, limit: number, dates: readonly string[]): string {
  const parsed = dates.length > 0 ? `\n    parse_dates=[${dates.map(quoted).join(', ')}],` : '';
  return `import io
import os

import pandas as pd
import requests

${pythonWalk(url, limit)}
frame = pd.read_csv(
    io.BytesIO(b"".join(pages)),
    keep_default_na=False,
    na_values=[""],${parsed}
)
print(frame)
`;
}

function polarsSnippet(url: string, limit: number): string {
  return `import os

import polars as pl
import requests

${pythonWalk(url, limit)}
frame = pl.read_csv(
    b"".join(pages),
    try_parse_dates=True,
    infer_schema_length=None,
)
print(frame)
`;
}

/** `base` is the address of the interface with its version prefix. */
export function snippetsOf(
  request: ExplorerRequest,
  shape: DatasetShape,
  base: string,
): readonly Snippet[] {
  const url = `${base}${requestPath(request)}`;
  const { json, csv } = shape.limits;
  const dates = dateColumns(request, shape);
  return [
    { name: 'url', label: 'URL', text: url },
    { name: 'curl', label: 'curl', text: curlSnippet(url) },
    { name: 'typescript', label: 'TypeScript', text: typescriptSnippet(url, json.maximum) },
    { name: 'pandas', label: 'Python, pandas', text: pandasSnippet(url, csv.maximum, dates) },
    { name: 'polars', label: 'Python, polars', text: polarsSnippet(url, csv.maximum) },
  ];
}
