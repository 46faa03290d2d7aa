/** Checks the fields of one definition file against each other. */
import type { ValuePath } from '../schema/read-value.ts';
import type { DataType, PathShape } from './dataset.ts';
import type { DefinitionDraft } from './definition.ts';
import {
  type ColumnTypes,
  checkLoadChecks,
  checkReference,
  type Report,
} from './definition-load-checks.ts';
import { OWN_RULES, PAIR_RULES, pairOf } from './interval.ts';

type Stated = NonNullable<DefinitionDraft['intervals']>;

const NUMBERS: readonly DataType[] = ['integer', 'number', 'decimal'];

/** Floating-point sums would depend on what else is summed. */
const OWN_TYPES: Readonly<Record<(typeof OWN_RULES)[number], readonly DataType[]>> = {
  first: NUMBERS,
  last: NUMBERS,
  high: NUMBERS,
  low: NUMBERS,
  sum: ['integer', 'decimal'],
};

/** Types of both columns of a pair. */
const PAIR_TYPES: Readonly<
  Record<(typeof PAIR_RULES)[number], readonly [readonly DataType[], readonly DataType[]]>
> = {
  weighted: [['number'], ['integer']],
  beside: [NUMBERS, NUMBERS],
  offset: [['number'], NUMBERS],
};

/** Rules that choose the bar a value comes from. */
const LEADING = ['first', 'last', 'high', 'low'] as const;

function checkOwnRules(stated: Stated, types: ColumnTypes, report: Report): string[] {
  const ruled: string[] = [];
  for (const kind of OWN_RULES) {
    for (const [i, column] of stated[kind]?.entries() ?? []) {
      if (column === undefined) continue;
      checkReference(['intervals', kind, i], column, OWN_TYPES[kind], types, report);
      ruled.push(column);
    }
  }
  return ruled;
}

function checkPairs(stated: Stated, types: ColumnTypes, report: Report): string[] {
  const leading = new Set(LEADING.flatMap((kind) => stated[kind] ?? []));
  const ruled: string[] = [];
  for (const kind of PAIR_RULES) {
    for (const [i, pair] of stated[kind]?.entries() ?? []) {
      if (pair === undefined) continue;
      const path = ['intervals', kind, i];
      const [column, other] = pairOf(pair);
      const [ownTypes, otherTypes] = PAIR_TYPES[kind];
      checkReference(path, column, ownTypes, types, report);
      checkReference(path, other, otherTypes, types, report);
      if (kind !== 'weighted' && !leading.has(other)) {
        report(path, `must go by a column of ${LEADING.join(', ')}; ${other} is none`);
      }
      ruled.push(column);
    }
  }
  return ruled;
}

/** Each column has one rule, and those that say what and when a bar is have none. */
function checkRepetitions(stated: Stated, ruled: readonly string[], report: Report): void {
  const seen = new Set([...(stated.by ?? []), stated.time]);
  for (const column of ruled) {
    if (seen.has(column)) report(['intervals'], `names ${column} a second time`);
    seen.add(column);
  }
}

function checkOrder(definition: DefinitionDraft, stated: Stated, report: Report): void {
  const { natural_order: order = [], date_column: date } = definition;
  const { time, by } = stated;
  if (date === undefined || order[0] !== date) {
    report(['intervals'], 'needs a date_column that natural_order begins with');
  }
  if (time !== undefined && order.at(-1) !== time) {
    report(['intervals', 'time'], `must be the last column of natural_order, not ${time}`);
  }
  const missing = order.filter((each) => each !== date && each !== time && !by?.includes(each));
  if (by && missing.length > 0) {
    report(['intervals', 'by'], `must have ${missing.join(', ')} of natural_order`);
  }
}

function checkSessions(
  { time, sessions = [], early_close: early, offset }: Stated,
  report: Report,
) {
  const ascends = sessions.every((each, i) => i === 0 || (each ?? '') > (sessions[i - 1] ?? ''));
  if (!ascends) report(['intervals', 'sessions'], 'must ascend');
  if (early !== undefined && sessions.length < 2) {
    report(['intervals', 'early_close'], 'needs two sessions or more');
  }
  if (time === undefined && offset) report(['intervals', 'offset'], 'needs a time');
}

const BY_TYPES: readonly DataType[] = ['string', 'integer', 'number', 'date'];

