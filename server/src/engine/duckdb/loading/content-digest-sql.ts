/** `engine/content-digest.ts` in SQL, over the columns of a partition file. */
import type { Column, DataType } from '../../../catalog/dataset.ts';
import { quoteText } from '../sql-text.ts';
import { storedSql } from '../utc-columns.ts';

const asText = (sql: string) => `${sql}::VARCHAR`;

/** Makes the text of a cast, and the engine does so once for each value of a dictionary. */
const asJson = (sql: string) => `to_json(${sql})::VARCHAR`;

const elements = (sql: string, text: (element: string) => string) =>
  `array_to_string(list_transform(list_transform(${sql}, lambda e: ${text('e')}),
    lambda t: strlen(t) || ':' || t), '')`;

/** Partition files hold date-times as nanoseconds. */
const VALUE_TEXTS: Readonly<Record<DataType, (sql: string) => string>> = {
  string: (sql) => sql,
  integer: asJson,
  number: asJson,
  // JSON leaves out the zeros at the end of some.
  decimal: asText,
  boolean: asJson,
  date: (sql) => `trim(${asJson(sql)}, '"')`,
  'date-time': asJson,
  'array of string': (sql) => elements(sql, (element) => element),
  'array of integer': (sql) => elements(sql, asText),
  'array of number': (sql) => elements(sql, asJson),
};

type StoredColumn = Pick<Column, 'name' | 'dataType'>;

/** The MD5 of a field; 0 for null. The engine computes it once for each value of a dictionary. */
function fieldSql(column: StoredColumn): string {
  const text = VALUE_TEXTS[column.dataType](storedSql(column));
  // `coalesce` is computed for each row, but takes less where each row has another value.
  const orZero = column.dataType === 'date-time' ? 'coalesce' : 'greatest';
  return `${orZero}(md5_number(${quoteText(`${column.name}=`)} || ${text}), 0::UHUGEINT)`;
}

export const ROW_DIGEST = 'row_digest';

/** The column `ROW_DIGEST`, the digest of a row as an unsigned integer of 128 bits. */
export function rowDigestSql(columns: readonly StoredColumn[]): string {
  return `${columns.map(fieldSql).reduce((a, b) => `xor(${a}, ${b})`)} AS ${ROW_DIGEST}`;
}

/** The sums of both halves of row digests: two columns of an aggregate. */
export const DIGEST_LANES = `sum((${ROW_DIGEST} >> 64)::UBIGINT),
  sum((${ROW_DIGEST} & ${2n ** 64n - 1n}::UHUGEINT)::UBIGINT)`;
