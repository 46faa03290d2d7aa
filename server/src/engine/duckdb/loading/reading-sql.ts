/** SQL that turns the fields of a vendor's records into the texts of a dataset's columns. */
import type { Dataset } from '../../../catalog/dataset.ts';
import type { ColumnText, RecordReading, TextStep } from '../../record-reading.ts';
import { quoteText } from '../sql-text.ts';
import { localOfUtcSql } from './clocks.ts';
import { castSql, valueSql } from './load-values.ts';

type Kind = TextStep['kind'];
/** The clock of the market, and that of times without an offset. */
type Clocks = Pick<Dataset, 'timeZone' | 'fileTimeZone'>;
/** SQL of a value by that of the one before: the name of a column, as it may stand in it often. */
type Stage = (before: string) => string;
type StepStages = {
  [K in Kind]: (step: Extract<TextStep, { kind: K }>, clocks: Clocks) => readonly Stage[];
};

const NANOS_DIGITS = 9;
const NANOS_OF_DAY = 86_400_000_000_000n;
const INSTANT = { name: '', dataType: 'date-time', description: '', fractionDigits: 9 } as const;

const listSql = (texts: readonly string[]) => `[${texts.map(quoteText).join(', ')}]`;

function rewriteSql(text: string, ways: readonly (readonly [string, string])[]): string {
  const whens = ways.map(([pattern, to]) => {
    const whole = quoteText(`^(?:${pattern})$`);
    return `WHEN regexp_matches(${text}, ${whole}) THEN regexp_replace(${text}, ${whole}, ${quoteText(to)})`;
  });
  return `CASE ${whens.join(' ')} END`;
}

/** The date of nanoseconds in UTC, as text. */
const marketDateSql = (nanos: string, { timeZone }: Clocks) =>
  `CAST(CAST(make_timestamp_ns(${localOfUtcSql(timeZone, nanos)}) AS DATE) AS VARCHAR)`;

type BitsStep = Extract<TextStep, { kind: 'bits' }>;

/** The value of each code, found by its place in a list; null: the code is unknown. */
function codeValuesSql(text: string, { codes, separator }: BitsStep): string {
  const values = codes.map(([, bit]) => (bit === null ? 0n : 2n ** BigInt(bit)));
  const known = listSql([...codes.map(([code]) => code), '']);
  const place = `list_position(${known}, trim(code))`;
  return `list_transform(string_split(${text}, ${quoteText(separator ?? '')}),
    lambda code: list_extract([${values}, 0]::BIGINT[], ${place}))`;
}

function bitsSql(values: string, { otherwise }: BitsStep): string {
  const sum = `CAST(coalesce(list_bit_or(${values}), 0) AS VARCHAR)`;
  return otherwise === 'empty'
    ? sum
    : `CASE WHEN list_count(${values}) = len(${values}) THEN ${sum} END`;
}

