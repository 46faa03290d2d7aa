/** One definition file: its text, where each field stands in it, and the dataset it defines. */
import { calendarOfZone, sessionsOfCalendar } from '@ticklake/market/calendars.ts';
import type { Session } from '@ticklake/market/sessions.ts';
import { isMap, isScalar, isSeq, LineCounter, type Node, parseDocument } from 'yaml';
import { readValue, type ValueFault, type ValuePath } from '../schema/read-value.ts';
import type { Schema } from '../schema/schema.ts';
import type { TimeZone } from '../time/time-zone.ts';
import { type Bound, type DatasetCheck, relationOf } from './checks.ts';
import type { Column, Dataset, UpdateSchedule, Variant } from './dataset.ts';
import { DEFINITION, type Definition, type DefinitionDraft } from './definition.ts';
import { checkDefinition } from './definition-checks.ts';
import { barRulesOf } from './interval.ts';

type Entry = NonNullable<Definition['checks']>[number];
type Named = Pick<DatasetCheck, 'name' | 'rule'>;

const DAYS_AHEAD = 1;
const DAY_SECONDS = 86_400;
const NOON_SECONDS = DAY_SECONDS / 2;

/** Sessions that begin at noon or later begin on the evening before their date. */
function beforeMidnightSeconds(begins: string): number {
  const [hours = 0, minutes = 0] = begins.split(':').map(Number);
  const seconds = hours * 3600 + minutes * 60;
  return seconds >= NOON_SECONDS ? DAY_SECONDS - seconds : 0 - seconds;
}

function rangeName(column: string, min: Bound | null, max: Bound | null) {
  if (min === null) return `${column} <= ${max}`;
  return max === null ? `${column} >= ${min}` : `${min} <= ${column} <= ${max}`;
}

function rangesOf({ range = [], ...bounds }: Entry): Named[] {
  const { min = null, max = null }: { min?: Bound | null; max?: Bound | null } = bounds;
  return range.map((column) => {
    return { name: rangeName(column, min, max), rule: { kind: 'range', column, min, max } };
  });
}

function relationsOf({ relations = [] }: Entry): Named[] {
  return relations.flatMap((text) => {
    const relation = relationOf(text);
    if (!relation) return [];
    const { left, operator, right } = relation;
    return { name: `${left} ${operator} ${right}`, rule: { kind: 'relation', ...relation } };
  });
}

function sessionsOf({ session = [], begins = '00:00' }: Entry, dateColumn: string | null): Named[] {
  if (dateColumn === null) return [];
  return session.map((column) => ({
    name: `session ${column}`,
    rule: {
      kind: 'session',
      column,
      dateColumn,
      beforeMidnightSeconds: beforeMidnightSeconds(begins),
    },
  }));
}

function namedOf(entry: Entry, dateColumn: string | null): Named[] {
  const { keys, required = [], trading_days: tradingDays = [], latest = [] } = entry;
  const daysAhead = entry.days_ahead ?? DAYS_AHEAD;
  return [
    ...(keys ? [{ name: `keys ${keys.join(', ')}`, rule: { kind: 'keys', columns: keys } }] : []),
    ...required.map((column) => ({
      name: `required ${column}`,
      rule: { kind: 'required', column },
    })),
    ...rangesOf(entry),
    ...relationsOf(entry),
    ...sessionsOf(entry, dateColumn),
    ...tradingDays.map((column) => ({
      name: `trading_days ${column}`,
      rule: { kind: 'trading_days', column },
    })),
    ...latest.map((column) => ({
      name: `latest ${column}`,
      rule: { kind: 'latest', column, daysAhead },
    })),
  ] as Named[];
}

/** The checks of a definition that has been found legal. */
export function checksOf({ checks = [], date_column: dateColumn }: Definition): DatasetCheck[] {
  return checks.flatMap((entry) => {
    const severity = entry.on_failure ?? 'refuse';
    return namedOf(entry, dateColumn ?? null).map((named) => ({ ...named, severity }));
  });
}

