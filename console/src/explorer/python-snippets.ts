/** The request as Python programs that end with a typed data frame. */
import type { DataType } from '@ticklake/client';
import { literal, RATE_LIMIT_WAIT_SECONDS, type SnippetRows, TRIES_MAX } from './snippet-rows';

/** Whether the numbers of the answer have to be read as decimals, because doubles would not keep them. */
function hasDecimals(columns: SnippetRows['columns']): boolean {
  return columns.some(({ data_type }) => data_type === 'decimal');
}

/** The start of both programs: the library, the address and the function that reads a page. */
function readingPages(library: string, { url, columns }: SnippetRows): string {
  const decimals = hasDecimals(columns) ? 'from decimal import Decimal\n' : '';
  return `import os
import time
${decimals}
import ${library}
import requests

URL = ${literal(url)}


def read_page(session, url):
    for attempt in range(${TRIES_MAX}):
        response = session.get(url, timeout=300)
        if response.ok:
            return response
        if response.status_code == 429 and "Monthly" not in response.text:
            time.sleep(int(response.headers.get("Retry-After", ${RATE_LIMIT_WAIT_SECONDS})))
        elif response.status_code >= 500:
            time.sleep(2**attempt)
        else:
            break
    raise RuntimeError(f"{response.status_code}: {response.text}")
`;
}

/** Reads all pages into `frame` with a function `to_frame`. */
function joiningPages(concatenation: string, { columns }: SnippetRows): string {
  const options = hasDecimals(columns) ? 'parse_float=Decimal' : '';
  return `frames = []
with requests.Session() as session:
    session.headers["X-API-KEY"] = os.environ["TICKLAKE_KEY"]
    url = URL
    while url:
        page = read_page(session, url)
        frames.append(to_frame(page.json(${options})["data"]))
        url = page.links.get("next", {}).get("url")
frame = ${concatenation}
print(frame)
`;
}

function dictionary(name: string, entries: readonly (readonly [string, string])[]): string {
  const lines = entries.map(([key, value]) => `    ${literal(key)}: ${value},`);
  return [`${name} = {`, ...lines, '}', ''].join('\n');
}

/** Nullable types keep a missing integer or text from changing the others. */
function pandasType(dataType: DataType, timeZone: string): string {
  const types: Readonly<Record<DataType, string>> = {
    date: 'datetime64[ns]',
    'date-time': `datetime64[ns, ${timeZone}]`,
    string: 'string',
    number: 'float64',
    decimal: 'object',
    boolean: 'boolean',
    integer: 'Int64',
    'array of string': 'object',
    'array of integer': 'object',
    'array of number': 'object',
  };
  return types[dataType];
}

export function pandasSnippet(rows: SnippetRows): string {
  const { columns, timeZone } = rows;
  const types = columns.map(
    ({ name, data_type }) => [name, literal(pandasType(data_type, timeZone))] as const,
  );
  return `${readingPages('pandas as pd', rows)}

${dictionary('DTYPES', types)}

def to_frame(rows):
    return pd.DataFrame(
        {
            name: pd.Series([row[name] for row in rows], dtype=dtype)
            for name, dtype in DTYPES.items()
        }
    )


${joiningPages('pd.concat(frames, ignore_index=True)', rows)}`;
}

/** Dates and times are text at first. */
const POLARS_TYPES: Readonly<Record<Exclude<DataType, 'decimal'>, string>> = {
  date: 'pl.String',
  'date-time': 'pl.String',
  string: 'pl.String',
  number: 'pl.Float64',
  boolean: 'pl.Boolean',
  integer: 'pl.Int64',
  'array of string': 'pl.List(pl.String)',
  'array of integer': 'pl.List(pl.Int64)',
  'array of number': 'pl.List(pl.Float64)',
};

function polarsType({ data_type, precision, scale }: SnippetRows['columns'][number]): string {
  return data_type === 'decimal' ? `pl.Decimal(${precision}, ${scale})` : POLARS_TYPES[data_type];
}

/** Expressions that make dates and times of text. */
function polarsConversions({ columns, timeZone }: SnippetRows): string[] {
  return columns.flatMap(({ name, data_type }) => {
    const text = `        pl.col(${literal(name)}).str`;
    if (data_type === 'date') return [`${text}.to_date("%Y-%m-%d"),`];
    if (data_type !== 'date-time') return [];
    return [
      `${text}.to_datetime("%Y-%m-%dT%H:%M:%S%.f%z", time_unit="ns")`,
      `        .dt.convert_time_zone(${literal(timeZone)}),`,
    ];
  });
}

export function polarsSnippet(rows: SnippetRows): string {
  const types = rows.columns.map((column) => [column.name, polarsType(column)] as const);
  // Whole numbers among decimals are integers, and doubles among them decimals.
  const options = hasDecimals(rows.columns) ? ', strict=False' : '';
  const conversions = polarsConversions(rows);
  const converted =
    conversions.length === 0 ? '' : ['.with_columns(', ...conversions, '    )'].join('\n');
  return `${readingPages('polars as pl', rows)}

${dictionary('SCHEMA', types)}

def to_frame(rows):
    values = {name: [row[name] for row in rows] for name in SCHEMA}
    return pl.DataFrame(values, schema=SCHEMA${options})${converted}


${joiningPages('pl.concat(frames)', rows)}`;
}
