/** SQL that turns the fields of a vendor's records into the texts of a dataset's columns. */
import type { Column, Dataset } from '../../../catalog/dataset.ts';
import { LOCAL_TIME_PATTERN, TEXT_CHARACTERS_MAX } from '../../accepted-values.ts';
import {
  type ColumnText,
  FIELD_VALUES,
  type FieldChoice,
  joinedTime,
  type RecordReading,
  type TextStep,
} from '../../record-reading.ts';
import { quoteText } from '../sql-text.ts';
import { dateOfUtcSql, localOfUtcSql, utcOfLocalSql } from './clocks.ts';
import { castSql, valueSql } from './load-values.ts';
import { sqlType } from './stage-table.ts';

type Kind = TextStep['kind'];
type Entries = readonly (readonly [from: string, to: string])[];
/** The clock of the market, and that of times without an offset. */
type Clocks = Pick<Dataset, 'timeZone' | 'fileTimeZone'>;
/** SQL of a value by that of the one before: the name of a column, as it may stand in it often. */
type Stage = (before: string) => string;
type StepStages = {
  [K in Kind]: (step: Extract<TextStep, { kind: K }>, clocks: Clocks) => readonly Stage[];
};

const NANOS_DIGITS = 9;
const NANOS_OF_DAY = 86_400_000_000_000n;
/** The last ones that 64 bits hold are no times, such as those of vendors for none. */
const TIME_NANOS = '-9200000000000000000 AND 9200000000000000000';
const INSTANT = { name: '', dataType: 'date-time', description: '', fractionDigits: 9 } as const;

const listSql = (texts: readonly string[]) => `[${texts.map(quoteText).join(', ')}]`;

/** Digits of a fixed number, or an escaped character. */
const FIXED_PART = /\(\[0-9\]\{(?<digits>\d+)\}\)|\\x(?<code>[0-9a-f]{2})|\\(?<other>\W)/y;

/**
 * The text that takes the place of a match, out of pieces of it, which takes a third of the time of
 * groups; null: the parts of the pattern have no fixed lengths.
 */
function piecesSql(text: string, pattern: string, to: string): string | null {
  const groups: [start: number, end: number][] = [];
  let match = '';
  FIXED_PART.lastIndex = 0;
  for (let end = 0; end < pattern.length; end = FIXED_PART.lastIndex) {
    const { digits, code, other } = FIXED_PART.exec(pattern)?.groups ?? {};
    if (digits !== undefined) groups.push([match.length, match.length + Number(digits)]);
    const character = code === undefined ? other : String.fromCharCode(Number.parseInt(code, 16));
    const part = digits === undefined ? character : '\0'.repeat(Number(digits));
    if (part === undefined) return null;
    match += part;
  }
  const pieces: (string | [start: number, end: number])[] = [];
  if (!/^(?:[^\\]|\\\d)+$/.test(to)) return null;
  for (const [part, group] of to.matchAll(/\\(\d)|./gsu)) {
    const last = pieces.at(-1);
    const place = group === undefined ? null : groups[Number(group) - 1];
    if (place === undefined) return null;
    const follows = Array.isArray(last) && (place ? place[0] === last[1] : match[last[1]] === part);
    if (follows) last[1] += place ? place[1] - place[0] : 1;
    else pieces.push(place ? [...place] : part);
  }
  const asSql = (piece: (typeof pieces)[number]) =>
    typeof piece === 'string'
      ? quoteText(piece)
      : `substr(${text}, ${piece[0] + 1}, ${piece[1] - piece[0]})`;
  return `concat(${pieces.map(asSql).join(', ')})`;
}

function rewriteSql(text: string, ways: Entries): string {
  const whens = ways.map(([pattern, to]) => {
    const whole = quoteText(`^(?:${pattern})$`);
    const groups = `regexp_replace(${text}, ${whole}, ${quoteText(to)})`;
    // Nothing is left out of a match, such as one that is a group as a whole.
    const flat = pattern.replaceAll(/\(\?:[^()\\]*\)/g, 'x');
    const isAll = to === '\\0' || (to === '\\1' && /^\([^?()\\][^()\\]*\)$/.test(flat));
    const found = isAll ? text : (piecesSql(text, pattern, to) ?? groups);
    const matches = `regexp_matches(${text}, ${whole})`;
    // To look for some characters takes a fifth of the time.
    const [, without = ''] = /^\(\[\^([ .:]+)\]\+[|)]/.exec(isAll ? pattern : '') ?? [];
    const lacks = Array.from(without, (each) => `NOT contains(${text}, ${quoteText(each)})`);
    const isFound = without && `(${[`${text} <> ''`, ...lacks].join(' AND ')}) OR `;
    return `WHEN ${isFound}${matches} THEN ${found}`;
  });
  const sql = `CASE ${whens.join(' ')} END`;
  const [[pattern, to] = ['', '']] = ways;
  if (to !== '\\1' || !whens[0]?.includes('regexp_replace')) return sql;
  // One search finds what the first way takes, unless that is empty.
  const group = `regexp_extract(${text}, ${quoteText(`^(?:${pattern})$`)}, 1)`;
  return `coalesce(nullif(${group}, ''), ${sql})`;
}