/** A dataset, and how to say where a field of its file stands. */
export interface DefinitionFile {
  readonly dataset: Dataset;
  /** `FILE:LINE: FIELD`, to which a message is added. */
  place(path: ValuePath): string;
}

const SHORT_SEGMENT_PREFIX = /^(eq|opt|fut)-/;

function fieldName(path: ValuePath): string {
  return path
    .map((step) => (typeof step === 'number' ? `[${step}]` : `.${step}`))
    .join('')
    .slice(1);
}

/** Offset of the field, or of the nearest field around it that is in the text. */
function offsetOf(root: Node | null, path: ValuePath): number {
  let node: unknown = root;
  let offset = root?.range?.[0] ?? 0;
  for (const step of path) {
    const pair = isMap(node)
      ? node.items.find((item) => isScalar(item.key) && item.key.value === step)
      : undefined;
    const start = pair ? pair.key : isSeq(node) ? node.items[Number(step)] : undefined;
    if (start === undefined) break;
    offset = (start as Node).range?.[0] ?? offset;
    node = pair ? pair.value : start;
  }
  return offset;
}

type Given<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

/** Only the members that have a value. */
function given<T extends object>(members: T): Given<T> {
  const entries = Object.entries(members).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as Given<T>;
}

function columnOf(column: Definition['columns'][number]): Column {
  const { values, precision, scale } = column;
  return {
    name: column.name,
    dataType: column.type,
    description: column.description,
    fractionDigits: column.fraction_digits ?? 0,
    ...given({ values, precision, scale }),
  };
}

function variantOf(definition: Definition['variant']): Variant {
  const { adjusted, aggregation_logic: aggregationLogic } = definition ?? {};
  return given({ adjusted, aggregationLogic });
}

function scheduleOf({ days, time, late_at: late }: Definition['schedule']): UpdateSchedule {
  const [lateTime = '', ...nextDay] = late?.split(' ') ?? [];
  const lateAt = late === undefined ? late : { time: lateTime, isNextDay: nextDay.length > 0 };
  return { days, time: time ?? '00:00', ...given({ lateAt }) };
}

export function sessionOf(stated: NonNullable<Definition['sessions']>[number]): Session {
  const { name, start, end, half_day_start: halfDayStart, half_day_end: halfDayEnd } = stated;
  const eveningDate = stated.evening_date === 'same' ? stated.evening_date : undefined;
  return { name, start, end, ...given({ halfDayStart, halfDayEnd, eveningDate }) };
}

function datasetOf(definition: Definition, filterTimeZone: TimeZone | null): Dataset {
  const columns = definition.columns.map(columnOf);
  const calendar = definition.calendar ?? calendarOfZone(definition.time_zone);
  return {
    datasetId: definition.id,
    textId: definition.text_id,
    name: definition.name,
    description: definition.description,
    dataGroup: definition.data_group,
    datasetClass: definition.dataset_class,
    datasetFormat: definition.dataset_format,
    timeGranularity: definition.time_granularity,
    universeIdentifier: definition.universe_identifier ?? null,
    startDate: definition.start_date ?? null,
    endDate: definition.end_date ?? null,
    creationDate: definition.creation_date,
    isTimeSeries: definition.is_time_series,
    group: definition.group,
    segment: definition.segment,
    shortSegment: definition.segment.replace(SHORT_SEGMENT_PREFIX, ''),
    pathShape: definition.path,
    variant: variantOf(definition.variant),
    columns,
    columnByName: new Map(columns.map((column) => [column.name, column])),
    naturalOrder: definition.natural_order,
    partitioning: { unit: definition.partition.unit, column: definition.partition.column ?? null },
    alsoStoredBy: definition.also_stored_by ?? null,
    identifierColumns: definition.identifier ?? [],
    requiredFilters: definition.required_filters ?? [],
    dateColumn: definition.date_column ?? null,
    sameDayColumns: definition.same_day ?? [],
    universeColumns: definition.universe ?? [],
    rootColumn: definition.root_column ?? null,
    periodDefault: definition.default_period ?? null,
    timeZone: definition.time_zone,
    fileTimeZone: definition.file_time_zone ?? definition.time_zone,
    filterTimeZone: definition.filter_time_zone ?? filterTimeZone ?? definition.time_zone,
    calendar,
    sessions: definition.sessions?.map(sessionOf) ?? sessionsOfCalendar(calendar),
    schedule: scheduleOf(definition.schedule),
    checks: checksOf(definition),
    expectations: definition.expect ?? [],
    otherColumns: definition.other_columns ?? 'refuse',
    derivation: definition.derived_from ?? null,
    intervals: barRulesOf(definition.intervals),
  };
}

