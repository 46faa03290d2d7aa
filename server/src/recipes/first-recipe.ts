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
  [/^(price|px)$/, /^Price$/],
  [/^(volume|vol|v|size|qty|quantity)$/, /^((Daily|Total)?Volume|(Total)?Quantity)$/],
  [/^(trades|transactions|count)$/, /^TotalTrades$/],
  [/^(option)?(expiration|expiry)(date)?$/, /^Expiration(Date)?$/],
  [/^(callput|cp|right|type|optiontype|putcall)$/, /^CallPut$/],
  [/^bid(price)?$/, /^LastBidPrice$/],
  [/^ask(price)?$/, /^LastAskPrice$/],
];
const DATES = /^(trade)?(date|day)$/;
const TIMES = /^(timestamp|datetime|time|ts|tsevent|windowstart|date|day)$/;

/** How dates and times may be written; those that need no rule have none. */
const FORMS: readonly (readonly [pattern: RegExp, rule: Readonly<Record<string, string>>])[] = [
  [/^\d{4}-\d\d-\d\d$/, {}],
  [/^(19|20|21)\d\d(0[1-9]|1[0-2])([0-2]\d|3[01])$/, { time: 'YYYYMMDD' }],
  [/^\d{4}\/\d\d\/\d\d$/, { time: 'YYYY/MM/DD' }],
  [/^(0?[1-9]|1[0-2])\/\d{1,2}\/\d{4}$/, { time: 'M/D/YYYY' }],
  [/^\d{1,2}\/(0?[1-9]|1[0-2])\/\d{4}$/, { time: 'D/M/YYYY' }],
  [/^\d{1,2}\.(0?[1-9]|1[0-2])\.\d{4}$/, { time: 'D.M.YYYY' }],
  [/^\d{1,2}-[A-Za-z]{3}-\d{4}$/, { time: 'D-MMM-YYYY' }],
  [
    /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:?\d\d)$/,
    { time: 'YYYY-MM-DDTHH:mm:ss.nZ' },
  ],
  [/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?$/, { time: 'YYYY-MM-DDTHH:mm:ss.n' }],
  [/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d+)?$/, { time: 'YYYY-MM-DD HH:mm:ss.n' }],
  [/^\d{4}-\d\d-\d\d \d\d:\d\d$/, { time: 'YYYY-MM-DD HH:mm' }],
  [/^\d{8} \d{1,2}:\d\d:\d\d(\.\d+)?$/, { time: 'YYYYMMDD H:mm:ss.n' }],
  [/^(0?[1-9]|1[0-2])\/\d{1,2}\/\d{4} \d{1,2}:\d\d$/, { time: 'M/D/YYYY H:mm' }],
  [/^\d{1,2}\/(0?[1-9]|1[0-2])\/\d{4} \d{1,2}:\d\d$/, { time: 'D/M/YYYY H:mm' }],
  [/^\d{10}$/, { epoch: 's' }],
  [/^\d{13}$/, { epoch: 'ms' }],
  [/^\d{16}$/, { epoch: 'us' }],
  [/^\d{19}$/, { epoch: 'ns' }],
];

const formsOf = (texts: readonly string[]) =>
  FORMS.filter(([pattern]) => texts.every((text) => pattern.test(text)));

const TEXT = 'Text';
/** Stands for a field that the owner has to name, and without which no recipe is legal. */
const OPEN = '?';

type Separator = keyof typeof SEPARATORS;
const NAMES = Object.keys(SEPARATORS) as Separator[];

const plainName = (name: string) => name.toLowerCase().replaceAll(/[^a-z0-9]/g, '');

const patternsOf = (fits: (rule: Readonly<Record<string, string>>) => boolean) =>
  FORMS.filter(([, rule]) => fits(rule)).map(([pattern]) => pattern);
/** Kinds of values by their texts, in this order; the names of fields begin with them. */
const KINDS: readonly (readonly [kind: string, patterns: readonly RegExp[]])[] = [
  ['Time', [/^\d{1,2}:\d\d(:\d\d(\.\d+)?)?$/]],
  ['Date', patternsOf(({ time = '', epoch }) => !epoch && !time.includes('H'))],
  // An epoch is a number here: without a name, it may as well be a turnover.
  ['DateTime', patternsOf(({ epoch }) => !epoch)],
  ['Number', [/^[+-]?[\d.,]*\d$/]],
];

function kindOf(texts: readonly string[]): string {
  const fits = (pattern: RegExp) => texts.every((text) => pattern.test(text));
  const found = texts.length > 0 && KINDS.find(([, patterns]) => patterns.some(fits));
  return found ? found[0] : TEXT;
}