const isTimeSql = (text: string) => `regexp_full_match(${text}, ${quoteText(LOCAL_TIME_PATTERN)})`;

/** To the nanoseconds in UTC of a time. */
const instantStages = ({ fileTimeZone }: Clocks): readonly Stage[] => [
  (text) => `{'text': ${text}, 'instant': ${castSql(INSTANT, text)}}`,
  (read) => `epoch_ns(${valueSql(INSTANT, `${read}.text`, `${read}.instant`, fileTimeZone)})`,
];

/** More days than lie between the earliest nanosecond time and 1970. */
const EARLY_DAYS = 110_000;

/** The date of nanoseconds in UTC, as text. The engine's cast rounds times before 1970 up. */
const marketDateSql = (nanos: string, { timeZone }: Clocks) =>
  `CAST(make_date(CAST((${localOfUtcSql(timeZone, nanos)} + ${EARLY_DAYS}::HUGEINT * ${NANOS_OF_DAY}) // ${NANOS_OF_DAY} - ${EARLY_DAYS} AS INTEGER)) AS VARCHAR)`;

/** To nanoseconds since 1970, of units of which a second has `10 ** digits`. */
const nanosSql = (units: string, digits: number) =>
  digits === NANOS_DIGITS
    ? units
    : `TRY_CAST((${units})::HUGEINT * ${10 ** (NANOS_DIGITS - digits)} AS BIGINT)`;

/** SQL of the second text of the entry at a place; null without a place. */
const entryOf = (place: string, entries: Entries, type: string) =>
  `list_extract(${listSql(entries.map(([, to]) => to))}::${type}[], ${place})`;
const placeSql = (text: string, entries: Entries) =>
  `list_position(${listSql(entries.map(([from]) => from))}, ${text})`;
const entrySql = (text: string, entries: Entries, type: string) =>
  entryOf(placeSql(text, entries), entries, type);

type TableStep = Extract<TextStep, { kind: 'table' }>;
type BitsStep = Extract<TextStep, { kind: 'bits' }>;

/** The value of each code, found by its place in a list; null: the code is unknown. */
function codeValuesSql(text: string, { codes, separator }: BitsStep): string {
  const values = codes.map(([, bit]) => (bit === null ? 0n : 2n ** BigInt(bit)));
  const known = listSql([...codes.map(([code]) => code), '']);
  const place = `list_position(${known}, trim(code))`;
  return `CASE WHEN ${text} IS NOT NULL THEN list_transform(string_split(${text}, ${quoteText(separator ?? '')}),
    lambda code: list_extract([${values}, 0]::BIGINT[], ${place})) END`;
}

function bitsSql(values: string, { otherwise }: BitsStep): string {
  const sum = `coalesce(list_bit_or(${values}), 0)`;
  return otherwise === 'empty'
    ? sum
    : `CASE WHEN list_count(${values}) = len(${values}) THEN ${sum} END`;
}