/** Reports what contradicts itself in how bars are put together. */
export function checkIntervals(
  definition: DefinitionDraft,
  types: ColumnTypes,
  report: Report,
): void {
  const { intervals: stated } = definition;
  if (!stated) return;
  const { time, by } = stated;
  if (time !== undefined) {
    checkReference(['intervals', 'time'], time, ['date-time'], types, report);
  }
  for (const [i, column] of by?.entries() ?? []) {
    if (column !== undefined) {
      checkReference(['intervals', 'by', i], column, BY_TYPES, types, report);
    }
  }
  const ruled = [...checkOwnRules(stated, types, report), ...checkPairs(stated, types, report)];
  checkRepetitions(stated, ruled, report);
  checkOrder(definition, stated, report);
  checkSessions(stated, report);
}

const TEXT_TYPES: readonly string[] = ['string', 'array of string'];

type Check = (definition: DefinitionDraft, types: ColumnTypes, report: Report) => void;

interface Reference {
  readonly path: ValuePath;
  readonly types: readonly DataType[];
  readonly names: (definition: DefinitionDraft) => readonly (string | undefined)[] | undefined;
}

const REFERENCES: readonly Reference[] = [
  {
    path: ['natural_order'],
    types: ['string', 'integer', 'number', 'decimal', 'date', 'date-time'],
    names: (definition) => definition.natural_order,
  },
  {
    path: ['identifier'],
    types: ['string', 'integer'],
    names: (definition) => definition.identifier,
  },
  {
    path: ['required_filters'],
    types: ['string', 'integer'],
    names: (definition) => definition.required_filters,
  },
  {
    path: ['universe'],
    types: ['string', 'integer', 'array of string'],
    names: (definition) => definition.universe,
  },
  { path: ['same_day'], types: ['date-time'], names: (definition) => definition.same_day },
];

interface SingleReference {
  readonly path: ValuePath;
  readonly types: readonly DataType[];
  readonly name: (definition: DefinitionDraft) => string | undefined;
}

const SINGLE_REFERENCES: readonly SingleReference[] = [
  { path: ['date_column'], types: ['date'], name: (definition) => definition.date_column },
  {
    path: ['partition', 'column'],
    types: ['date'],
    name: (definition) => definition.partition?.column,
  },
  { path: ['root_column'], types: ['string'], name: (definition) => definition.root_column },
  {
    path: ['also_stored_by'],
    types: ['string', 'integer'],
    name: (definition) => definition.also_stored_by,
  },
];

function checkReferences(definition: DefinitionDraft, types: ColumnTypes, report: Report): void {
  for (const reference of REFERENCES) {
    const seen = new Set<string>();
    for (const [i, name] of reference.names(definition)?.entries() ?? []) {
      if (name === undefined) continue;
      const path = [...reference.path, i];
      if (seen.has(name)) report(path, `names ${name} a second time`);
      else checkReference(path, name, reference.types, types, report);
      seen.add(name);
    }
  }
  for (const { path, types: legalTypes, name } of SINGLE_REFERENCES) {
    const column = name(definition);
    if (column !== undefined) checkReference(path, column, legalTypes, types, report);
  }
}

/** Names may not differ by case alone, because storage does not tell such columns apart. */
function checkColumns(definition: DefinitionDraft, _types: ColumnTypes, report: Report): void {
  const seen = new Map<string, number>();
  for (const [i, column] of definition.columns?.entries() ?? []) {
    if (column?.name !== undefined) {
      const key = column.name.toLowerCase();
      const first = seen.get(key);
      if (first === undefined) seen.set(key, i);
      else
        report(['columns', i, 'name'], `${column.name} is already the name of columns[${first}]`);
    }
    if (column?.fraction_digits && column.type !== undefined && column.type !== 'date-time') {
      report(
        ['columns', i, 'fraction_digits'],
        `applies only to date-time columns; this is ${column.type}`,
      );
    }
    if (column?.values && column.type !== undefined && !TEXT_TYPES.includes(column.type)) {
      report(['columns', i, 'values'], `applies only to text columns; this is ${column.type}`);
    }
  }
}

/** A decimal has both numbers of digits, other types neither. */
function checkDigits(definition: DefinitionDraft, _types: ColumnTypes, report: Report): void {
  for (const [i, column] of definition.columns?.entries() ?? []) {
    if (column?.type === undefined) continue;
    for (const field of ['precision', 'scale'] as const) {
      const path = ['columns', i, field];
      const isGiven = column[field] !== undefined;
      if (column.type !== 'decimal' && isGiven)
        report(path, `applies only to decimal columns; this is ${column.type}`);
      if (column.type === 'decimal' && !isGiven)
        report(path, 'is missing; a decimal column needs it');
    }
    const { precision, scale } = column;
    if (precision !== undefined && scale !== undefined && scale > precision)
      report(['columns', i, 'scale'], `must be at most the precision, ${precision}, not ${scale}`);
  }
}

