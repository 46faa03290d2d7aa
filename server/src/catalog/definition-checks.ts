/** Checks the fields of one definition file against each other. */
import type { ValuePath } from '../schema/read-value.ts';
import type { DataType, PathShape } from './dataset.ts';
import type { DefinitionDraft } from './definition.ts';
import {
  checkListed,
  checkLoadChecks,
  checkReference,
  type DefinitionContext,
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
  weighted: [['number'], ['integer', 'decimal']],
  beside: [NUMBERS, NUMBERS],
  offset: [['number'], NUMBERS],
};

/** Rules that choose the bar a value comes from. */
const LEADING = ['first', 'last', 'high', 'low'] as const;

function checkOwnRules(context: DefinitionContext, stated: Stated): string[] {
  const ruled: string[] = [];
  for (const kind of OWN_RULES) {
    for (const [i, column] of stated[kind]?.entries() ?? []) {
      if (column === undefined) continue;
      checkReference(context, ['intervals', kind, i], column, OWN_TYPES[kind]);
      ruled.push(column);
    }
  }
  return ruled;
}

function checkPairs(context: DefinitionContext, stated: Stated): string[] {
  const leading = new Set(LEADING.flatMap((kind) => stated[kind] ?? []));
  const ruled: string[] = [];
  for (const kind of PAIR_RULES) {
    for (const [i, pair] of stated[kind]?.entries() ?? []) {
      if (pair === undefined) continue;
      const path = ['intervals', kind, i];
      const [column, other] = pairOf(pair);
      const [ownTypes, otherTypes] = PAIR_TYPES[kind];
      checkReference(context, path, column, ownTypes);
      checkReference(context, path, other, otherTypes);
      if (kind !== 'weighted' && !leading.has(other)) {
        context.report(path, `must go by a column of ${LEADING.join(', ')}; ${other} is none`);
      }
      ruled.push(column);
    }
  }
  return ruled;
}