type Records = readonly (readonly string[])[];
/** The texts of a field, but for empty ones. */
const textsAt = (records: Records, n: number) => records.flatMap((each) => each[n] || []);

/** Names of fields by their kinds and places. A date alone is one, among several none is meant. */
function namesByKind(records: Records): readonly string[] {
  const places = (records[0] ?? []).map((_, n) => n);
  const kinds = places.map((n) => kindOf(textsAt(records, n)));
  const isAlone = (kind: string) => kinds.filter((each) => each === kind).length === 1;
  return kinds.map((kind, n) => {
    return /Date|Time/.test(kind) && isAlone(kind) ? kind : `${kind} ${n + 1}`;
  });
}

/** The records of a text by the separator that cuts all its lines alike, or its first line most. */
function recordsOf(lines: readonly string[]) {
  const split = (line: string, name: Separator) => fieldsOfRecord(line, SEPARATORS[name]);
  const texts = lines.filter((line) => line !== '');
  const countOf = (name: Separator) => split(texts[0] ?? '', name).length;
  // A comma may stand for the decimal point.
  const alike = NAMES.toReversed().find(
    (name) =>
      countOf(name) > 1 && texts.every((line) => split(line, name).length === countOf(name)),
  );
  const separator = alike ?? (NAMES.toSorted((a, b) => countOf(b) - countOf(a))[0] as Separator);
  const all = texts.map((line) => split(line, separator).map((text) => text.trim()));
  const hasHeader = (all[0] ?? []).every((text) => kindOf([text]) === TEXT);
  const fields = hasHeader ? (all[0] ?? []) : namesByKind(all);
  return { separator, fields, records: all.slice(hasHeader ? 1 : 0), hasHeader };
}

const DAY_SECONDS = 86_400;
/** Midnights in New York, in winter and in summer, and those of UTC. */
const MIDNIGHTS = ['00:00', '00:00:00', '0', '14400', '18000'];

/** The time of day of a text, or of an epoch in UTC, and its date; undefined: it has none. */
function clockOf(text: string): readonly [clock: string, day: string] | undefined {
  const isEpoch = formsOf([text]).some(([, { epoch }]) => epoch);
  const seconds = Number(text.slice(0, 10));
  if (isEpoch) return [`${seconds % DAY_SECONDS}`, `${Math.floor(seconds / DAY_SECONDS)}`];
  const [, day = '', clock] = /^(.+)[T ](\d\d?:\d\d(?::\d\d)?)/.exec(text) ?? [];
  return clock === undefined ? undefined : [clock, day];
}

/** True if times are those of days: midnights, or the same time on several days. */
function areOfDays({ fields, records }: Pick<ReturnType<typeof recordsOf>, 'fields' | 'records'>) {
  const at = fields.findIndex((field) => TIMES.test(plainName(field)));
  const found = textsAt(records, at).map(clockOf);
  const days = new Set(found.map((each) => each?.[1]));
  const [clock, ...others] = new Set(found.map((each) => each?.[0]));
  return clock !== undefined && others.length === 0 && (days.size > 1 || MIDNIGHTS.includes(clock));
}

/** The field that a column comes from; undefined: none is like it. */
function fieldOf(
  { name, dataType }: Column,
  fields: readonly string[],
  isNeeded: boolean,
): string | undefined {
  const same = fields.find((field) => plainName(field) === plainName(name));
  const like = (pattern: RegExp) => fields.find((field) => pattern.test(plainName(field)));
  if (same !== undefined) return same;
  const time = dataType === 'date' ? (like(DATES) ?? like(TIMES)) : like(TIMES);
  const meaning = MEANINGS.find(([, column]) => column.test(name));
  if (meaning) return like(meaning[0]);
  // A date or a time of the row, not one of something else, such as a quote that it names.
  return isNeeded && dataType.startsWith('date') ? time : undefined;
}

/** How a column is read, and what its owner has to look at. */
interface Guess {
  /** Null: the owner has to choose, and nothing is loaded before. */
  readonly rule: unknown;
  readonly notes: readonly string[];
}

const UTC_MIDNIGHT = /T00:00:00(\.0+)?(Z|[+-]00:?00)$/;
const isUtcMidnight = (text: string) =>
  UTC_MIDNIGHT.test(text) || (clockOf(text)?.[0] === '0' && /^\d{10}0*$/.test(text));

