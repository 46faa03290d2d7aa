/** The request as programs that use Ticklake's own clients: the same question, in their words. */
import { installPython, installTypescript } from '../format/client-packages';
import { type DatasetShape, variantParameters } from './dataset-shape';
import type { ExplorerRequest } from './explorer-request';
import type { Snippet } from './snippet';
import { literal } from './snippet-rows';

type Pair = readonly [name: string, value: string];

interface ClientQuestion {
  readonly datasetId: string;
  /** Of the path; undefined: it has none. */
  readonly date: string | undefined;
  readonly identifier: string | undefined;
  /** Filters, as the service reads them. */
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

/** The rows of the question, read with the client for Python. */
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

/** By the column that an identifier of the path is matched with: of digits alone, the integer one. */
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

const ticklake = new Ticklake({
  url: ${literal(base)},
  key: process.env.TICKLAKE_KEY ?? "",
});
const query = ticklake.dataset(${literal(question.datasetId)}).read(${lines && `{\n${lines}}`});
const rows = await query.toArray({ limit: Infinity });
console.log(\`\${rows.length} rows\`);
`;
}

/** None where a filter is given twice, which the clients' filters by name cannot say. */
export function clientSnippets(
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
