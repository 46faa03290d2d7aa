/** Checks the field `checks` of a definition file against its other fields. */
import type { ValuePath } from '../schema/read-value.ts';
import { relationOf } from './checks.ts';
import { DATA_TYPES, type DataType } from './dataset.ts';
import type { DefinitionDraft } from './definition.ts';

/** A definition, and how to tell of its faults. */
export interface DefinitionContext {
  readonly definition: DefinitionDraft;
  /** Data type of each named column; undefined where the file's own type is not legal. */
  readonly types: ReadonlyMap<string, DataType | undefined>;
  readonly report: (path: ValuePath, message: string) => void;
}

export function checkReference(
  { types, report }: DefinitionContext,
  path: ValuePath,
  name: string,
  legalTypes: readonly DataType[],
): void {
  if (!types.has(name)) {
    report(path, `names an unknown column: ${name}; columns: ${[...types.keys()].join(', ')}`);
    return;
  }
  const type = types.get(name);
  if (type !== undefined && !legalTypes.includes(type)) {
    report(path, `must name a column of type ${legalTypes.join(', ')}; ${name} is ${type}`);
  }
}

/** Names of columns, each once, of these types. */
export function checkListed(
  context: DefinitionContext,
  path: ValuePath,
  names: readonly (string | undefined)[],
  legalTypes: readonly DataType[],
): void {
  for (const [i, name] of names.entries()) {
    if (name === undefined) continue;
    if (names.indexOf(name) < i) context.report([...path, i], `names ${name} a second time`);
    else checkReference(context, [...path, i], name, legalTypes);
  }
}

type Entry = NonNullable<NonNullable<DefinitionDraft['checks']>[number]>;

const COMPARED: readonly DataType[] = [
  'string',
  'integer',
  'number',
  'decimal',
  'date',
  'date-time',
];
const SCALARS: readonly DataType[] = [...COMPARED, 'boolean'];

/** The fields that list columns, and the types that these may have. */
const COLUMN_FIELDS = {
  keys: SCALARS,
  required: DATA_TYPES,
  range: ['integer', 'number', 'decimal', 'date'],
  session: ['date-time'],
  trading_days: ['date'],
  latest: ['date'],
} as const satisfies Partial<Record<keyof Entry, readonly DataType[]>>;
const CHECK_FIELDS = [...Object.keys(COLUMN_FIELDS), 'relations'] as (keyof Entry)[];

/** Fields that say more of another one, and so need it. */
const COMPANIONS: readonly (readonly [keyof Entry, keyof Entry])[] = [
  ['min', 'range'],
  ['max', 'range'],
  ['begins', 'session'],
  ['days_ahead', 'latest'],
];

/** One entry of the list. */
interface EntryContext extends DefinitionContext {
  readonly entry: Entry;
  readonly path: ValuePath;
}

function checkColumns(context: EntryContext): void {
  const { entry, path } = context;
  for (const [field, legalTypes] of Object.entries(COLUMN_FIELDS)) {
    const names = entry[field as keyof typeof COLUMN_FIELDS] ?? [];
    checkListed(context, [...path, field], names, legalTypes);
  }
}

function checkCompanions({ entry, path, report }: EntryContext): void {
  if (CHECK_FIELDS.every((field) => entry[field] === undefined)) {
    report(path, `has none of ${CHECK_FIELDS.join(', ')}`);
  }
  for (const [field, needed] of COMPANIONS) {
    if (entry[field] !== undefined && entry[needed] === undefined) {
      report([...path, field], `needs ${needed}`);
    }
  }
}

type Columns = NonNullable<DefinitionDraft['columns']>;

/** True if a number fits a decimal's digits. */
function isDecimal(bound: unknown, column: Columns[number]): boolean {
  const { precision = 0, scale = 0 } = column ?? {};
  const found = /^-?(?<whole>\d+)(\.(?<fraction>\d+))?$/.exec(String(bound))?.groups;
  if (typeof bound !== 'number' || !found) return false;
  const { whole = '', fraction = '' } = found;
  return fraction.length <= scale && whole.replace(/^0+/, '').length <= precision - scale;
}

type IsBound = (bound: unknown, column: Columns[number]) => boolean;

const BOUND_FORMS: Partial<Record<DataType, readonly [IsBound, string]>> = {
  integer: [Number.isSafeInteger, 'a whole number'],
  number: [Number.isFinite, 'a number'],
  decimal: [isDecimal, 'one of its numbers'],
  date: [(bound) => typeof bound === 'string', 'a date'],
};

const columnOf = ({ definition }: EntryContext, name: string | undefined) =>
  definition.columns?.find((column) => column?.name === name);

function checkBounds(context: EntryContext): void {
  const { entry, path, types, report } = context;
  const { range, min, max } = entry;
  if (range === undefined) return;
  if (min === undefined && max === undefined) report([...path, 'range'], 'needs min or max');
  for (const [field, bound] of Object.entries({ min, max })) {
    if (bound === undefined) continue;
    for (const name of range) {
      const type = types.get(name ?? '');
      const [isFitting, words] = (type && BOUND_FORMS[type]) ?? [];
      if (isFitting && !isFitting(bound, columnOf(context, name))) {
        report([...path, field], `must be ${words}, as ${name} is ${type}`);
        break;
      }
    }
  }
  if (min !== undefined && max !== undefined && typeof min === typeof max && max < min) {
    report([...path, 'max'], `must not be below min ${min}`);
  }
}

function checkRelations(context: EntryContext): void {
  const { entry, path, types, report } = context;
  for (const [i, text] of entry.relations?.entries() ?? []) {
    const relation = relationOf(text ?? '');
    if (!relation) continue;
    const place = [...path, 'relations', i];
    const [left, right] = [relation.left, relation.right];
    for (const name of [left, right]) checkReference(context, place, name, COMPARED);
    const [one, other] = [types.get(left), types.get(right)];
    if (left === right) report(place, `compares ${left} with itself`);
    else if (one && other && one !== other) {
      report(place, `must compare columns of one type; ${left} is ${one}, ${right} is ${other}`);
    } else if (columnOf(context, left)?.scale !== columnOf(context, right)?.scale) {
      report(place, `must compare decimals of one scale; ${left} and ${right} have others`);
    }
  }
}

/** Keys are looked for within a partition, which is enough where the key decides on it. */
function checkKeys({ entry, path, definition, report }: EntryContext): void {
  const { unit, column } = definition.partition ?? {};
  if (!entry.keys || unit === 'whole' || column === undefined) return;
  if (!entry.keys.includes(column)) {
    report([...path, 'keys'], `must have the partition's column ${column}`);
  }
}

function checkSession({ entry, path, definition, report }: EntryContext): void {
  if (entry.session && definition.date_column === undefined) {
    report([...path, 'session'], 'needs a date_column');
  }
}

const ENTRY_CHECKS: readonly ((context: EntryContext) => void)[] = [
  checkCompanions,
  checkColumns,
  checkBounds,
  checkRelations,
  checkKeys,
  checkSession,
];

export function checkLoadChecks(context: DefinitionContext): void {
  for (const [i, entry] of context.definition.checks?.entries() ?? []) {
    const path = ['checks', i];
    if (entry) for (const check of ENTRY_CHECKS) check({ ...context, path, entry });
  }
}
