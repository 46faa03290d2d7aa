/** From a question to the path and the parameters of a request. Pure. */
import { IntegrityError } from './errors.ts';
import type { QueryForm } from './types.ts';

export type FilterValue = string | number | bigint | boolean;
/**
 * Filters by column, or by column and operator: `{ Ticker: 'AVQX', 'Price.ge': 10 }`. A list means
 * any of its values.
 */
export type Where = Readonly<Record<string, FilterValue | readonly FilterValue[]>>;

export interface Question {
  readonly where?: Where | undefined;
  /** Default: all. */
  readonly columns?: readonly string[] | undefined;
  /** Columns to sort by; `-` before a name sorts in descending order. Default: natural order. */
  readonly sort?: readonly string[] | undefined;
  /** A share of the rows, such as `0.01` or `1/100`, chosen by a hash of their keys. */
  readonly sample?: number | string | undefined;
  /** A version to read. Default: the current one of the first answer. */
  readonly version?: number | undefined;
  /** A time such as `2026-11-18T21:00:00Z`, or a Date: the version that was current then. */
  readonly asOf?: string | Date | undefined;
  /** Length of the look-back window, such as `10Y`. */
  readonly period?: string | undefined;
  /** Bars of another length, such as `1h`, put together of the stored ones. */
  readonly interval?: string | undefined;
  /** Bars of this session of the trading day alone. */
  readonly session?: 'regular' | 'extended' | 'overnight' | undefined;
  /** True: a ticker stands for its company, under all tickers that it has had. */
  readonly continuous?: boolean | undefined;
  /** `strict` refuses tickers of more than one company. Default: `any`, which warns. */
  readonly symbols?: 'any' | 'strict' | undefined;
  /** A date: adjusted rows are adjusted by the events up to it alone. */
  readonly adjustedAsOf?: string | undefined;
  /** `splits` adjusts by events that change the number of shares alone. Default: `all`. */
  readonly adjustments?: 'all' | 'splits' | undefined;
  /** True: adjusted rows have their factors, whatever `columns` says. */
  readonly adjustmentFactors?: boolean | undefined;
  /** A version of the adjustment factors. Default: the current one of the first answer. */
  readonly factorsVersion?: number | undefined;
  /** A version of the ranks of continuous contracts. Default: the current one. */
  readonly rollsVersion?: number | undefined;
  /** True: identifiers of a list without rows are an error. Default: a warning. */
  readonly strict?: boolean | undefined;
  /** Rows at most, in all. */
  readonly limit?: number | undefined;
}

export type Parameter = readonly [name: string, value: string];

export interface Path {
  /** Encoded, from the group on: `us-equity/eq-taq/2026-11-20/AVQX`. */
  readonly path: string;
  readonly parameters: readonly Parameter[];
  /** That which the path names. */
  readonly identifier?: string | undefined;
}

