/**
 * How text becomes a typed value: strictly and exactly, or not at all. A rule's SQL comes in two
 * steps, so that what is used several times is computed once: `cast` sees the column of texts and
 * `value` also the column of the cast's result. The value is null where the text does not fit.
 */
import type { Column, DataType } from '../../catalog/dataset.ts';
import { isSkippedLocalTime } from '../../time/market-time.ts';
import type { TimeZone } from '../../time/time-zone.ts';
import { utcOfLocalSql } from './clock-offsets.ts';
import { quoteText } from './sql-text.ts';

const MAX_TEXT_CHARACTERS = 65_536;

interface ValueRule {
  cast(text: string): string;
  value(text: string, cast: string, column: Column): string;
  /** What the column accepts, said of a text that it does not. */
  accepts(text: string, column: Column, zone: TimeZone): string;
}

/** So many characters of a plain decimal hold at most 15 digits, and those always survive. */
const SAFE_CHARACTERS = 15;
const DECIMAL = '[+-]?([0-9]+\\.?[0-9]*|\\.[0-9]+)';
const NUMBER = `${DECIMAL}([eE][+-]?[0-9]+)?`;
const CLOCK = '([01][0-9]|2[0-3]):[0-5][0-9]';
const DATE_TIME =
  '(19|20|21)[0-9]{2}-[0-9]{2}-[0-9]{2}[T ]' +
  `${CLOCK}:[0-5][0-9](\\.[0-9]{1,9})?(Z|[+-]${CLOCK})?`;
const DATE_RANGE = "DATE '1900-01-01' AND DATE '2199-12-31'";

function matches(text: string, pattern: string): string {
  return `regexp_full_match(${text}, ${quoteText(pattern)})`;
}

/**
 * The digits of a decimal without sign, point, exponent and the zeros around them. A number and the
 * double nearest to it are the same decimal when these digits are the same: they are too close to
 * each other for a different power of ten.
 */
function significantDigits(text: string): string {
  return `rtrim(ltrim(replace(split_part(lower(${text}), 'e', 1), '.', ''), '+-0'), '0')`;
}

const NUMBER_RULE: ValueRule = {
  cast: (text) => `TRY_CAST(${text} AS DOUBLE)`,
  value: (text, cast) =>
    `CASE WHEN length(${text}) <= ${SAFE_CHARACTERS} AND ${matches(text, DECIMAL)} THEN ${cast}
     WHEN ${matches(text, NUMBER)}
       AND ${significantDigits(text)} = ${significantDigits(`CAST(${cast} AS VARCHAR)`)}
     THEN ${cast} END`,
  accepts: (text) =>
    new RegExp(`^${NUMBER}$`).test(text)
      ? 'a number with few enough digits to be stored exactly (15 always are)'
      : 'a decimal number such as 12.5',
};

const DATE_TIME_RULE: ValueRule = {
  cast: (text) => {
    const offsetLength = `CASE WHEN ends_with(${text}, 'Z') THEN 1
      WHEN length(${text}) >= 25 AND substr(${text}, -6, 1) IN ('+', '-') THEN 6 ELSE 0 END`;
    const local = `left(${text}, length(${text}) - ${offsetLength})`;
    return `CASE WHEN ${matches(text, DATE_TIME)}
      THEN epoch_ns(TRY_CAST(${local} AS TIMESTAMP_NS)) END`;
  },
  value: (text, cast, column) => {
    const isFine = column.fractionDigits === 9 ? 'true' : `${cast} % 1000000000 = 0`;
    const given = `(CASE substr(${text}, -6, 1) WHEN '-' THEN -1 ELSE 1 END) * (
      3600 * CAST(substr(${text}, -5, 2) AS INTEGER) + 60 * CAST(right(${text}, 2) AS INTEGER))`;
    const utc = `CASE WHEN ends_with(${text}, 'Z') THEN ${cast}
      WHEN length(${text}) >= 25 AND substr(${text}, -6, 1) IN ('+', '-')
      THEN ${cast} - 1000000000::BIGINT * (${given})
      ELSE ${utcOfLocalSql(cast)} END`;
    return `CASE WHEN ${isFine} THEN make_timestamp_ns(${utc}) END`;
  },
  accepts: (text, { fractionDigits }, zone) => {
    if (fractionDigits === 0 && /\.\d*[1-9]/.test(text)) return 'a time in whole seconds';
    if (new RegExp(`^${DATE_TIME}$`).test(text) && isSkippedLocalTime(zone, text)) {
      return `a time that exists in ${zone}; clocks skip this one when they are put forward`;
    }
    return 'a time YYYY-MM-DDTHH:MM:SS[.fraction][Z or +HH:MM] from 1900 to 2199';
  },
};

const STRING_ARRAY_RULE: ValueRule = {
  cast: (text) =>
    `CASE WHEN json_valid(${text}) AND left(ltrim(${text}), 1) = '['
     THEN json_extract(${text}, '$[*]') END`,
  value: (_text, cast) => {
    const strings = `list_transform(${cast}, lambda element: json_extract_string(element, '$'))`;
    return `CASE WHEN len(list_filter(${cast}, lambda element:
        json_type(element) <> 'VARCHAR' OR contains(json_extract_string(element, '$'), chr(0))
      )) = 0 THEN ${strings} END`;
  },
  accepts: () => 'a JSON array of strings such as ["a","b"]',
};

const VALUE_RULES: Readonly<Record<DataType, ValueRule>> = {
  integer: {
    cast: (text) => `TRY_CAST(${text} AS BIGINT)`,
    value: (text, cast) => `CASE WHEN ${matches(text, '[+-]?[0-9]+')} THEN ${cast} END`,
    accepts: (text) =>
      /^[+-]?\d+$/.test(text) ? 'an integer within 64 bits' : 'an integer such as 100',
  },
  number: NUMBER_RULE,
  date: {
    cast: (text) => `TRY_CAST(${text} AS DATE)`,
    value: (text, cast) =>
      `CASE WHEN CAST(${cast} AS VARCHAR) = ${text} AND ${cast} BETWEEN ${DATE_RANGE}
       THEN ${cast} END`,
    accepts: () => 'a date YYYY-MM-DD that exists, from 1900 to 2199',
  },
  'date-time': DATE_TIME_RULE,
  string: {
    cast: (text) => text,
    value: (text) =>
      `CASE WHEN length(${text}) <= ${MAX_TEXT_CHARACTERS} AND NOT contains(${text}, chr(0))
       THEN ${text} END`,
    accepts: () => `text of at most ${MAX_TEXT_CHARACTERS} characters, without NUL`,
  },
  'array of string': STRING_ARRAY_RULE,
};

export function castSql(column: Column, text: string): string {
  return VALUE_RULES[column.dataType].cast(text);
}

export function valueSql(column: Column, text: string, cast: string): string {
  return VALUE_RULES[column.dataType].value(text, cast, column);
}

/** What the column accepts, as the reason why `text` (null: no value) is bad. */
export function acceptedByColumn(column: Column, zone: TimeZone, text: string | null): string {
  if (text === null) return 'a value (the column may not be empty)';
  const accepted = VALUE_RULES[column.dataType].accepts(text, column, zone);
  return text === '' ? `${accepted}; leave out the quotes for null` : accepted;
}
