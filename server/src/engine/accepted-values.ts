/** The forms of text that a column accepts as a value, and how it is said what they are. Pure. */
import { isQuantityColumn } from '@ticklake/market/quantity.ts';
import { nightSeconds } from '@ticklake/market/sessions.ts';
import { decimalDigits } from '../catalog/column-types.ts';
import type { Column, Dataset, DataType } from '../catalog/dataset.ts';
import { isSkippedLocalTime } from '../time/market-time.ts';
import { IDENTIFIER_TEXT } from './identifier-text.ts';

export const TEXT_CHARACTERS_MAX = 65_536;

const CLOCK = '([01][0-9]|2[0-3]):[0-5][0-9]';

/** As RE2 and JavaScript read them alike; each is the form of a whole text. */
/** With zeros behind a point, as writers without nullable integers have them. */
export const INTEGER_PATTERN = '[+-]?[0-9]+(\\.0+)?';
export const DECIMAL_PATTERN = '[+-]?([0-9]+\\.?[0-9]*|\\.[0-9]+)';
/** In any case of letters, as data frames and spreadsheets write it. */
export const BOOLEAN_PATTERN = '[Tt]rue|TRUE|[Ff]alse|FALSE';
export const NUMBER_PATTERN = `${DECIMAL_PATTERN}([eE][+-]?[0-9]+)?`;
export const LOCAL_TIME_PATTERN = `(19|20|21)[0-9]{2}-[0-9]{2}-[0-9]{2}[T ]${CLOCK}:[0-5][0-9](\\.[0-9]{1,9})?`;
export const DATE_TIME_PATTERN = `${LOCAL_TIME_PATTERN}(Z|[+-]([01][0-9]|2[0-3]):?[0-5][0-9])?`;
/** A midnight after a date, from writers that have no dates. */
export const MIDNIGHT_PATTERN = '[T ]00:00:00(\\.0{1,9})?';

export const FIRST_DATE = '1900-01-01';
export const LAST_DATE = '2199-12-31';

/** A plain decimal of this many characters has at most 15 digits, which are always kept exactly. */
export const EXACT_DECIMAL_CHARACTERS = 15;

function isWhole(text: string, pattern: string): boolean {
  return new RegExp(`^(?:${pattern})$`).test(text);
}

type Source = Pick<Dataset, 'textId' | 'fileTimeZone'>;
type Accepted = (text: string, column: Column, dataset: Source) => string;

const ACCEPTED: Readonly<Record<DataType, Accepted>> = {
  integer: (text, { name }, { textId }) => {
    if (isWhole(text, INTEGER_PATTERN)) return 'an integer within 64 bits';
    if (!isWhole(text, DECIMAL_PATTERN)) return 'an integer such as 100';
    return isQuantityColumn(name)
      ? `an integer such as 100; for fractional sizes, first run ticklake dataset widen ${textId}`
      : 'an integer such as 100; fractions need a definition that makes the column a decimal';
  },
  number: (text) =>
    isWhole(text, NUMBER_PATTERN)
      ? 'a number with few enough digits to be stored exactly (15 always are)'
      : 'a decimal number such as 12.5',
  decimal: (_text, column) => {
    const { precision, scale } = decimalDigits(column);
    return `a decimal number such as 12.5, without exponent, of at most ${precision - scale} digits before the point and ${scale} after it`;
  },
  boolean: () => 'true or false',
  date: () => 'a date YYYY-MM-DD that exists, from 1900 to 2199',
  'date-time': (text, { fractionDigits }, { fileTimeZone: zone }) => {
    if (fractionDigits === 0 && /\.\d*[1-9]/.test(text)) return 'a time in whole seconds';
    if (isWhole(text, DATE_TIME_PATTERN) && isSkippedLocalTime(zone, text)) {
      return `a time that exists in ${zone}; clocks skip this one when they are put forward`;
    }
    return 'a time YYYY-MM-DDTHH:MM:SS[.fraction][Z or +HH:MM] from 1900 to 2199';
  },
  string: () => `text of at most ${TEXT_CHARACTERS_MAX} characters, without NUL`,
  'array of string': () => 'a JSON array of strings such as ["a","b"]',
  'array of integer': () => 'an array of integers within 64 bits such as [1,2]',
  'array of number': () => 'an array of numbers that can be stored exactly such as [1.5,2]',
};

/** The values that the column accepts, as the reason why `text` (null: no value) is bad. */
export function acceptedByColumn(column: Column, dataset: Source, text: string | null): string {
  if (text === null) return 'a value (the column may not be empty)';
  const accepted = ACCEPTED[column.dataType](text, column, dataset);
  return text === '' ? `${accepted}; leave out the quotes for null` : accepted;
}

/** The times that lie on the date of their row or in its night; `date` is the row's, as text. */
export function acceptedOnDate(
  { dateColumn, timeZone, sessions }: Dataset,
  date: string | null,
): string {
  const night =
    nightSeconds(sessions) > 0 ? ` or from ${sessions[0]?.start} on the day before,` : '';
  return `a time on ${date}, the row's ${dateColumn},${night} in ${timeZone}`;
}

/** The texts that may be identifiers. */
export function acceptedIdentifier(text: string | null): string {
  return text === '' ? 'an identifier; leave out the quotes for null' : IDENTIFIER_TEXT;
}
