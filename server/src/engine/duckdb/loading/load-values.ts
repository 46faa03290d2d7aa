/**
 * How text becomes a typed value: strictly and exactly, or not at all. A rule's SQL comes in two
 * steps, so that what is used several times is computed once: `cast` sees the column of texts and
 * `value` also the column of the cast's result. The value is null where the text does not fit.
 */
import { decimalDigits } from '../../../catalog/column-types.ts';
import type { Column, DataType } from '../../../catalog/dataset.ts';
import type { TimeZone } from '../../../time/time-zone.ts';
import {
  BOOLEAN_PATTERN,
  DATE_TIME_PATTERN,
  DECIMAL_PATTERN,
  EXACT_DECIMAL_CHARACTERS,
  FIRST_DATE,
  INTEGER_PATTERN,
  LAST_DATE,
  MIDNIGHT_PATTERN,
  NUMBER_PATTERN,
  TEXT_CHARACTERS_MAX,
} from '../../accepted-values.ts';
import { quoteText } from '../sql-text.ts';
import { utcOfLocalSql } from './clocks.ts';
import { sqlType } from './stage-table.ts';

interface ValueRule {
  cast(text: string, column: Column): string;
  value(text: string, cast: string, column: Column, zone: TimeZone): string;
}

const DATE_RANGE = `DATE '${FIRST_DATE}' AND DATE '${LAST_DATE}'`;

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
    `CASE WHEN length(${text}) <= ${EXACT_DECIMAL_CHARACTERS} AND ${matches(text, DECIMAL_PATTERN)} THEN ${cast}
     WHEN ${matches(text, NUMBER_PATTERN)}
       AND ${significantDigits(text)} = ${significantDigits(`CAST(${cast} AS VARCHAR)`)}
     THEN ${cast} END`,
};

/** An offset such as `+0100` with its colon. */
function withColon(text: string): string {
  return `CASE WHEN length(${text}) >= 24 AND substr(${text}, -5, 1) IN ('+', '-')
    THEN left(${text}, length(${text}) - 2) || ':' || right(${text}, 2) ELSE ${text} END`;
}

const DATE_TIME_RULE: ValueRule = {
  cast: (given) => {
    const text = `(${withColon(given)})`;
    const offsetLength = `CASE WHEN ends_with(${text}, 'Z') THEN 1
      WHEN length(${text}) >= 25 AND substr(${text}, -6, 1) IN ('+', '-') THEN 6 ELSE 0 END`;
    const local = `left(${text}, length(${text}) - ${offsetLength})`;
    return `CASE WHEN ${matches(text, DATE_TIME_PATTERN)}
      THEN epoch_ns(TRY_CAST(${local} AS TIMESTAMP_NS)) END`;
  },
  value: (raw, cast, column, zone) => {
    const text = `(${withColon(raw)})`;
    const isFine = column.fractionDigits === 9 ? 'true' : `${cast} % 1000000000 = 0`;
    const given = `(CASE substr(${text}, -6, 1) WHEN '-' THEN -1 ELSE 1 END) * (
      3600 * CAST(substr(${text}, -5, 2) AS INTEGER) + 60 * CAST(right(${text}, 2) AS INTEGER))`;
    const utc = `CASE WHEN ends_with(${text}, 'Z') THEN ${cast}
      WHEN length(${text}) >= 25 AND substr(${text}, -6, 1) IN ('+', '-')
      THEN ${cast} - 1000000000::BIGINT * (${given})
      ELSE ${utcOfLocalSql(zone, cast)} END`;
    return `CASE WHEN ${isFine} THEN make_timestamp_ns(${utc}) END`;
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
};

/** Splitting texts, of which few have a point, takes as long as all else. */
const INTEGER_RULE: ValueRule = {
  cast: (text) =>
    `TRY_CAST(CASE WHEN contains(${text}, '.') THEN split_part(${text}, '.', 1) ELSE ${text} END AS BIGINT)`,
  value: (text, cast) => `CASE WHEN ${matches(text, INTEGER_PATTERN)} THEN ${cast} END`,
};

/** A cast rounds, so the digits after the point are counted. */
const DECIMAL_RULE: ValueRule = {
  cast: (text, column) => `TRY_CAST(${text} AS ${sqlType(column)})`,
  value: (text, cast, column) =>
    `CASE WHEN ${matches(text, DECIMAL_PATTERN)}
       AND length(rtrim(split_part(${text}, '.', 2), '0')) <= ${decimalDigits(column).scale}
     THEN ${cast} END`,
};

/** An array in brackets, each of whose elements fits the rule of one. */
function arrayRule({ cast, value }: ValueRule): ValueRule {
  return {
    cast: (text) => {
      const trimmed = `trim(${text}, ' ')`;
      const inside = `trim(substr(${trimmed}, 2, length(${trimmed}) - 2), ' ')`;
      return `CASE WHEN length(${trimmed}) < 2 OR left(${trimmed}, 1) <> '[' OR right(${trimmed}, 1) <> ']'
         THEN NULL WHEN ${inside} = '' THEN []::VARCHAR[]
         ELSE list_transform(string_split(${inside}, ','), lambda element: trim(element, ' ')) END`;
    },
    value: (_text, texts, column, zone) => {
      const element = value('element', cast('element', column), column, zone);
      const values = `list_transform(${texts}, lambda element: ${element})`;
      return `CASE WHEN list_count(${values}) = len(${texts}) THEN ${values} END`;
    },
  };
}

const VALUE_RULES: Readonly<Record<DataType, ValueRule>> = {
  integer: INTEGER_RULE,
  number: NUMBER_RULE,
  decimal: DECIMAL_RULE,
  boolean: {
    cast: (text) => `TRY_CAST(${text} AS BOOLEAN)`,
    value: (text, cast) => `CASE WHEN ${matches(text, BOOLEAN_PATTERN)} THEN ${cast} END`,
  },
  date: {
    cast: (text) => `TRY_CAST(left(${text}, 10) AS DATE)`,
    value: (text, cast) =>
      `CASE WHEN CAST(${cast} AS VARCHAR) = left(${text}, 10)
         AND (length(${text}) = 10 OR ${matches(`substr(${text}, 11)`, MIDNIGHT_PATTERN)}) AND ${cast} BETWEEN ${DATE_RANGE}
       THEN ${cast} END`,
  },
  'date-time': DATE_TIME_RULE,
  string: {
    cast: (text) => text,
    value: (text) =>
      `CASE WHEN length(${text}) <= ${TEXT_CHARACTERS_MAX} AND NOT contains(${text}, chr(0))
       THEN ${text} END`,
  },
  'array of string': STRING_ARRAY_RULE,
  'array of integer': arrayRule(INTEGER_RULE),
  'array of number': arrayRule(NUMBER_RULE),
};

export function castSql(column: Column, text: string): string {
  return VALUE_RULES[column.dataType].cast(text, column);
}

/** `zone`: the clock of times without an offset. */
export function valueSql(column: Column, text: string, cast: string, zone: TimeZone): string {
  return VALUE_RULES[column.dataType].value(text, cast, column, zone);
}