const STAGES: StepStages = {
  rewrite: ({ ways }) => [(text) => rewriteSql(text, ways)],
  pad: () => [(text) => String.raw`regexp_replace(${text}, '(^|[^0-9.])([0-9])\b', '\10\2', 'g')`],
  replace: ({ pairs }) => [
    (text) => {
      const replaced = pairs.reduce(
        (sql, [from, to]) => `replace(${sql}, ${quoteText(from)}, ${quoteText(to)})`,
        text,
      );
      // One search passes over texts in which nothing is replaced.
      const any = quoteText(pairs.map(([from]) => RegExp.escape(from)).join('|'));
      return pairs.length < 3
        ? replaced
        : `CASE WHEN regexp_matches(${text}, ${any}) THEN ${replaced} ELSE ${text} END`;
    },
  ],
  scaled: ({ digits }) => [
    (text) => {
      const unsigned = `ltrim(${text}, '-')`;
      const length = `CAST(greatest(length(${unsigned}), ${digits + 1}) AS INTEGER)`;
      const whole = `lpad(${unsigned}, ${length}, '0')`;
      return `CASE WHEN regexp_full_match(${text}, '-?[0-9]+') THEN
      CASE WHEN starts_with(${text}, '-') THEN '-' ELSE '' END || left(${whole}, -${digits}) || '.' || right(${whole}, ${digits}) END`;
    },
  ],
  hexadecimal: () => [
    (text) =>
      `CASE WHEN regexp_full_match(${text}, '[0-9A-Fa-f]{1,15}') THEN TRY_CAST('0x' || ${text} AS BIGINT) END`,
    (number) => `CAST(${number} AS VARCHAR)`,
  ],
  epoch: ({ digits, isDate, isMidnight, isUtc }, given) => [
    (text) => {
      const units = `CASE WHEN regexp_full_match(${text}, '-?[0-9]+') THEN TRY_CAST(${text} AS BIGINT) END`;
      return nanosSql(units, digits);
    },
    (nanos) => {
      const clocks = isUtc ? { ...given, timeZone: 'UTC' } : given;
      const read = isDate
        ? marketDateSql(nanos, clocks)
        : `CAST(make_timestamp_ns(${nanos}) AS VARCHAR) || 'Z'`;
      const isAt = `(${localOfUtcSql(clocks.timeZone, nanos)} % ${NANOS_OF_DAY} = 0) = ${isMidnight}`;
      return `CASE WHEN ${nanos} BETWEEN ${TIME_NANOS} THEN
        ${isMidnight === null ? read : `CASE WHEN ${isAt} THEN ${read} END`} END`;
    },
  ],
  seconds: () => [
    (text) =>
      `{'text': ${text}, 'seconds': TRY_CAST(split_part(substr(${text}, 12), '.', 1) AS INTEGER)}`,
    (read) => `CASE WHEN ${read}.seconds IS NULL THEN ${read}.text WHEN ${read}.seconds < 86400 THEN
      left(${read}.text, 11) || CAST(TIME '00:00:00' + to_seconds(${read}.seconds) AS VARCHAR)
      || regexp_extract(${read}.text, '[.].*') END`,
  ],
  minus: ({ seconds }) => [
    (text) => `epoch_ns(TRY_CAST(${text} AS TIMESTAMP_NS)) - ${seconds}000000000`,
    (nanos) => `replace(CAST(make_timestamp_ns(${nanos}) AS VARCHAR), ' ', 'T')`,
  ],
  date: (_step, clocks) => [...instantStages(clocks), (nanos) => marketDateSql(nanos, clocks)],
  table: (step) => [
    (text) => {
      const other = { refuse: 'NULL', keep: text, empty: "''" }[step.otherwise];
      return `coalesce(${entrySql(text, step.entries, 'VARCHAR')}, ${other})`;
    },
  ],
  bits: (step) => [
    (text) => codeValuesSql(text, step),
    (values) => bitsSql(values, step),
    (sum) => `CAST(${sum} AS VARCHAR)`,
  ],
};

function stagesOf<K extends Kind>(
  step: Extract<TextStep, { kind: K }>,
  clocks: Clocks,
): readonly Stage[] {
  return STAGES[step.kind as K](step, clocks);
}

/** In these, local times are after 1970, too: the engine rounds the dates of earlier ones up. */
const COMPUTED_NANOS = `${NANOS_OF_DAY} AND ${BigInt(Date.UTC(2199, 0)) * 1_000_000n}`;
const HAS_OFFSET = '(Z|';

type EpochStep = Extract<TextStep, { kind: 'epoch' }>;

/** The only step, which makes an instant or a date of a number. */
function epochOf({ column, steps: [step, ...others] }: ColumnText): EpochStep | null {
  if (step?.kind !== 'epoch' || others.length > 0) return null;
  return column.dataType === (step.isDate ? 'date' : 'date-time') ? step : null;
}

const allWays = (text: ColumnText, hasOffset: boolean) => {
  const last = text.steps.at(-1);
  const isTime = text.column.dataType === 'date-time' && last?.kind === 'rewrite';
  return isTime && last.ways.every(([pattern]) => pattern.includes(HAS_OFFSET) === hasOffset);
};

type Computation = 'epoch' | 'local time' | 'instant' | 'integer' | 'table' | 'string';