function checkPartition(definition: DefinitionDraft, _types: ColumnTypes, report: Report): void {
  const { unit, column } = definition.partition ?? {};
  if (unit === undefined) return;
  const path = ['partition', 'column'];
  if (unit === 'whole') {
    if (column !== undefined) report(path, 'must be absent when unit is whole');
    return;
  }
  const first = definition.natural_order?.[0];
  if (column === undefined) report(path, `is missing; unit ${unit} needs a date column`);
  else if (first !== undefined && column !== first) {
    report(path, `must be the first column of natural_order, ${first}, not ${column}`);
  }
}

function checkIdentifier(definition: DefinitionDraft, types: ColumnTypes, report: Report): void {
  const [symbol, number, ...rest] = definition.identifier ?? [];
  if (symbol !== undefined && (types.get(symbol) ?? 'string') !== 'string') {
    report(['identifier', 0], `must be the symbol, a string column; ${symbol} is not`);
  }
  if (number !== undefined && (types.get(number) ?? 'integer') !== 'integer') {
    report(['identifier', 1], `must be the permanent number, an integer column; ${number} is not`);
  }
  if (rest.length > 0) {
    report(['identifier'], 'must be a symbol column and at most one integer column after it');
  }
}

/** A second order is by a column with bounds that the natural order does not begin with. */
function checkSecondOrder(definition: DefinitionDraft, _types: ColumnTypes, report: Report): void {
  const { also_stored_by: column, identifier = [], universe = [] } = definition;
  if (column === undefined) return;
  const path = ['also_stored_by'];
  if (![...identifier, ...universe].includes(column)) {
    report(path, `must be a column of identifier or universe; ${column} is not`);
  }
  if (definition.natural_order?.[0] === column) {
    report(path, `must not be the first column of natural_order; ${column} is`);
  }
}

type ShapeField = 'identifier' | 'required_filters' | 'default_period';

/** Fields that a path shape needs (true) or cannot have (false). */
const SHAPE_FIELDS: Readonly<Record<PathShape, Partial<Record<ShapeField, boolean>>>> = {
  tick: { identifier: true, required_filters: false, default_period: false },
  identifier: { identifier: true, required_filters: false },
  query: { identifier: false },
};

function checkShape(definition: DefinitionDraft, _types: ColumnTypes, report: Report): void {
  if (definition.path === undefined) return;
  for (const [field, isNeeded] of Object.entries(SHAPE_FIELDS[definition.path])) {
    const isGiven = definition[field as ShapeField] !== undefined;
    if (isNeeded && !isGiven) report([field], `is missing; path ${definition.path} needs it`);
    if (!isNeeded && isGiven) report([field], `must be absent when path is ${definition.path}`);
  }
}

/** Fields that speak of the dataset's date. */
function checkDateColumn(definition: DefinitionDraft, _types: ColumnTypes, report: Report): void {
  if (definition.date_column !== undefined) return;
  if (definition.path === 'tick') report(['path'], 'tick needs a date_column');
  if (definition.default_period !== undefined) report(['default_period'], 'needs a date_column');
  if (definition.same_day?.length) report(['same_day'], 'needs a date_column');
}

function checkDates(definition: DefinitionDraft, _types: ColumnTypes, report: Report): void {
  const { start_date: start, end_date: end } = definition;
  if (start !== undefined && end !== undefined && end < start) {
    report(['end_date'], `must not be before start_date ${start}`);
  }
}

function checkSchedule(definition: DefinitionDraft, _types: ColumnTypes, report: Report): void {
  const { days, time } = definition.schedule ?? {};
  if (days === 'trading' && time === undefined) {
    report(['schedule', 'time'], 'is missing; it must be a time of day HH:MM when days is trading');
  }
}

const CHECKS: readonly Check[] = [
  checkColumns,
  checkDigits,
  checkReferences,
  checkPartition,
  checkIdentifier,
  checkSecondOrder,
  checkShape,
  checkDateColumn,
  checkDates,
  checkSchedule,
  checkLoadChecks,
  checkIntervals,
];

/** Reports what contradicts itself in the legal part of a definition. */
export function checkDefinition(definition: DefinitionDraft, report: Report): void {
  const types = new Map<string, DataType | undefined>();
  for (const column of definition.columns ?? []) {
    if (column?.name !== undefined && !types.has(column.name)) types.set(column.name, column.type);
  }
  for (const check of CHECKS) check(definition, types, report);
}
