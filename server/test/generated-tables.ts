/** Tables and sentences of the documents that come from the code, and how to write them in. */

import { collectDefaultMetrics, Registry } from 'prom-client';
import type { Fields } from '../src/admin/field.ts';
import { LAKE_OPERATIONS, OPERATIONS } from '../src/admin/operations.ts';
import { DISK_SHARES } from '../src/base/budgets.ts';
import { FURTHER_DEFINITIONS, SHIPPED_DEFINITIONS } from '../src/base/installation.ts';
import { DATA_TYPES } from '../src/catalog/dataset.ts';
import { COMPUTATION_MEANINGS, COMPUTATION_NAMES } from '../src/catalog/derivation.ts';
import { loadCatalog } from '../src/catalog/load-catalog.ts';
import { NIGHT } from '../src/night/night-file.ts';
import { allReadings } from '../src/operation/readings.ts';
import { RequestMetrics } from '../src/operation/request-metrics.ts';
import { WHAT_IF } from '../src/query/what-if.ts';
import { COLUMN_RULE, RECIPE } from '../src/recipes/recipe.ts';
import { PATH_PARAMETERS } from '../src/request/data-request.ts';
import { LITERALS } from '../src/request/literals.ts';
import { ENDPOINTS } from '../src/routes/endpoints.ts';
import { INGEST_FIELDS } from '../src/routes/ingest-fields.ts';
import { CHAIN_FIELDS } from '../src/routes/option-chain-endpoint.ts';
import { legalText, type Schema } from '../src/schema/schema.ts';
import { legalSetting, type Setting, type Settings } from '../src/schema/setting.ts';
import { SETTING_GROUPS } from '../src/settings/config.ts';
import { definitionFields } from './definition-fields.ts';
import { docsText } from './docs-table.ts';
import { commandTables } from './documented-commands.ts';
import { operatorRows, rowLimitRows } from './documented-rows.ts';
import { computedTables } from './rules/computed-tables.ts';
import { shippedRecipes, vendorPage } from './vendor-pages.ts';

export interface GeneratedTable {
  /** Below `docs`. */
  readonly file: string;
  /** If set, the table is the first one below this heading, which is appended if missing. */
  readonly heading?: string;
  /** The paragraph below the heading. */
  readonly lead?: string;
  /** The header's first cells, or all of them, by which the table is found. */
  readonly header: readonly string[];
  /** If empty, there is no table, only a heading and its lead. */
  readonly rows: readonly (readonly string[])[];
}

const RULES = [
  ...['equities.md', 'options.md', 'futures.md', 'adjustment-factors.md', 'adjusted-rows.md'],
  'securities.md',
];

const code = (text: string) => `\`${text}\``;

const SIZES = { KiB: 2 ** 10, MiB: 2 ** 20, GiB: 2 ** 30, TiB: 2 ** 40 };
const TIMES = { s: 1000, min: 60_000, h: 3_600_000 };

/** A number in the largest unit in which it is whole, such as ` (64 GiB)`; '' if there is none. */
function inUnit(value: number, units: Readonly<Record<string, number>>): string {
  const [name, size] = Object.entries(units).findLast(([, each]) => value % each === 0) ?? [];
  return name === undefined || size === undefined ? '' : ` (${value / size} ${name})`;
}

function shownDefault({ environment, default: value }: Setting<unknown>): string {
  if (value === null || (Array.isArray(value) && value.length === 0)) return '';
  const text = code(Array.isArray(value) ? value.join(',') : `${value}`);
  if (typeof value !== 'number') return text;
  if (environment.includes('_BYTES')) return `${text}${inUnit(value, SIZES)}`;
  return environment.endsWith('_MS') ? `${text}${inUnit(value, TIMES)}` : text;
}

/** Commas in numbers of five digits or more that are written without them. */
const grouped = (text: string) =>
  text.replaceAll(/\b\d{5,}\b/g, (digits) => Number(digits).toLocaleString('en-US'));

function settingRows(settings: Settings): string[][] {
  return Object.values<Setting<unknown>>(settings).map((each) => [
    ...[code(each.environment), shownDefault(each), grouped(legalSetting(each)), each.help],
  ]);
}