function guessTime({ name, dataType }: Column, from: string, texts: readonly string[]): Guess {
  const [[, rule] = [], [, other] = []] = formsOf(texts);
  const open = (why: string) => ({ rule: null, notes: [`${name}: ${why}`] });
  if (!rule) return open(`no known form fits ${from}, as ${texts[0]}.`);
  if (other) return open(`${from} may be ${rule.time} or ${other.time}: choose.`);
  // The date of an instant would be that of New York, often the day before.
  if (dataType === 'date' && texts.every(isUtcMidnight)) {
    const ofEpoch = { from, ...rule, midnight: 'UTC' };
    return { rule: rule.epoch ? ofEpoch : { from, extract: '([0-9-]{10})T.*' }, notes: [] };
  }
  if (dataType === 'date-time' && !rule.epoch && !/:/.test(texts[0] ?? '')) {
    return open(`${from} has no time; join it with a field that has.`);
  }
  return { rule: Object.keys(rule).length === 0 ? from : { from, ...rule }, notes: [] };
}

const GROUPS = /^[+-]?\d{1,3}(\.\d{3})+$/;
const WITH_COMMA = /^-?(\d+|\d{1,3}(\.\d{3})+)(,\d+)?$/;
const WITH_POINT = /^-?(\d+|\d{1,3}(,\d{3})+)?(\.\d+)?$/;

/** True if all numbers of a file may have a comma for their point, and some can only be read so. */
function haveCommas(records: Records): boolean {
  const fields = (records[0] ?? []).map((_, n) => textsAt(records, n));
  const numbers = fields.filter((texts) => kindOf(texts) === 'Number').flat();
  return (
    numbers.every((text) => WITH_COMMA.test(text)) &&
    !numbers.every((text) => WITH_POINT.test(text))
  );
}

/** A number that may have a comma for its point, or groups of digits. */
function unclearNumber(texts: readonly string[]): string | undefined {
  const marked = texts.filter((text) => /[.,]/.test(text));
  const isGrouped = marked.every((text) => GROUPS.test(text));
  return marked.find((text) => text.includes(',')) ?? (isGrouped ? marked[0] : undefined);
}

function fieldNote(name: string, texts: readonly string[]): string {
  const odd = name.startsWith(TEXT) ? undefined : unclearNumber(texts);
  const epoch = formsOf(texts)[0]?.[1].epoch;
  const maybeEpoch = epoch ? `; if it is a time, with epoch: ${epoch}.` : '';
  const note = odd === undefined ? maybeEpoch : ': choose decimal and group.';
  return `- ${name}, such as ${odd ?? texts[0] ?? ''}${note}`;
}

function guessOf(
  column: Column,
  from: string,
  texts: readonly string[],
  hasCommas: boolean,
): Guess {
  if (column.dataType.startsWith('date')) return guessTime(column, from, texts);
  if (hasCommas && kindOf(texts) === 'Number' && column.dataType !== 'string') {
    return { rule: { from, decimal: ',', group: '.' }, notes: [] };
  }
  const odd = column.dataType === 'string' ? undefined : unclearNumber(texts);
  if (odd === undefined) return { rule: from, notes: [] };
  const text = `${column.name}: ${from} may have groups of digits, as ${odd}`;
  return { rule: null, notes: [`${text}: choose decimal and group.`] };
}

/** `AAPL_1min.csv` as `{symbol}_*.csv`. */
function symbolForm(displayName: string): string {
  const name = baseName(displayName);
  const [, end = ''] = /(\.[^.]*)?$/.exec(name) ?? [];
  const [, sign] = /^[^_.-]+([_-])/.exec(name) ?? [];
  return sign === undefined ? `{symbol}${end}` : `{symbol}${sign}*${end}`;
}

interface FirstColumns {
  readonly columns: ReadonlyMap<string, unknown>;
  /** Fields that the columns come from. */
  readonly used: ReadonlySet<string>;
  readonly notes: readonly string[];
  /** Columns that a recipe needs and for which no field was found. */
  readonly missing: readonly string[];
  readonly isSymbolInName: boolean;
}

function firstColumns(
  dataset: Dataset,
  { fields, records, hasHeader }: ReturnType<typeof recordsOf>,
): FirstColumns {
  const columns = new Map<string, unknown>();
  const used = new Set<string>();
  const notes: string[] = [];
  const needed = neededColumns(dataset);
  const hasCommas = haveCommas(records);
  for (const column of dataset.columns) {
    const field = fieldOf(column, fields, needed.includes(column.name));
    const { name } = column;
    const isMeant = needed.includes(name) || MEANINGS.some(([, meant]) => meant.test(name));
    if (!hasHeader && isMeant) columns.set(name, OPEN);
    if (field === undefined) continue;
    const guess = guessOf(column, field, textsAt(records, fields.indexOf(field)), hasCommas);
    notes.push(...guess.notes);
    if (guess.rule === null) continue;
    columns.set(column.name, guess.rule);
    used.add(field);
  }
  const isUnnamed = hasHeader
    ? !columns.has('Ticker')
    : !fields.some((name) => name.startsWith(TEXT));
  const isSymbolInName = dataset.columnByName.has('Ticker') && isUnnamed;
  if (isSymbolInName) columns.set('Ticker', `${FILE_PART}symbol`);
  const missing = needed.filter((name) => !columns.has(name));
  return { columns, used, notes, missing, isSymbolInName };
}

