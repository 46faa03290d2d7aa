/**
 * The tools for language models. Each asks endpoints of the interface in the caller's name, so that
 * keys, rules, quotas and limits are theirs, and shortens what they answer.
 */
import * as v from 'valibot';
import type { Catalog, Dataset } from '../catalog/dataset.ts';
import { datasetsNamed } from '../request/data-request.ts';
import type { Schema } from '../schema/schema.ts';
import { RESOLVED_TYPES } from '../symbology/symbol-table.ts';
import type { CATALOGUE_ENTRY } from './data-answers.ts';
import { isTextType, pageAnswer, Refusal, TEXT_NOTE, type Told } from './tool-answers.ts';

type Parameters = Readonly<Record<string, string | number | boolean | undefined>>;

/** Everything that a call of a tool is given besides its input. */
export interface ToolContext {
  readonly catalog: Catalog;
  /** Address of the interface, with its prefix. */
  readonly origin: string;
  /** A GET in the caller's name, of path segments not yet encoded. Throws a Refusal. */
  ask(path: readonly string[], ...parameters: readonly (Parameters | undefined)[]): Promise<Told>;
}

export interface ToolAnswer {
  readonly answer: Readonly<Record<string, unknown>>;
  /** The list of the answer that may be cut. */
  readonly list?: string;
}

export interface Tool {
  readonly name: string;
  readonly description: string;
  readonly input: Schema;
  run(context: ToolContext, input: unknown): Promise<ToolAnswer>;
}

function tool<Entries extends v.ObjectEntries>(
  name: string,
  description: string,
  entries: Entries,
  run: (
    context: ToolContext,
    input: v.InferOutput<v.StrictObjectSchema<Entries, undefined>>,
  ) => Promise<ToolAnswer>,
): Tool {
  return { name, description, input: v.strictObject(entries), run: run as Tool['run'] };
}

const ROWS = 20;
const ROWS_MAX = 50;
const DESCRIPTION_CHARACTERS = 160;

const text = (description: string) => v.pipe(v.string(), v.description(description));
const DATASET = text('Text id or id of a dataset, such as eq_daily_ohlc');
const LIMIT = v.optional(
  v.pipe(
    v.number(),
    v.integer(),
    v.minValue(1),
    v.maxValue(ROWS_MAX),
    v.description(`Rows to return, ${ROWS} unless given`),
  ),
);
const PARAMETERS = v.optional(
  v.pipe(
    v.record(v.string(), v.union([v.string(), v.number(), v.boolean()])),
    v.description(
      'Filters by column or column.operator, such as {"Ticker.in": "AVQX,BZOQ", ' +
        '"TradeDate.ge": "2025-01-01"}, and columns, sort, sample, offset, period, interval, session, ' +
        'adjusted, dataset_version or as_of',
    ),
  ),
);
const QUESTION = {
  dataset: DATASET,
  trade_date: v.optional(text('YYYY-MM-DD or latest, if path_parameters has it')),
  identifier: v.optional(text('A ticker, contract or ASID, if path_parameters has it')),
  parameters: PARAMETERS,
};
type CatalogueEntry = v.InferOutput<typeof CATALOGUE_ENTRY>;
type Question = v.InferOutput<v.StrictObjectSchema<typeof QUESTION, undefined>>;

function datasetNamed({ catalog }: ToolContext, name: string): Dataset {
  const dataset = catalog.byTextId(name) ?? catalog.byId(name);
  if (dataset) return dataset;
  const alike = datasetsNamed(catalog, name).map(({ textId }) => textId);
  throw new Refusal({
    detail: `No dataset has the text id or id '${name}'`,
    hint: alike.length > 0 ? `There are ${alike.join(', ')}` : undefined,
    next: 'Call find_datasets.',
  });
}

/** The endpoint refuses a path that the dataset does not have, with the right one in its hint. */
function rowsPath({ group, datasetId }: Dataset, { trade_date, identifier }: Question): string[] {
  const given = [trade_date, identifier].filter((each) => each !== undefined);
  return ['data', group, datasetId, ...given];
}

const EXACT = { response_format: 'json', numbers: 'string' };

