/**
 * The request as programs to copy, those of the clients first. Each reads the key from
 * `TICKLAKE_KEY`, reads all rows and waits when the minute's limit is used up.
 */
import { installPython, installTypescript } from '../format/client-packages';
import { type DatasetShape, variantParameters } from './dataset-shape';
import { type ExplorerRequest, requestPath } from './explorer-request';

export interface Snippet {
  readonly name: 'python-client' | 'duckdb' | 'r' | 'typescript-client' | 'get' | 'url' | 'curl';
  readonly label: string;
  readonly text: string;
}

type Pair = readonly [name: string, value: string];

/** A text as a literal of JSON, which is one of Python and TypeScript too. */
const literal = (text: string) => JSON.stringify(text);

interface ClientQuestion {
  readonly datasetId: string;
  /** Undefined: the path has none. */
  readonly date: string | undefined;
  readonly identifier: string | undefined;
  readonly where: readonly Pair[];
  /** Each is a literal of Python and TypeScript alike. */
  readonly options: readonly Pair[];
}

function list(text: string): string {
  return `[${text.split(',').map(literal).join(', ')}]`;
}

/** Options of both clients by the parameters of the interface, and how their values are written. */
const OPTIONS: Readonly<Record<string, readonly [string, (value: string) => string]>> = {
  columns: ['columns', list],
  sort: ['sort', list],
  period: ['period', literal],
  dataset_version: ['version', (text) => (/^\d+$/.test(text) ? text : literal(text))],
};

function questionOf({ segments, parameters }: ExplorerRequest, shape: DatasetShape) {
  const inPath = segments.slice(2);
  const ofPath = (name: DatasetShape['path_parameters'][number]) =>
    inPath[shape.path_parameters.indexOf(name)];
  // The dataset's id says which variant it is.
  const variant = variantParameters(shape);
  const pairs = parameters.filter(({ name }) => !Object.hasOwn(variant, name));
  const question: ClientQuestion = {
    datasetId: shape.dataset_id,
    date: ofPath('trade_date'),
    identifier: ofPath('identifier'),
    where: pairs.flatMap(({ name, value }) =>
      Object.hasOwn(OPTIONS, name) ? [] : [[name, value]],
    ),
    options: pairs.flatMap(({ name, value }) => {
      const option = Object.hasOwn(OPTIONS, name) && OPTIONS[name];
      return option ? [[option[0], option[1](value)]] : [];
    }),
  };
  return question;
}

function pythonRead({ datasetId, date, identifier, where, options }: ClientQuestion): string {
  const filters = where.map(([name, value]) => `${literal(name)}: ${literal(value)}`);
  const words = [
    ...(identifier === undefined ? [] : [literal(identifier)]),
    ...(date === undefined ? [] : [`dates=${literal(date)}`]),
    ...(filters.length > 0 ? [`where={${filters.join(', ')}}`] : []),
    ...options.map(([name, value]) => `${name}=${value}`),
  ];
  const lines = words.map((word) => `    ${word},\n`).join('');
  return `client.dataset(${literal(datasetId)}).read(${lines && `\n${lines}`})`;
}

function pythonSnippet(question: ClientQuestion, base: string): string {
  return `# ${installPython(base, 'polars')}
import ticklake

client = ticklake.Client(${literal(base)})
rows = ${pythonRead(question)}
frame = rows.to_polars()  # or to_pandas() or to_arrow()
print(frame)
`;
}

function duckdbSnippet(question: ClientQuestion, base: string): string {
  return `# ${installPython(base, 'duckdb')}
import duckdb
import ticklake

client = ticklake.Client(${literal(base)})
connection = duckdb.connect()
rows = ${pythonRead(question)}.to_duckdb(connection)
print(connection.sql("SELECT * FROM rows"))
`;
}

/** By the column that the path's identifier is matched with: of digits alone, the integer one. */
function pathFilters({ date, identifier }: ClientQuestion, shape: DatasetShape): Pair[] {
  const typeOf = (name: string) => shape.columns.find((each) => each.name === name)?.data_type;
  const columns = shape.identifier_columns;
  const integer = columns.find((name) => typeOf(name) === 'integer');
  const symbol = columns.find((name) => typeOf(name) !== 'integer');
  const column = /^\d+$/.test(identifier ?? '') ? (integer ?? symbol) : symbol;
  return [
    ...(date === undefined ? [] : [[shape.date_column ?? '', date] as const]),
    ...(identifier === undefined ? [] : [[column ?? '', identifier] as const]),
  ];
}