/** A field that is left empty counts as left out. */
export function withoutEmpty(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutEmpty);
  if (typeof value !== 'object' || value === null) return value;
  const given = Object.entries(value).filter(([, member]) => member !== null);
  return Object.fromEntries(given.map(([name, member]) => [name, withoutEmpty(member)]));
}

const SHOWN_LENGTH_MAX = 60;

function shown(value: unknown): string {
  const text = JSON.stringify(value);
  return text.length > SHOWN_LENGTH_MAX ? `${text.slice(0, SHOWN_LENGTH_MAX)}…` : text;
}

export const COMPLAINTS: Readonly<Record<ValueFault['type'], (fault: ValueFault) => string>> = {
  illegal_value: ({ legal, value }) => `must be ${legal}, not ${shown(value)}`,
  missing: ({ legal }) => `is missing; it must be ${legal}`,
  unknown_field: ({ legal }) => `is not a field; legal fields: ${legal}`,
};

/** A file's text, which is parsed at the first question about it. */
export function definitionText(file: string, text: string) {
  const lines = new LineCounter();
  let document: ReturnType<typeof parseDocument> | undefined;
  const parsed = () => {
    document ??= parseDocument(text, { lineCounter: lines, prettyErrors: false });
    return document;
  };
  const line = (offset: number) => `${file}:${lines.linePos(offset).line}`;
  return {
    faults: () => parsed().errors.map(({ pos, message }) => `${line(pos[0])}: ${message}`),
    value: (): unknown => parsed().toJS(),
    place: (path: ValuePath) =>
      `${line(offsetOf(parsed().contents, path))}: ${fieldName(path) || 'the file'}`,
  };
}

export interface DefinitionSource {
  readonly file: string;
  readonly text: string;
  /** The value that the text says, where that was kept. */
  readonly known?: unknown;
}

/** The value of a file's text; every fault is added to `faults`, and null: there are some. */
export function readFields<S extends Schema>(
  schema: S,
  { file, text }: DefinitionSource,
  faults: string[],
) {
  const { faults: ofText, value: given, place } = definitionText(file, text);
  faults.push(...ofText());
  if (ofText().length > 0) return null;
  const { value, faults: found } = readValue(schema, withoutEmpty(given()));
  faults.push(...found.map((fault) => `${place(fault.path)} ${COMPLAINTS[fault.type](fault)}`));
  return found.length > 0 ? null : { value, place };
}

/**
 * The definition in a file's text (YAML, of which JSON is a part), or null when it is not legal.
 * Every fault is added to `faults` as `FILE:LINE: FIELD MESSAGE`. `filterTimeZone` holds where the
 * file does not name one; null: that of the market.
 */
export function readDefinition(
  { file, text, known }: DefinitionSource,
  faults: string[],
  filterTimeZone: TimeZone | null = null,
): DefinitionFile | null {
  const source = definitionText(file, text);
  const textFaults = known === undefined ? source.faults() : [];
  if (textFaults.length > 0) {
    faults.push(...textFaults);
    return null;
  }
  const { place } = source;
  const faultCount = faults.length;
  const report = (path: ValuePath, message: string) => faults.push(`${place(path)} ${message}`);
  const read = readValue(DEFINITION, withoutEmpty(known ?? source.value()));
  for (const fault of read.faults) report(fault.path, COMPLAINTS[fault.type](fault));
  const draft: DefinitionDraft | undefined = read.value;
  if (draft !== undefined) checkDefinition(draft, report);
  if (faults.length > faultCount) return null;
  return { dataset: datasetOf(read.value, filterTimeZone), place };
}