function settingTables(): GeneratedTable[] {
  const file = 'settings.md';
  const groups = Object.entries<Settings>(SETTING_GROUPS).map(([heading, settings]) => ({
    ...{ file, heading, header: ['Variable', 'Default', 'Legal', 'Purpose'] },
    rows: settingRows(settings),
  }));
  const shares = Object.values(DISK_SHARES).map(({ percent, use }) => [`${percent} %`, use]);
  return [...groups, { file, header: ['Share', 'For'], rows: shares }];
}

const computationRows = () =>
  Object.entries(COMPUTATION_MEANINGS).map(([name, { inputs, sentence }]) => [
    ...[code(name), inputs.join(', '), sentence],
  ]);

const fieldRows = (schema?: Schema) =>
  definitionFields(schema).map(({ name, isNeeded, legal, meaning }) => [
    ...[code(name), isNeeded ? 'yes' : 'no', legal, meaning],
  ]);

/** The pages of rules, each with the computations that it names. */
const ruleRows = () =>
  RULES.map((page) => {
    const text = docsText(`rules/${page}`);
    const names = COMPUTATION_NAMES.map(code).filter((name) => text.includes(name));
    const [, title] = /^# (.*)/.exec(text) ?? [];
    if (title === undefined) throw new Error(`docs/rules/${page} has no title`);
    return [`[${title}](${page})`, names.join(', ')];
  });

/** The shipped recipes, each with its section of the vendor's page. */
const recipeRows = () =>
  shippedRecipes().map((each) => [
    ...[`[${code(each.recipe)}](${vendorPage(each)}#${each.recipe})`, code(each.dataset.textId)],
    each.title,
  ]);

const DATASET_FOLDERS = [
  ['Shipped datasets', SHIPPED_DEFINITIONS],
  ['Further datasets', FURTHER_DEFINITIONS],
] as const;

/** The datasets of a folder, each with the path and the parameters that choose it. */
const datasetRows = (folder: string) =>
  loadCatalog([folder]).datasets.map((dataset) => {
    const { datasetId, textId, name, group, segment, pathShape, variant, naturalOrder } = dataset;
    const path = [group, segment, ...PATH_PARAMETERS[pathShape].map((each) => `{${each}}`)];
    const chosen = [
      ...(variant.adjusted ? ['adjusted=true'] : []),
      ...(variant.aggregationLogic === 'industry_std' ? ['aggregation_logic=industry_std'] : []),
    ];
    const query = chosen.length > 0 ? `?${chosen.join('&')}` : '';
    return [
      ...[code(datasetId), code(textId), name, code(`${path.join('/')}${query}`)],
      ...[naturalOrder.map(code).join(', '), dataset.startDate ?? ''],
      (dataset.derivation?.inputs ?? []).map(code).join(', '),
    ];
  });

/** Metrics that are counted, those that are read, which none of this does, and those of Node.js. */
function metricRows(): string[][] {
  const ofProcess = new Registry();
  collectDefaultMetrics({ register: ofProcess });
  type Documented = Pick<ReturnType<typeof allReadings>[number], 'name' | 'help' | 'labelNames'>;
  const listed = (registry: Registry) => registry.getMetricsAsArray() as unknown as Documented[];
  const counted = listed(new RequestMetrics().registry);
  const read = allReadings({} as never, () => 0);
  return [...counted, ...read, ...listed(ofProcess)].map(({ name, help, labelNames }) => [
    ...[code(name), labelNames.map(code).join(', '), help],
  ]);
}

const pathTemplate = (path: string) => code(path.replaceAll(/:(\w+)/g, '{$1}'));

const operationRows = () =>
  [...OPERATIONS, WHAT_IF, ...LAKE_OPERATIONS].map(({ method, path, words, summary }) => [
    ...[pathTemplate(`${method} ${path}`), code(words.join(' ')), summary],
  ]);

const ABOUT_DATA = /^\/(status|receipts|openapi|public\/|account|meta|symbology|publications$)/;

/** The endpoints that tell keys of readers about the server, their account and the datasets. */
const endpointRows = () =>
  ENDPOINTS.filter(({ method, path }) => method === 'GET' && ABOUT_DATA.test(path)).flatMap(
    (endpoint) =>
      'summary' in endpoint && (endpoint.isPublic || endpoint.role === undefined)
        ? [[pathTemplate(endpoint.path), endpoint.summary]]
        : [],
  );

const PARAMETERS = ['Parameter', 'Legal', 'Meaning'];
const WITHOUT_END = new RegExp(` from (\\d+) to ${Number.MAX_SAFE_INTEGER}`);