function typescriptSnippet(question: ClientQuestion, shape: DatasetShape, base: string): string {
  const filters = [...pathFilters(question, shape), ...question.where].map(
    ([name, value]) => `    ${literal(name)}: ${literal(value)},\n`,
  );
  const lines = [
    ...(filters.length > 0 ? [`  where: {\n${filters.join('')}  },\n`] : []),
    ...question.options.map(([name, value]) => `  ${name}: ${value},\n`),
  ].join('');
  return `// ${installTypescript(base)}
import { Ticklake } from "@ticklake/client";

const ticklake = new Ticklake({ url: ${literal(base)}, key: process.env.TICKLAKE_KEY ?? "" });
const query = ticklake.dataset(${literal(question.datasetId)}).read(${lines && `{\n${lines}}`});
const rows = await query.toArray({ limit: Infinity });
console.log(\`\${rows.length} rows\`);
`;
}

/** None where a filter is given twice, which the clients' filters by name cannot say. */
function clientSnippets(
  request: ExplorerRequest,
  shape: DatasetShape,
  base: string,
): readonly Snippet[] {
  const question = questionOf(request, shape);
  const names = new Set(question.where.map(([name]) => name));
  if (names.size < question.where.length) return [];
  return [
    { name: 'python-client', label: 'Python', text: pythonSnippet(question, base) },
    {
      name: 'typescript-client',
      label: 'TypeScript',
      text: typescriptSnippet(question, shape, base),
    },
    { name: 'duckdb', label: 'DuckDB', text: duckdbSnippet(question, base) },
  ];
}

/** So many come in a few megabytes. */
const ROWS_PER_ARROW_PAGE = 200_000;

/** By Ticklake's own command. */
function getSnippet(request: ExplorerRequest, base: string): string {
  const path = requestPath(request).slice('/data/'.length);
  return `# Writes all rows as CSV; --output rows.parquet or rows.arrows makes a file of that format.
ticklake get '${path}' --server '${base}'
`;
}

/**
 * Pages go through a file, because curl would also write the body of a refusal that it retries.
 * Seven retries, the first after a second and each after twice as long, last two minutes: long
 * enough for the minute's limit to clear.
 */
function shellSnippet(url: string): string {
  return `# Writes all rows as CSV; needs curl 7.84 or later.
(
  url='${url}'
  page=$(mktemp)
  trap 'rm "$page"' EXIT
  while [ -n "$url" ]; do
    link=$(curl --silent --show-error --fail-with-body --retry 7 --output "$page" \\
      --write-out '%header{link}' --header "X-API-KEY: $TICKLAKE_KEY" "$url") ||
      { cat "$page" >&2; exit 1; }
    cat "$page"
    url=$(printf '%s' "$link" | sed -n 's/^<\\(.*\\)>; rel="next"$/\\1/p')
  done
)
`;
}

/** Reads pages of Arrow, so that types are those of the catalogue. */
function rSnippet(url: string): string {
  return `# install.packages(c("arrow", "httr2"))
library(httr2)

url <- ${literal(url)}
pages <- list()
while (!is.null(url)) {
  page <- request(url) |>
    req_headers("X-API-KEY" = Sys.getenv("TICKLAKE_KEY"), .redact = "X-API-KEY") |>
    req_retry(max_tries = 6, backoff = \\(attempt) min(2^attempt, 90)) |>
    req_perform()
  table <- arrow::read_ipc_stream(resp_body_raw(page), as_data_frame = FALSE)
  pages <- c(pages, list(table))
  url <- resp_link_url(page, "next")
}
rows <- do.call(arrow::concat_tables, pages)
print(rows)
`;
}

export function snippetsOf(
  request: ExplorerRequest,
  shape: DatasetShape,
  base: string,
): readonly Snippet[] {
  const { csv, arrow } = shape.limits;
  const urlOf = (format: string, limit: number) =>
    `${base}${requestPath(request, { response_format: format, limit })}`;
  const arrowUrl = urlOf('arrow', Math.min(ROWS_PER_ARROW_PAGE, arrow.maximum));
  return [
    ...clientSnippets(request, shape, base),
    { name: 'curl', label: 'curl', text: shellSnippet(urlOf('csv', csv.maximum)) },
    { name: 'r', label: 'R', text: rSnippet(arrowUrl) },
    { name: 'get', label: 'Command line', text: getSnippet(request, base) },
    { name: 'url', label: 'URL', text: `${base}${requestPath(request)}` },
  ];
}

/** `version` null: whatever is current when it is opened. */
export function sharedLink(address: string, version: string | null): string {
  const url = new URL(address);
  if (version !== null) url.searchParams.set('version', version);
  url.searchParams.set('run', 'true');
  url.searchParams.delete('tab');
  return url.href;
}