const STAGES: StepStages = {
  rewrite: ({ ways }) => [(text) => rewriteSql(text, ways)],
  pad: () => [(text) => String.raw`regexp_replace(${text}, '(^|[^0-9.])([0-9])\b', '\10\2', 'g')`],
  replace: ({ pairs }) =>
    pairs.map(
      ([from, to]) =>
        (text) =>
          `replace(${text}, ${quoteText(from)}, ${quoteText(to)})`,
    ),
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
      `CASE WHEN regexp_full_match(${text}, '[0-9A-Fa-f]{1,15}') THEN CAST(TRY_CAST('0x' || ${text} AS BIGINT) AS VARCHAR) END`,
  ],
  epoch: ({ digits, isDate, isMidnight }, clocks) => [
    (text) => {
      const units = `CASE WHEN regexp_full_match(${text}, '-?[0-9]+') THEN TRY_CAST(${text} AS BIGINT) END`;
      return `TRY_CAST((${units})::HUGEINT * ${10 ** (NANOS_DIGITS - digits)} AS BIGINT)`;
    },
    (nanos) => {
      const read = isDate
        ? marketDateSql(nanos, clocks)
        : `CAST(make_timestamp_ns(${nanos}) AS VARCHAR) || 'Z'`;
      if (isMidnight === null) return read;
      const isAt = `${localOfUtcSql(clocks.timeZone, nanos)} % ${NANOS_OF_DAY} = 0`;
      return `CASE WHEN (${isAt}) = ${isMidnight} THEN ${read} END`;
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
  date: (_step, clocks) => [
    (text) => `{'text': ${text}, 'instant': ${castSql(INSTANT, text)}}`,
    (read) =>
      `epoch_ns(${valueSql(INSTANT, `${read}.text`, `${read}.instant`, clocks.fileTimeZone)})`,
    (nanos) => marketDateSql(nanos, clocks),
  ],
  table: ({ entries, otherwise }) => [
    (text) => {
      const whens = entries.map(([from, to]) => `WHEN ${quoteText(from)} THEN ${quoteText(to)}`);
      const other = { refuse: 'NULL', keep: text, empty: "''" }[otherwise];
      return `CASE ${text} ${whens.join(' ')} ELSE ${other} END`;
    },
  ],
  bits: (step) => [(text) => codeValuesSql(text, step), (values) => bitsSql(values, step)],
};

function stagesOf<K extends Kind>(
  step: Extract<TextStep, { kind: K }>,
  clocks: Clocks,
): readonly Stage[] {
  return STAGES[step.kind as K](step, clocks);
}

function givenSql({ parts, ifEmpty, undefinedTexts }: ColumnText): string {
  const fieldSql = (part: number) =>
    ifEmpty === null ? `field${part}` : `coalesce(field${part}, ${quoteText(ifEmpty)})`;
  const joined = parts.map((part) => (typeof part === 'number' ? fieldSql(part) : quoteText(part)));
  const text = joined.join(` || ' ' || `);
  return `CASE WHEN ${text} IN ${`(${['', ...undefinedTexts].map(quoteText).join(', ')})`} THEN NULL ELSE ${text} END`;
}

/** A value that cannot be read is the text that was given, marked. */
function textSql({ expected }: ColumnText, c: number): string {
  const fits =
    expected === null
      ? `read${c} IS NOT NULL`
      : `coalesce(read${c} = ${quoteText(expected)}, false)`;
  return `CASE WHEN given${c} IS NULL THEN NULL WHEN ${fits} THEN nullif(read${c}, '')
    ELSE chr(0) || given${c} END AS text${c}`;
}

/** True of records that become rows. */
export function keptSql({ only, except }: RecordReading): string {
  const isOneOf = ({ field, values }: RecordReading['only'][number]) =>
    `coalesce(field${field}, '') IN (${values.map(quoteText).join(', ')})`;
  const conditions = [...only.map(isOneOf), ...except.map((each) => `NOT ${isOneOf(each)}`)];
  return conditions.join(' AND ') || 'true';
}

/**
 * The query `fields`, of `number` and `field0`..., as one of `number` and `text0`.... Each stage is
 * a query around the one before: as expressions in each other they would double with every use.
 */
export function readingSql(fields: string, reading: RecordReading, clocks: Clocks): string {
  const { texts } = reading;
  const given = texts.map((text, c) => `${givenSql(text)} AS given${c}`);
  const stages = texts.map(({ steps }) => steps.flatMap((step) => stagesOf(step, clocks)));
  let read = `SELECT *, ${texts.map((_, c) => `given${c} AS read${c}`).join(', ')}
    FROM (SELECT number, ${given.join(', ')} FROM (${fields}) WHERE ${keptSql(reading)})`;
  for (let at = 0; at < Math.max(...stages.map(({ length }) => length)); at++) {
    const values = stages.flatMap((each, c) => {
      const value = each[at]?.(`read${c}`);
      return value === undefined ? [] : `${value} AS read${c}`;
    });
    read = `SELECT * REPLACE (${values.join(', ')}) FROM (${read})`;
  }
  return `SELECT number, ${texts.map(textSql).join(', ')} FROM (${read})`;
}