async function findDatasets({ ask }: ToolContext, words: string, isReadableOnly: boolean) {
  const { body } = await ask(['meta', 'catalogue']);
  const wanted = words.toLowerCase().split(/\s+/);
  const found = body.filter((entry: CatalogueEntry) => {
    const known = JSON.stringify(entry).toLowerCase();
    return (entry.is_entitled || !isReadableOnly) && wanted.every((word) => known.includes(word));
  });
  const datasets = found.map((entry: CatalogueEntry) => ({
    ...{ text_id: entry.dataset_text_id, id: entry.dataset_id, name: entry.dataset_name },
    ...{ description: entry.description.slice(0, DESCRIPTION_CHARACTERS) },
    ...{ granularity: entry.time_granularity, may_read: entry.is_entitled },
    ...{ first_trade_date: entry.first_trade_date, last_trade_date: entry.last_trade_date },
  }));
  const next = datasets.length > 0 ? 'Call describe_dataset before query.' : 'Use other words.';
  return { answer: { dataset_count: datasets.length, next, datasets }, list: 'datasets' };
}

async function describeDataset(context: ToolContext, name: string) {
  const { datasetId, textId, name: ownName, description } = datasetNamed(context, name);
  const path = ['meta', 'datasets', datasetId];
  const { body: form } = await context.ask([...path, 'query']);
  const { body: told } = await context.ask([...path, 'columns']);
  const { body: catalogue } = await context.ask(['meta', 'catalogue']);
  const entry = catalogue.find((each: CatalogueEntry) => each.dataset_id === datasetId);
  const operators = Object.fromEntries(
    form.columns.map((column: { data_type: string; operators: string[] }) => [
      column.data_type,
      column.operators.join(' '),
    ]),
  );
  const answer = {
    ...{ text_id: textId, id: datasetId, name: ownName, description },
    ...{ may_read: form.is_entitled, rules: form.rules },
    first_trade_date: entry?.first_trade_date ?? null,
    last_trade_date: entry?.last_trade_date ?? null,
    row_count: entry?.row_count ?? null,
    path_parameters: form.path_parameters,
    required_filters: form.required_filters,
    ...{ date_column: form.date_column, default_period: form.default_period },
    ...{ time_zone: form.time_zone, sort_columns: form.sort_columns },
    parameters: form.parameters.map((each: { name: string }) => each.name),
    ...{ operators, note: TEXT_NOTE },
    columns: told.map((column: { data_type: string }) => ({
      ...column,
      ...(isTextType(column.data_type) && { is_text: true }),
    })),
  };
  return { answer, list: 'columns' };
}

/** An estimate of all rows is asked for only where the page is not all of them. */
async function query(context: ToolContext, asked: Question, limit: number, receipt: boolean) {
  const dataset = datasetNamed(context, asked.dataset);
  const path = rowsPath(dataset, asked);
  const { parameters } = asked;
  const told = await context.ask(path, parameters, EXACT, { limit, receipt });
  const page = pageAnswer(dataset, told);
  if (page.next_offset === null) return { answer: page, list: 'rows' };
  const rest = { ...parameters, offset: Number(page.next_offset) };
  const { body } = await context.ask([...path, 'estimate'], rest);
  const rows_left_out = { min: Math.max(1, body.row_count_min), max: body.row_count_max };
  return { answer: { rows_left_out, ...page }, list: 'rows' };
}

async function changes(
  context: ToolContext,
  name: string,
  parameters: Parameters | undefined,
  { limit, ...versions }: { from: number | undefined; to: number | undefined; limit: number },
) {
  const dataset = datasetNamed(context, name);
  const path = ['meta', 'datasets', dataset.datasetId];
  if (versions.from === undefined) {
    const { body } = await context.ask([...path, 'versions'], { limit });
    const next = 'Call changes with from, a version, for the rows that changed since.';
    return { answer: { next, versions: body.data }, list: 'versions' };
  }
  const told = await context.ask([...path, 'changes'], parameters, EXACT, { ...versions, limit });
  return { answer: pageAnswer(dataset, told), list: 'rows' };
}

const NO_VERSION = 'Call find_datasets: those with a last_trade_date have data.';