const isText = ({ column }: ColumnText) => column.dataType === 'string';

/** True if nothing is added to a text but ASCII without control characters. */
const isAscii = ({ parts, ifEmpty, steps }: ColumnText) =>
  !/[^ -~]|\\[^"]/.test(JSON.stringify([parts, ifEmpty, steps]).replaceAll('\\\\', ''));

/** An integer that a cast does not change. */
const SHORT_INTEGER = /^-?\d{1,18}$/;

/** How a column comes about whose value is computed without a text that has to be read again. */
function computationOf(text: ColumnText): Computation | null {
  const { column, steps } = text;
  const step = steps.at(-1);
  const last = step?.kind;
  if (epochOf(text)) return 'epoch';
  if (allWays(text, false)) return 'local time';
  if (allWays(text, true) || (column.dataType === 'date' && last === 'date')) return 'instant';
  if (column.dataType === 'integer') {
    if (last === 'bits' || last === 'hexadecimal') return 'integer';
    const isTable = last === 'table' && step?.otherwise === 'refuse';
    const areIntegers = isTable && step.entries.every(([, to]) => SHORT_INTEGER.test(to));
    return areIntegers ? 'table' : null;
  }
  return isText(text) && isAscii(text) ? 'string' : null;
}

export const isComputed = (text: ColumnText) => computationOf(text) !== null;

const isByGroups = (step: TextStep) =>
  step.kind === 'rewrite' && rewriteSql('', step.ways).includes('regexp_extract');

/** True if computing it takes so long that usual texts are looked for. */
export const isSlow = (text: ColumnText) =>
  isComputed(text) &&
  text.steps.some((step) => step.kind === 'bits' || (isByGroups(step) && isText(text)));

/** From nanoseconds in UTC to a value; null where a column may not take it. */
function valueOfNanos(text: ColumnText, clocks: Clocks): Stage {
  const { column } = text;
  const { isMidnight = null, isUtc = false } = epochOf(text) ?? {};
  const timeZone = isUtc ? 'UTC' : clocks.timeZone;
  return (nanos) => {
    const local = localOfUtcSql(timeZone, nanos);
    const isDate = column.dataType === 'date';
    const conditions = [
      `${nanos} BETWEEN ${COMPUTED_NANOS}`,
      ...(isDate || column.fractionDigits === 9 ? [] : [`${nanos} % 1000000000 = 0`]),
      ...(isMidnight === null ? [] : [`(${local} % ${NANOS_OF_DAY} = 0) = ${isMidnight}`]),
    ];
    const value = isDate ? dateOfUtcSql(timeZone, nanos) : `make_timestamp_ns(${nanos})`;
    return `CASE WHEN ${conditions.join(' AND ')} THEN ${value} END`;
  };
}

/** To the value of a computed column. */
function computedStages(text: ColumnText, clocks: Clocks): readonly Stage[] {
  const ofSteps = () => text.steps.flatMap((step) => stagesOf(step, clocks));
  const value = valueOfNanos(text, clocks);
  const stages: Readonly<Record<Computation, () => readonly Stage[]>> = {
    epoch: () => [...ofSteps().slice(0, 1), value],
    'local time': () => [
      ...ofSteps(),
      (read) => `CASE WHEN ${isTimeSql(read)} THEN epoch_ns(TRY_CAST(${read} AS TIMESTAMP_NS)) END`,
      (local) => utcOfLocalSql(clocks.fileTimeZone, local),
      value,
    ],
    instant: () => [
      ...text.steps.filter(({ kind }) => kind !== 'date').flatMap((step) => stagesOf(step, clocks)),
      ...instantStages(clocks),
      value,
    ],
    integer: () => ofSteps().slice(0, -1),
    table: () => [
      ...ofSteps().slice(0, -1),
      (read) => entrySql(read, (text.steps.at(-1) as TableStep).entries, 'BIGINT'),
    ],
    string: () => [
      ...ofSteps(),
      (read) => `CASE WHEN strlen(${read}) <= ${TEXT_CHARACTERS_MAX} THEN ${read} END`,
    ],
  };
  return stages[computationOf(text) as Computation]();
}

const dateOfDigitsSql = (digits: string) =>
  `make_date(${digits} // 10000, ${digits} // 100 % 100, ${digits} % 100)`;

/** Nanoseconds since midnight of the digits `HHMMSS` and of a fraction. */
function nanosOfDigitsSql(digits: string, fractionDigits: number): string {
  const unit = 10n ** BigInt(fractionDigits);
  const seconds = `${digits} // ${unit * 10_000n} * 3600 + ${digits} // ${unit * 100n} % 100 * 60`;
  return `(${seconds}) * 1000000000 + ${digits} % ${unit * 100n} * ${10 ** (NANOS_DIGITS - fractionDigits)}`;
}

/** The first value of a column whose fields were read as values. */
function typedSql(text: ColumnText): string {
  const field = `field${text.parts.at(-1)}`;
  if (text.choice) return chosenSql(text.choice, true);
  const joined = joinedTime(text);
  if (!joined) return field;
  const { date, clock, fractionDigits } = joined;
  const day =
    typeof date === 'number' ? dateOfDigitsSql(`field${date}`) : `DATE ${quoteText(date)}`;
  const isDigits = clock.column === FIELD_VALUES.digits;
  const nanos = isDigits ? nanosOfDigitsSql(field, fractionDigits) : `epoch_ns(${field})`;
  return `((${day} - DATE '1970-01-01') * ${NANOS_OF_DAY} + ${nanos})`;
}

/** To the value of a column of fields that were read as values. */
function typedStages(text: ColumnText, type: Column, clocks: Clocks): readonly Stage[] {
  const { column, steps } = text;
  if (type === column) return [];
  const { digits, localTime } = FIELD_VALUES;
  const value = valueOfNanos(text, clocks);
  const [step] = steps;
  if (step?.kind === 'epoch') return [(units) => nanosSql(units, step.digits), value];
  const isDate = column.dataType === 'date';
  if (isDate && type === digits) return [dateOfDigitsSql];
  if (isDate && type === localTime && steps.length === 1)
    return [
      (time) => `CASE WHEN ${time} >= TIMESTAMP_NS '1970-01-01' THEN CAST(${time} AS DATE) END`,
    ];
  const toUtc = (local: string) => utcOfLocalSql(clocks.fileTimeZone, local);
  if (joinedTime(text)) return [toUtc, value];
  return [(time) => `epoch_ns(${time})`, ...(type === localTime ? [toUtc] : []), value];
}

/** The field that the texts of others choose; plain records fail where they choose none. */
function chosenSql({ by, fields, mayBeNone }: FieldChoice, isPlain: boolean): string {
  // A null key of empty fields does where none of theirs is listed.
  const mayBeEmpty = !isPlain || fields.some(([text]) => text.split(' ').includes(''));
  const names = by.map((field) => (mayBeEmpty ? `coalesce(field${field}, '')` : `field${field}`));
  const key = names.join(` || ' ' || `);
  const whens = fields.map(([text, field]) => `WHEN ${quoteText(text)} THEN field${field}`);
  const refused = isPlain ? `error('no field is chosen')` : `chr(0) || ${key}`;
  return `CASE ${key} ${whens.join(' ')} ELSE ${mayBeNone ? 'NULL' : refused} END`;
}

function givenSql(
  { parts, choice, ifEmpty, undefinedTexts }: ColumnText,
  isPlain: boolean,
): string {
  const fieldSql = (part: number) =>
    ifEmpty === null ? `field${part}` : `coalesce(field${part}, ${quoteText(ifEmpty)})`;
  const joined = parts.map((part) => (typeof part === 'number' ? fieldSql(part) : quoteText(part)));
  const text = choice ? chosenSql(choice, isPlain) : joined.join(` || ' ' || `);
  const areJoined = parts.length > 1 && !choice;
  const nulls = areJoined ? undefinedTexts : ['', ...undefinedTexts];
  if (nulls.length === 0) return text;
  return `CASE WHEN ${text} IN (${nulls.map(quoteText).join(', ')}) THEN NULL ELSE ${text} END`;
}

function fitsSql({ expected }: ColumnText, read: string): string {
  return expected === null
    ? `${read} IS NOT NULL`
    : `coalesce(${read} = ${quoteText(expected)}, false)`;
}

/** A value that cannot be read is the text that was given, marked. */
function textSql(text: ColumnText, given: string, read: string): string {
  return `CASE WHEN ${given} IS NULL THEN NULL WHEN ${fitsSql(text, read)} THEN nullif(${read}, '')
    ELSE chr(0) || ${given} END`;
}

/** A value instead of a text, or an error. */
function computedSql(text: ColumnText, given: string, read: string): string {
  const value = isText(text) ? `nullif(${read}, '')` : read;
  return `CASE WHEN ${given} IS NULL THEN NULL WHEN ${fitsSql(text, read)} THEN ${value}
    ELSE error('a value that does not fit') END`;
}

/** True of records that become rows. */
export function keptSql({ only, except }: RecordReading): string {
  const isOneOf = ({ field, values }: RecordReading['only'][number]) => {
    const text = typeof field === 'number' ? `coalesce(field${field}, '')` : quoteText(field);
    return `list_contains(${listSql(values)}, ${text})`;
  };
  const conditions = [...only.map(isOneOf), ...except.map((each) => `NOT ${isOneOf(each)}`)];
  return conditions.join(' AND ') || 'true';
}

/** Texts that many records have, and what is read of them, by the places of their columns. */
export type UsualTexts = ReadonlyMap<number, Entries>;

/** How plain records are read. */
interface PlainReading {
  readonly usual: UsualTexts;
  /** The value that the field of a column was read as; null: a text. */
  readonly fieldType: (text: ColumnText) => Column | null;
}

/**
 * The query `fields`, of `number` and `field0`..., as one of `number`, `text0`... and `given0`....
 * Each stage is a query around the one before: as expressions in each other they would double with
 * every use. With `plain`, computed columns also have values, such as `value0`. It fails where one
 * cannot be read, or the value is null and the text is not.
 */
export function readingSql(
  fields: string,
  reading: RecordReading,
  clocks: Clocks,
  plain: PlainReading | null = null,
): string {
  const { texts } = reading;
  const given = texts.map((text) =>
    plain?.fieldType(text) ? typedSql(text) : givenSql(text, plain !== null),
  );
  const stages = texts.map((text) => {
    const value = plain?.fieldType(text);
    if (value) return typedStages(text, value, clocks);
    return plain && isComputed(text)
      ? computedStages(text, clocks)
      : text.steps.flatMap((step) => stagesOf(step, clocks));
  });
  const usualOf = (c: number) => plain?.usual.get(c) ?? [];
  const places = texts.flatMap((_, c) =>
    usualOf(c).length > 0 ? [`${placeSql(`given${c}`, usualOf(c))} AS place${c}`] : [],
  );
  // The steps take no time where there is nothing to read.
  const first = texts.map((_, c) =>
    usualOf(c).length > 0
      ? `CASE WHEN place${c} IS NULL THEN given${c} END AS read${c}`
      : `given${c} AS read${c}`,
  );
  let query = `SELECT *, ${first.join(', ')} FROM (SELECT ${['*', ...places].join(', ')}
    FROM (SELECT number, ${given.map((sql, c) => `${sql} AS given${c}`).join(', ')}
      FROM (${fields}) WHERE ${keptSql(reading)}))`;
  // Columns of the same texts and steps are read once, up to where they differ.
  let reads = texts.map((_, c) => {
    const same = given.indexOf(given[c] as string);
    return `read${usualOf(c).length > 0 || usualOf(same).length > 0 ? c : same}`;
  });
  for (let at = 0; at < Math.max(...stages.map(({ length }) => length)); at++) {
    const made = new Map<string, string>();
    reads = reads.map((read, c) => {
      const own = `read${c}`;
      const sql = stages[c]?.[at]?.(read) ?? (read === own ? null : read);
      return sql === null ? own : made.getOrInsert(sql, own);
    });
    const values = [...made].map(([sql, name]) => `${sql} AS ${name}`);
    query = `SELECT * REPLACE (${values.join(', ')}) FROM (${query})`;
  }
  const columns = texts.map((text, c) => {
    const [own, read] = [`given${c}`, reads[c] as string];
    const isValue = plain && (isComputed(text) || plain.fieldType(text));
    if (!isValue) return `${textSql(text, own, read)} AS text${c}`;
    if (plain.fieldType(text) === text.column) return `NULL AS text${c}, ${own} AS value${c}`;
    // A null value of any other column stands for a text that cannot be read.
    const mayBeNull = text.expected !== null || (isText(text) && text.steps.length > 0);
    const value = mayBeNull ? computedSql(text, own, read) : read;
    const usual = entryOf(`place${c}`, usualOf(c), sqlType(text.column));
    const isUsual = usualOf(c).length > 0;
    const sql = isUsual ? `CASE WHEN place${c} IS NULL THEN ${value} ELSE ${usual} END` : value;
    return `${mayBeNull ? 'NULL' : own} AS text${c}, ${sql} AS value${c}`;
  });
  return `SELECT number, ${columns.join(', ')}, ${texts.map((_, c) => `given${c}`).join(', ')} FROM (${query})`;
}
