/** `engine/content-digest.ts` in SQL, over the columns of a partition file. */
import type { Column, DataType } from '../../catalog/dataset.ts';
import { inDigestOrder, ROW_SEPARATOR_CODE } from '../content-digest.ts';
import { quoteText } from './sql-text.ts';
import { storedSql } from './utc-columns.ts';

const asText = (sql: string) => `${sql}::VARCHAR`;
const elements = (sql: string) =>
  `array_to_string(list_transform(${sql}, lambda e: strlen(e) || ':' || e), '')`;

const textElements = (sql: string) => elements(`${sql}::VARCHAR[]`);

/** Partition files hold date-times as nanoseconds, and numbers print as Python's do. */
const VALUE_TEXTS: Readonly<Record<DataType, (sql: string) => string>> = {
  string: (sql) => sql,
  integer: asText,
  number: asText,
  decimal: asText,
  boolean: asText,
  date: asText,
  'date-time': asText,
  'array of string': elements,
  'array of integer': textElements,
  'array of number': textElements,
};

type StoredColumn = Pick<Column, 'name' | 'dataType'>;

function fieldSql(column: StoredColumn): string {
  const text = VALUE_TEXTS[column.dataType](storedSql(column));
  // Null as a whole where the value is null, which leaves the field out.
  return `${quoteText(`${column.name}=`)} || ${text}`;
}

/** The digest of a row, an unsigned integer of 128 bits. */
export function rowDigestSql(columns: readonly StoredColumn[]): string {
  const fields = inDigestOrder(columns).map(fieldSql);
  return `md5_number(concat_ws(chr(${ROW_SEPARATOR_CODE}), ${fields.join(', ')}))::UHUGEINT`;
}

/** The sums of both halves of row digests: two columns of an aggregate. */
export function digestLanesSql(rowDigest: string): string {
  const lower = `(${rowDigest} & ${2n ** 64n - 1n}::UHUGEINT)::UBIGINT`;
  return `sum((${rowDigest} >> 64)::UBIGINT), sum(${lower})`;
}