/** The standard form of a question in one version: a link that says nothing of who asks. */
async function saveQuery(context: ToolContext, asked: Question) {
  const dataset = datasetNamed(context, asked.dataset);
  const { body } = await context.ask([...rowsPath(dataset, asked), 'estimate'], asked.parameters);
  const { dataset_version: version, factors_version: factors, canonical_request: request } = body;
  if (version === null) {
    throw new Refusal({ detail: 'Nothing of this dataset is published yet', next: NO_VERSION });
  }
  const ofFactors = factors === null ? '' : `&factors_version=${factors}`;
  const link = `${context.origin}${request}&dataset_version=${version}${ofFactors}`;
  const header = '"X-API-KEY": os.environ["TICKLAKE_KEY"]';
  return {
    answer: {
      ...{ dataset_id: dataset.datasetId, dataset_version: version, link },
      note: 'The link has no key and answers only with one. The header Link has the next page.',
      curl: `curl -H "X-API-KEY: $TICKLAKE_KEY" '${link.replaceAll("'", '%27')}'`,
      python: [
        'import json, os, urllib.request',
        `url = ${JSON.stringify(link)}`,
        `request = urllib.request.Request(url, headers={${header}})`,
        'rows = json.load(urllib.request.urlopen(request))["data"]',
      ].join('\n'),
    },
  };
}

const SYMBOLS = {
  symbols: v.optional(text('Symbols, separated by commas')),
  type: v.optional(v.pipe(v.picklist(RESOLVED_TYPES), v.description('Type of the symbols'))),
  start: v.optional(text('First date, YYYY-MM-DD')),
  end: v.optional(text('Last date, YYYY-MM-DD')),
  search: v.optional(text('In place of symbols: the beginning of a ticker, name or number')),
};

export const TOOLS: readonly Tool[] = [
  tool(
    'find_datasets',
    'Finds datasets by words of their names, descriptions and columns.',
    {
      words: v.optional(text('Words that all have to occur; default: every dataset')),
      readable_only: v.optional(v.boolean()),
    },
    (context, { words = '', readable_only = false }) => findDatasets(context, words, readable_only),
  ),
  tool(
    'describe_dataset',
    'Shows the columns, dates and parameters of a dataset, and the rules of this key: which dates, identifiers and columns it may read.',
    { dataset: DATASET },
    (context, { dataset }) => describeDataset(context, dataset),
  ),
  tool(
    'resolve_symbols',
    'Shows which securities symbols stood for, by date, or finds securities by the beginning of a name.',
    SYMBOLS,
    async ({ ask }, { search, ...asked }) => {
      if (search === undefined) {
        const { body } = await ask(['symbology', 'resolve'], asked);
        return { answer: body, list: 'resolved' };
      }
      const { body } = await ask(['symbology', 'search'], { q: search });
      return { answer: body, list: 'securities' };
    },
  ),
  tool(
    'estimate',
    'Shows what a query would read and return, and what is left of the quotas, without reading rows.',
    QUESTION,
    async (context, asked) => {
      const path = [...rowsPath(datasetNamed(context, asked.dataset), asked), 'estimate'];
      return { answer: (await context.ask(path, asked.parameters)).body, list: 'formats' };
    },
  ),
  tool(
    'query',
    `Reads up to ${ROWS_MAX} rows. For each column it shows nulls, min and max of these rows alone; use aggregate for figures of all rows.`,
    {
      ...QUESTION,
      limit: LIMIT,
      receipt: v.optional(v.pipe(v.boolean(), v.description('Adds a signed receipt'))),
    },
    (context, { limit = ROWS, receipt = false, ...asked }) => query(context, asked, limit, receipt),
  ),
  tool(
    'aggregate',
    'Computes figures of groups of all rows: count, sum, min, max, avg, first, last, vwap, stddev, quantile.',
    {
      ...QUESTION,
      select: text('Such as count,sum(Volume),vwap(Price,Quantity),quantile(Price,0.5)'),
      by: v.optional(text('Columns, separated by commas')),
      limit: LIMIT,
    },
    async (context, { limit = ROWS, select, by, ...asked }) => {
      const dataset = datasetNamed(context, asked.dataset);
      const path = [...rowsPath(dataset, asked), 'aggregate'];
      const told = await context.ask(path, asked.parameters, EXACT, { limit, select, by });
      return { answer: pageAnswer(dataset, told), list: 'rows' };
    },
  ),
  tool(
    'changes',
    'Lists the versions of a dataset or, with from, the rows that changed since a version.',
    {
      dataset: DATASET,
      from: v.optional(v.pipe(v.number(), v.integer(), v.description('The earlier version'))),
      to: v.optional(v.pipe(v.number(), v.integer(), v.description('The later version'))),
      parameters: PARAMETERS,
      limit: LIMIT,
    },
    (context, { dataset, parameters, limit = ROWS, from, to }) =>
      changes(context, dataset, parameters, { from, to, limit }),
  ),
  tool(
    'save_query',
    'Writes a query as a link and code for a person, pinned to the current version of the data.',
    QUESTION,
    saveQuery,
  ),
];