const RECORD_TYPE = 'rtype';
const BARS_OF: Readonly<Record<string, string>> = {
  ...{ 32: ' of bars of one second', 33: ' of bars of one minute' },
  ...{ 34: ' of bars of one hour', 35: ' of bars of one day' },
};

/** With a check of Databento's kind of records: bars of all lengths have the same fields. */
function withRecordType(found: FirstColumns, fields: readonly string[], records: Records) {
  const [kind, ...others] = new Set(textsAt(records, fields.indexOf(RECORD_TYPE)));
  const plain = [...found.columns].findLast(([, rule]) => found.used.has(`${rule}`));
  if (kind === undefined || others.length > 0 || !plain) return found;
  const [name, field] = plain as [string, string];
  const legal = `${kind}, the rtype${BARS_OF[kind] ?? ''} in the first file,`;
  const rule = { by: RECORD_TYPE, fields: { [kind]: field }, legal };
  return {
    ...found,
    columns: new Map([...found.columns, [name, rule]]),
    used: new Set([...found.used, RECORD_TYPE]),
    notes: [...found.notes, `${RECORD_TYPE}: must be ${legal} which ${name} checks.`],
  };
}

/** Datasets of which most columns come from named fields, that of the fewest columns first. */
export function likeliestDatasets(
  datasets: readonly Dataset[],
  lines: readonly string[],
): readonly Dataset[] {
  const table = recordsOf(lines);
  if (!table.hasHeader) return [];
  const ofDays = areOfDays(table);
  const found = datasets.map((dataset) => {
    const { columns, used, missing } = firstColumns(dataset, table);
    const hasTime = dataset.columns.some((c) => c.dataType === 'date-time' && columns.has(c.name));
    const fit = hasTime && ofDays ? -1 : Number(hasTime);
    const count = used.size < 2 ? 0 : used.size + fit - missing.length;
    return { dataset, count };
  });
  const most = Math.max(1, ...found.map(({ count }) => count));
  const likely = found.filter(({ count }) => count === most).map(({ dataset }) => dataset);
  return likely.sort((a, b) => a.columns.length - b.columns.length);
}

/** The recipe as YAML. `lines`: a header and the first records; `others` may be meant as well. */
export function firstRecipe(
  [dataset, ...others]: readonly [Dataset, ...Dataset[]],
  displayName: string,
  lines: readonly string[],
): string {
  const table = recordsOf(lines);
  const { separator, fields, hasHeader, records } = table;
  const { columns, used, missing, isSymbolInName, ...found } = withRecordType(
    firstColumns(dataset, table),
    fields,
    records,
  );
  const unread = fields.filter((field) => !used.has(field));
  const recipe = {
    recipe: `own-${dataset.textId.replaceAll('_', '-')}`,
    title: `Our own files for ${dataset.textId}`,
    vendor: 'Name of the vendor',
    dataset: dataset.textId,
    ...(isSymbolInName ? { file_name: symbolForm(displayName) } : {}),
    ...(separator === 'comma' ? {} : { separator }),
    ...(hasHeader ? {} : { fields }),
    columns: Object.fromEntries(columns),
    ...(hasHeader && unread.length > 0 ? { unread_fields: unread } : {}),
  };
  const told = found.notes.map((note) => note.split(':', 1)[0]);
  const notes = [
    ...(others.length === 0
      ? []
      : [`dataset: the fields may as well be those of ${others.map((o) => o.textId).join(', ')}.`]),
    ...(hasHeader
      ? []
      : [
          'The first line is a record, so the fields are named by what they look like. In place of',
          `each ${OPEN} name the field that the column comes from, or leave the column out:`,
          ...fields.map((name, n) => fieldNote(name, textsAt(records, n))),
        ]),
    ...found.notes,
    ...(isSymbolInName ? ['Ticker: the first part of the name of a file, by file_name.'] : []),
    ...missing
      .filter((name) => !told.includes(name))
      .map((name) => `No field is like ${name}: name the one that it comes from.`),
    ...(hasHeader && unread.length > 0 ? [`Not read: ${unread.join(', ')}.`] : []),
  ];
  return `${notes.map((note) => `# ${note}\n`).join('')}${stringify(recipe)}`;
}
