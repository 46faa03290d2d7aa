/** A first recipe from the first lines of a file, for its owner to complete. Pure. */
import { stringify } from 'yaml';
import type { Column, Dataset } from '../catalog/dataset.ts';
import { neededColumns } from '../catalog/header-columns.ts';
import { fieldsOfRecord } from '../ingest/csv-scanner.ts';
import { FILE_PART } from './load-recipes.ts';
import { baseName } from './name-form.ts';
import { SEPARATORS } from './recipe.ts';

/** Names of fields, without case and signs, and of the columns that they may be. */
const MEANINGS: readonly (readonly [field: RegExp, column: RegExp])[] = [
  [/^(symbol|sym|ticker|contract)$/, /^Ticker$/],
  [/^(open|o|first)$/, /^(Open|FirstTrade)Price$/],
  [/^(high|h)$/, /^High(Trade)?Price$/],
  [/^(low|l)$/, /^Low(Trade)?Price$/],
  [/^(close|c|last)$/, /^(Close|LastTrade)Price$/],
  [/^(volume|vol|v|size|qty|quantity)$/, /^((Daily|Total)?Volume|(Total)?Quantity)$/],
  [/^(trades|transactions|count)$/, /^TotalTrades$/],
];
const DATES = /^(trade)?(date|day)$/;
const TIMES = /^(timestamp|datetime|time|ts|tsevent|windowstart|date|day)$/;

/** How dates and times may be written; those that need no rule have none. */
const FORMS: readonly (readonly [pattern: RegExp, rule: Readonly<Record<string, string>>])[] = [
  [/^\d{4}-\d\d-\d\d$/, {}],
  [/^\d{8}$/, { time: 'YYYYMMDD' }],
  [/^\d{4}\/\d\d\/\d\d$/, { time: 'YYYY/MM/DD' }],
  [/^\d{1,2}\/\d{1,2}\/\d{4}$/, { time: 'M/D/YYYY' }],
  [/^\d{1,2}-[A-Za-z]{3}-\d{4}$/, { time: 'D-MMM-YYYY' }],
  [
    /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:?\d\d)$/,
    { time: 'YYYY-MM-DDTHH:mm:ss.nZ' },
  ],
  [/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?$/, { time: 'YYYY-MM-DDTHH:mm:ss.n' }],
  [/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d+)?$/, { time: 'YYYY-MM-DD HH:mm:ss.n' }],
  [/^\d{4}-\d\d-\d\d \d\d:\d\d$/, { time: 'YYYY-MM-DD HH:mm' }],
  [/^\d{8} \d{1,2}:\d\d:\d\d(\.\d+)?$/, { time: 'YYYYMMDD H:mm:ss.n' }],
  [/^\d{1,2}\/\d{1,2}\/\d{4} \d{1,2}:\d\d$/, { time: 'M/D/YYYY H:mm' }],
  [/^\d{10}$/, { epoch: 's' }],
  [/^\d{13}$/, { epoch: 'ms' }],
  [/^\d{16}$/, { epoch: 'us' }],
  [/^\d{19}$/, { epoch: 'ns' }],
];

type Separator = keyof typeof SEPARATORS;
const NAMES = Object.keys(SEPARATORS) as Separator[];

const plainName = (name: string) => name.toLowerCase().replaceAll(/[^a-z0-9]/g, '');

/** The records of a text by the separator that makes the most fields of its first line. */
function recordsOf(lines: readonly string[]) {
  const split = (line: string, name: Separator) => fieldsOfRecord(line, SEPARATORS[name]);
  const countOf = (name: Separator) => split(lines[0] ?? '', name).length;
  const separator = NAMES.toSorted((a, b) => countOf(b) - countOf(a))[0] as Separator;
  const [fields = [], ...records] = lines.map((line) => split(line, separator));
  return { separator, fields: fields.map((name) => name.trim()), records };
}

/** The field that a column comes from; undefined: none is like it. */
function fieldOf({ name, dataType }: Column, fields: readonly string[]): string | undefined {
  const same = fields.find((field) => plainName(field) === plainName(name));
  const like = (pattern: RegExp) => fields.find((field) => pattern.test(plainName(field)));
  if (same !== undefined) return same;
  if (dataType === 'date') return like(DATES) ?? like(TIMES);
  if (dataType === 'date-time') return like(TIMES);
  const meaning = MEANINGS.find(([, column]) => column.test(name));
  return meaning && like(meaning[0]);
}

function ruleOf(column: Column, from: string, text: string) {
  if (!column.dataType.startsWith('date')) return from;
  const [, rule = {}] = FORMS.find(([pattern]) => pattern.test(text)) ?? [];
  return Object.keys(rule).length === 0 ? from : { from, ...rule };
}

/** `AAPL_1min.csv` as `{symbol}_*.csv`. */
function symbolForm(displayName: string): string {
  const name = baseName(displayName);
  const [, end = ''] = /(\.[^.]*)?$/.exec(name) ?? [];
  const [, sign] = /^[^_.-]+([_-])/.exec(name) ?? [];
  return sign === undefined ? `{symbol}${end}` : `{symbol}${sign}*${end}`;
}

/** The recipe as YAML. `lines`: a header and the first records. */
export function firstRecipe(
  dataset: Dataset,
  displayName: string,
  lines: readonly string[],
): string {
  const { separator, fields, records } = recordsOf(lines);
  const sampleOf = (field: string) => records[0]?.[fields.indexOf(field)] ?? '';
  const columns = new Map<string, unknown>();
  const used = new Set<string>();
  for (const column of dataset.columns) {
    const field = fieldOf(column, fields);
    if (field === undefined) continue;
    columns.set(column.name, ruleOf(column, field, sampleOf(field)));
    used.add(field);
  }
  const isInName = dataset.columnByName.has('Ticker') && !columns.has('Ticker');
  if (isInName) columns.set('Ticker', `${FILE_PART}symbol`);
  const missing = neededColumns(dataset).filter((name) => !columns.has(name));
  const unread = fields.filter((field) => !used.has(field));
  const recipe = {
    recipe: `own-${dataset.textId.replaceAll('_', '-')}`,
    title: `Our own files for ${dataset.textId}`,
    vendor: 'Name of the vendor',
    dataset: dataset.textId,
    ...(isInName ? { file_name: symbolForm(displayName) } : {}),
    ...(separator === 'comma' ? {} : { separator }),
    columns: Object.fromEntries(columns),
    ...(unread.length > 0 ? { unread_fields: unread } : {}),
  };
  const notes = missing.map(
    (name) => `# No field is like ${name}: name the one that it comes from.\n`,
  );
  return `${notes.join('')}${stringify(recipe)}`;
}