const parameterRows = (fields: Fields) =>
  Object.entries(fields).map(([name, { kind, help }]) => [
    ...[code(name), legalText(kind).replace(WITHOUT_END, ', $1 or more'), help],
  ]);

export function generatedTables(): GeneratedTable[] {
  const literals = DATA_TYPES.map((type) => [type, LITERALS[type].accepts]);
  return [
    ...settingTables(),
    ...commandTables().map((table) => ({ file: 'command-line.md', ...table })),
    { file: 'administration.md', header: ['Endpoint', 'Command', 'Does'], rows: operationRows() },
    { file: 'http.md', header: ['Path', 'Answers'], rows: endpointRows() },
    { file: 'ingest.md', header: PARAMETERS, rows: parameterRows(INGEST_FIELDS) },
    { file: 'option-chains.md', header: PARAMETERS, rows: parameterRows(CHAIN_FIELDS) },
    { file: 'queries.md', header: ['Operator', 'Column types'], rows: operatorRows() },
    { file: 'queries.md', header: ['Column type', 'Accepted'], rows: literals },
    { file: 'queries.md', header: ['`response_format`', 'Rows by default'], rows: rowLimitRows() },
    ...DATASET_FOLDERS.map(([heading, folder]) => ({
      ...{ file: 'datasets.md', heading, header: ['Id', 'Text id', 'Dataset'] },
      rows: datasetRows(folder),
    })),
    { file: 'operation.md', header: ['Metric', 'Labels', 'Meaning'], rows: metricRows() },
    {
      ...{ file: 'dataset-definitions.md', header: ['field', 'needed', 'legal values', 'meaning'] },
      rows: fieldRows(),
    },
    {
      file: 'vendor-files.md',
      header: ['field', 'needed', 'legal values', 'meaning'],
      rows: fieldRows(RECIPE),
    },
    {
      ...{ file: 'vendor-files.md', header: ['rule', 'needed', 'legal values', 'meaning'] },
      rows: fieldRows(COLUMN_RULE),
    },
    { file: 'vendor-files.md', header: ['recipe', 'dataset', 'reads'], rows: recipeRows() },
    {
      file: 'nights.md',
      header: ['field', 'needed', 'legal values', 'meaning'],
      rows: fieldRows(NIGHT),
    },
    {
      ...{ file: 'dataset-definitions.md', header: ['computation', 'inputs', 'rows'] },
      rows: computationRows(),
    },
    { file: 'rules/README.md', header: ['Rule', 'Computations'], rows: ruleRows() },
    ...computedTables(),
  ];
}

const lineOf = (cells: readonly string[]) => `| ${cells.join(' | ')} |`.replaceAll('|  |', '|  |');

/**
 * Replaces the lead and the rows of a table, leaving other lines alone. Throws if the page lacks
 * the table, or another heading comes before it, or something else is where the lead should be.
 */
export function withTable(page: string, { file, heading, lead, header, rows }: GeneratedTable) {
  const lines = page.trimEnd().split('\n');
  const title = heading === undefined ? -1 : lines.indexOf(`## ${heading}`);
  const made = rows.map(lineOf);
  if (heading !== undefined && title < 0) {
    const rule = `|${'---|'.repeat(header.length)}`;
    const table = rows.length === 0 ? [] : ['', lineOf(header), rule, ...made];
    const sentence = lead === undefined ? [] : ['', lead];
    return `${[...lines, '', `## ${heading}`, ...sentence, ...table].join('\n')}\n`;
  }
  if (lead !== undefined) {
    const isAlone = lines[title + 1] === '' && (lines[title + 3] ?? '') === '';
    if (!isAlone) throw new Error(`docs/${file} has no paragraph of one line below ${heading}`);
    lines[title + 2] = lead;
  }
  if (rows.length === 0) return `${lines.join('\n')}\n`;
  const starts = lineOf(header).slice(0, -1);
  const start = lines.findIndex((line, i) => i > title && line.startsWith(starts));
  const next = lines.findIndex((line, i) => i > title && line.startsWith('## '));
  if (start < 0 || (heading !== undefined && next >= 0 && next < start)) {
    throw new Error(`docs/${file} has no table ${lineOf(header)} below ${heading ?? 'its title'}`);
  }
  const end = lines.findIndex((line, i) => i > start && !line.startsWith('|'));
  const rest = end < 0 ? [] : lines.slice(end);
  return `${[...lines.slice(0, start + 2), ...made, ...rest].join('\n')}\n`;
}