/** As an item of a list. */
function listItem(value: FilterValue): string {
  const text = String(value);
  return /[",]|^$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function filterOf(name: string, value: Where[string]): Parameter {
  if (!Array.isArray(value)) return [name, String(value)];
  const list = value.map(listItem).join(',');
  return [name.includes('.') ? name : `${name}.in`, list];
}

/** A filter by which a parameter of a path is given, and the values that it lets through. */
interface PathValues {
  readonly filter: string;
  readonly values: readonly string[];
}

/** Equalities and lists of a column. */
function pathFilters(where: Where, column: string): PathValues[] {
  return [column, `${column}.eq`, `${column}.in`].flatMap((filter) => {
    const given = where[filter];
    // One text of many values is for the service alone to read.
    if (given === undefined || (filter.endsWith('.in') && !Array.isArray(given))) return [];
    const values = [...new Set([given].flat().map(String))].sort();
    return values.length > 0 && !values.includes('') ? [{ filter, values }] : [];
  });
}

/** In a path, an identifier of digits alone is read as the integer column, if there is one. */
function namesColumn(form: QueryForm, column: string, value: string): boolean {
  const isInteger = (name: string) =>
    form.columns.find((each) => each.name === name)?.data_type === 'integer';
  const hasInteger = form.identifier_columns.some(isInteger);
  return !hasInteger || isInteger(column) === /^\d+$/.test(value);
}

function pathValues(form: QueryForm, parameter: string, where: Where): PathValues | null {
  if (parameter === 'trade_date') {
    return form.date_column === null ? null : (pathFilters(where, form.date_column)[0] ?? null);
  }
  const found = form.identifier_columns.flatMap((column) =>
    pathFilters(where, column).filter(({ values }) =>
      values.every((value) => namesColumn(form, column, value)),
    ),
  );
  return found[0] ?? null;
}

/** Parameters that requests for rows and files share. */
function commonParameters(form: QueryForm, question: Question): Parameter[] {
  const variant = form.variants.find(({ dataset_id: id }) => id === form.dataset_id);
  const { version, asOf, period, columns, sample, interval, session, continuous, symbols } =
    question;
  const time = asOf instanceof Date ? asOf.toISOString() : asOf;
  const given = {
    ...{ columns: columns?.join(','), sample, period, interval, session, continuous, symbols },
    ...{ adjusted_as_of: question.adjustedAsOf, adjustments: question.adjustments },
    ...{ adjustment_factors: question.adjustmentFactors, factors_version: question.factorsVersion },
    ...{ rolls_version: question.rollsVersion, dataset_version: version, as_of: time },
  };
  return [
    ...Object.entries(variant?.parameters ?? {}),
    ...Object.entries(given).flatMap(([name, value]): Parameter[] =>
      value === undefined ? [] : [[name, String(value)]],
    ),
  ];
}

/** Columns of the adjustment factors. */
const FACTOR_COLUMNS = ['PriceAdjFactor', 'VolumeAdjFactor'];

/** Names of the columns of the rows, in their order. */
export function answerColumns(form: QueryForm, question: Question): string[] {
  const { columns, interval, adjustmentFactors } = question;
  const all = form.columns.map(({ name }) => name);
  const factors = adjustmentFactors ? FACTOR_COLUMNS.filter((name) => all.includes(name)) : [];
  return [...new Set([...(columns ?? (interval ? form.interval_columns : all)), ...factors])];
}

/** The path of the dataset, and every filter as a parameter. */
export function bulkPath(form: QueryForm, question: Question): Path {
  const filters = Object.entries(question.where ?? {}).map(([name, value]) =>
    filterOf(name, value),
  );
  return {
    path: `${form.group}/${form.segment}`,
    parameters: [...filters, ...commonParameters(form, question)],
  };
}

/** Tried after the columns of the path and those of required filters. */
const USUAL_IDENTIFIERS = ['Ticker', 'UnderTicker', 'OptionTicker', 'BaseSymbol', 'ASID', 'SecId'];

/** Columns by which a dataset is asked for identifiers, the likeliest first. */
export function identifierColumns(form: QueryForm): string[] {
  return [...form.identifier_columns, ...form.required_filters.flat(), ...USUAL_IDENTIFIERS];
}

/** The values of filters that name identifiers. */
export function listedIdentifiers(form: QueryForm, { where = {} }: Question): string[] {
  const filters = identifierColumns(form).flatMap((column) => pathFilters(where, column));
  return filters.flatMap(({ values }) => values);
}

/** The dates that filters choose, which are a range or single ones; null without any. */
export function chosenDates({ date_column: column }: QueryForm, { where = {} }: Question) {
  const names = Object.keys(where).filter((name) => name.split('.')[0] === column);
  if (names.length === 0) return null;
  const ends = [`${column}.ge`, `${column}.le`];
  const [first = null, last = null] = ends.map((name) => where[name]?.toString() ?? null);
  return { isRange: names.every((name) => ends.includes(name)), first, last };
}

/** True if a filter lists several identifiers. */
export function listsIdentifiers(form: QueryForm, { where = {} }: Question): boolean {
  const columns = identifierColumns(form);
  const filters = Object.entries(where).map(([name, value]) => filterOf(name, value));
  return filters.some(
    ([name, text]) => text.includes(',') && columns.some((column) => name === `${column}.in`),
  );
}

/** The values of a list, however they are ordered and quoted. */
function words(text: string): string {
  return JSON.stringify([...new Set(text.replaceAll('"', '').split(','))].sort());
}

/** A list of one may stand there as an equality. */
function filterText([name, value]: Parameter): string {
  return `${name.replace(/\.(eq|in)$/, '')} ${words(value)}`;
}

/** The service tells the date that it stands for. */
const LATEST = /(^|,)latest($|,)/;

/** Filters that the service's canonical request repeats word by word: texts and dates. */
function repeatedFilters(
  { columns, date_column }: QueryForm,
  { where = {}, continuous }: Question,
) {
  const types = new Map(columns.map(({ name, data_type }) => [name, data_type]));
  const filters = Object.entries(where).map(([name, value]) => filterOf(name, value));
  return filters.filter(([name, text]) => {
    const [column = '', operator = 'eq'] = name.split('.');
    const isText = types.get(column) === 'string' && !continuous;
    const isDate = column === date_column && !LATEST.test(text);
    return (operator === 'eq' || operator === 'in') && (isText || isDate);
  });
}

/** Throws an IntegrityError if `canonical` has another dataset, identifiers or days. */
export function requireAnswer(form: QueryForm, question: Question, canonical: string): void {
  const [place, query] = canonical.split('?', 2);
  const told = [...new URLSearchParams(query)].map(filterText);
  const asked = repeatedFilters(form, question).map(filterText);
  const isOurs = place === `/bulk/${form.group}/${form.segment}`;
  if (isOurs && asked.every((filter) => told.includes(filter))) return;
  throw new IntegrityError(`The manifest is of another request: ${canonical}`);
}

/** Every choice of one value of each list, the first list changing least. */
function choices(lists: readonly (readonly string[])[]): string[][] {
  return lists.reduce<string[][]>(
    (before, list) => before.flatMap((chosen) => list.map((value) => [...chosen, value])),
    [[]],
  );
}

/**
 * The requests for a question, in natural order: one for each day and identifier of the path.
 * Null if the question does not name them one by one.
 */
export function dataPaths(form: QueryForm, question: Question): Path[] | null {
  const where = question.where ?? {};
  const values = form.path_parameters.map((parameter) => pathValues(form, parameter, where));
  if (values.includes(null)) return null;
  const found = values as PathValues[];
  const taken = found.map(({ filter }) => filter);
  const filters = Object.entries(where).filter(([name]) => !taken.includes(name));
  const sort: Parameter[] = question.sort?.length ? [['sort', question.sort.join(',')]] : [];
  const parameters = [
    ...filters.map(([name, value]) => filterOf(name, value)),
    ...sort,
    ...commonParameters(form, question),
  ];
  return choices(found.map((each) => each.values)).map((chosen) => ({
    path: [form.group, form.segment, ...chosen].map(encodeURIComponent).join('/'),
    parameters,
    identifier: chosen[form.path_parameters.indexOf('identifier')],
  }));
}