function checkOrder({ definition, report }: DefinitionContext, stated: Stated): void {
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

const BY_TYPES: readonly DataType[] = ['string', 'integer', 'number', 'date'];

/** Reports what contradicts itself in how bars are put together. */
function checkIntervals(context: DefinitionContext): void {
  const { intervals: stated } = context.definition;
  if (!stated) return;
  const { time, by } = stated;
  if (time !== undefined) checkReference(context, ['intervals', 'time'], time, ['date-time']);
  for (const [i, column] of by?.entries() ?? []) {
    if (column !== undefined) checkReference(context, ['intervals', 'by', i], column, BY_TYPES);
  }
  const ruled = [...checkOwnRules(context, stated), ...checkPairs(context, stated)];
  // Each column has one rule, and those that say what and when a bar is have none.
  const seen = new Set([...(stated.by ?? []), stated.time]);
  for (const column of ruled) {
    if (seen.has(column)) context.report(['intervals'], `names ${column} a second time`);
    seen.add(column);
  }
  checkOrder(context, stated);
  if (time === undefined && stated.offset) context.report(['intervals', 'offset'], 'needs a time');
}

const TEXT_TYPES: readonly string[] = ['string', 'array of string'];

/** Fields that list columns, and the types that these may have. */
const LISTS = {
  natural_order: ['string', 'integer', 'number', 'decimal', 'date', 'date-time'],
  identifier: ['string', 'integer'],
  required_filters: ['string', 'integer'],
  universe: ['string', 'integer', 'array of string'],
  same_day: ['date-time'],
} as const satisfies Partial<Record<keyof DefinitionDraft, readonly DataType[]>>;

function checkLists(context: DefinitionContext): void {
  for (const [field, types] of Object.entries(LISTS)) {
    const names = context.definition[field as keyof typeof LISTS] ?? [];
    checkListed(context, [field], names, types);
  }
}

function checkNames(context: DefinitionContext): void {
  const { date_column, partition, root_column, also_stored_by } = context.definition;
  const check = (path: ValuePath, name: string | undefined, types: readonly DataType[]) => {
    if (name !== undefined) checkReference(context, path, name, types);
  };
  check(['date_column'], date_column, ['date']);
  check(['partition', 'column'], partition?.column, ['date']);
  check(['root_column'], root_column, ['string']);
  check(['also_stored_by'], also_stored_by, ['string', 'integer']);
}

/** Names may not differ by case alone, because storage does not tell such columns apart. */
function checkColumns({ definition, report }: DefinitionContext): void {
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
function checkDigits({ definition, report }: DefinitionContext): void {
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

function checkPartition({ definition, report }: DefinitionContext): void {
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

function checkIdentifier({ definition, types, report }: DefinitionContext): void {
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
function checkSecondOrder({ definition, report }: DefinitionContext): void {
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

function checkShape({ definition, report }: DefinitionContext): void {
  if (definition.path === undefined) return;
  for (const [field, isNeeded] of Object.entries(SHAPE_FIELDS[definition.path])) {
    const isGiven = definition[field as ShapeField] !== undefined;
    if (isNeeded && !isGiven) report([field], `is missing; path ${definition.path} needs it`);
    if (!isNeeded && isGiven) report([field], `must be absent when path is ${definition.path}`);
  }
}

/** Fields that speak of the dataset's date. */
function checkDateColumn({ definition, report }: DefinitionContext): void {
  if (definition.date_column !== undefined) return;
  if (definition.path === 'tick') report(['path'], 'tick needs a date_column');
  if (definition.default_period !== undefined) report(['default_period'], 'needs a date_column');
  if (definition.same_day?.length) report(['same_day'], 'needs a date_column');
  if (definition.expect !== undefined) report(['expect'], 'needs a date_column');
}

function checkDates({ definition, report }: DefinitionContext): void {
  const { start_date: start, end_date: end } = definition;
  if (start !== undefined && end !== undefined && end < start) {
    report(['end_date'], `must not be before start_date ${start}`);
  }
}

function checkSchedule({ definition, report }: DefinitionContext): void {
  const { days, time, late_at: lateAt } = definition.schedule ?? {};
  if (days === 'none' && lateAt !== undefined) {
    report(['schedule', 'late_at'], 'needs days: trading');
  }
  if (days === 'trading' && time === undefined) {
    report(['schedule', 'time'], 'is missing; it must be a time of day HH:MM when days is trading');
  }
}

/** Sessions follow each other, and only the first one may begin in an evening. */
export function checkSessions({
  definition: { sessions = [] },
  report,
}: Pick<DefinitionContext, 'report'> & {
  readonly definition: Pick<DefinitionDraft, 'sessions'>;
}): void {
  let ended = '';
  for (const [i, session] of sessions.entries()) {
    const { start, end, evening_date: eveningDate } = session ?? {};
    if (start === undefined || end === undefined) continue;
    const isEvening = i === 0 && start > end;
    if (!isEvening && start >= end) report(['sessions', i, 'end'], `must be after start, ${start}`);
    if (start < ended) report(['sessions', i, 'start'], `must not be before ${ended}`);
    if (eveningDate !== undefined && !isEvening) {
      report(['sessions', i, 'evening_date'], 'needs a start on the evening before');
    }
    ended = end;
  }
}

const CHECKS: readonly ((context: DefinitionContext) => void)[] = [
  checkColumns,
  checkDigits,
  checkLists,
  checkNames,
  checkPartition,
  checkIdentifier,
  checkSecondOrder,
  checkShape,
  checkDateColumn,
  checkDates,
  checkSchedule,
  checkSessions,
  checkLoadChecks,
  checkIntervals,
];

/** Reports what contradicts itself in the legal part of a definition. */
export function checkDefinition(
  definition: DefinitionDraft,
  report: DefinitionContext['report'],
): void {
  const types = new Map<string, DataType | undefined>();
  for (const column of definition.columns ?? []) {
    if (column?.name !== undefined && !types.has(column.name)) types.set(column.name, column.type);
  }
  for (const check of CHECKS) check({ definition, types, report });
}
