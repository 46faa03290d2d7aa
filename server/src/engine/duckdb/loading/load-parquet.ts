/**
 * Loads a Parquet file into a stage's table. Its values pass as their exact text through the same
 * rules as those of a CSV file, so that a value means the same in both. A time without a zone is
 * local time of the market; one that the file marks as UTC is that instant, and so is any time in a
 * partition file of a lake.
 */

import { constants } from 'node:fs';
import { copyFile, rm } from 'node:fs/promises';
import type { DuckDBConnection } from '@duckdb/node-api';
import { UsageError } from '../../../base/errors.ts';
import { atPath, failureReason } from '../../../base/failure-text.ts';
import { typeText } from '../../../catalog/column-types.ts';
import type { Column, DataType } from '../../../catalog/dataset.ts';
import { columnsOfFields, fieldsOfHeader } from '../../../catalog/header-columns.ts';
import { type ParquetReport, type ParquetSource, SHOWN_BAD_VALUES } from '../../file-loading.ts';
import { bringFile } from '../folder-files.ts';
import {
  CHUNK,
  CHUNK_METADATA,
  ELEMENT,
  editFooter,
  FILE,
  listWith,
  PHYSICAL,
  ROW_GROUP,
  structOf,
  structsOf,
  utcMark,
  withUtcMark,
} from '../parquet/footer.ts';
import {
  int32,
  numberOf,
  type ThriftScalar,
  type ThriftStruct,
  type ThriftValue,
  withFields,
} from '../parquet/thrift.ts';
import { quoteName, quoteText } from '../sql-text.ts';
import { isTwin } from '../utc-columns.ts';
import { isLakeFile } from './lake-file.ts';
import { type LoadTarget, newPath } from './load-records.ts';
import { insertTextRows } from './load-rows.ts';
import { selectRows } from './stage-table.ts';

/**
 * Parquet files whose nanoseconds the engine would cut are read from a copy that calls them
 * something else. Nanoseconds that are marked as UTC it reads as microseconds, unmarked ones whole,
 * so the mark is taken off. Times of 96 bits it reads as microseconds, too; as strings of 12 bytes,
 * it leaves them whole.
 */

const INT96_BYTES = 12;
/** The Julian day of 1970-01-01; days far from it have no nanoseconds in 64 bits. */
const EPOCH_DAY = 2_440_588;
const DAYS_MAX = 100_000;
const DAY_NANOS = 86_400_000_000_000n;

function isInt96(type: ThriftValue | undefined): boolean {
  return type !== undefined && numberOf(type as ThriftScalar) === PHYSICAL.int96;
}

function wholeElement(element: ThriftStruct): ThriftStruct {
  if (utcMark(element)) return withUtcMark(element, false);
  if (!isInt96(element.fields.get(ELEMENT.type))) return element;
  return withFields(element, {
    [ELEMENT.type]: int32(PHYSICAL.fixedLengthByteArray),
    [ELEMENT.typeLength]: int32(INT96_BYTES),
    [ELEMENT.convertedType]: undefined,
    [ELEMENT.logicalType]: undefined,
  });
}

function wholeChunk(chunk: ThriftStruct): ThriftStruct {
  const metadata = structOf(chunk.fields.get(CHUNK.metadata));
  if (!metadata || !isInt96(metadata.fields.get(CHUNK_METADATA.type))) return chunk;
  const whole = withFields(metadata, {
    [CHUNK_METADATA.type]: int32(PHYSICAL.fixedLengthByteArray),
    [CHUNK_METADATA.statistics]: undefined,
  });
  return withFields(chunk, { [CHUNK.metadata]: whole });
}

/** The struct with each element of a list changed. */
function withEach(
  struct: ThriftStruct,
  field: number,
  change: (element: ThriftStruct) => ThriftStruct,
): ThriftStruct {
  const elements = structsOf(struct, field).map(change);
  return elements.length === 0
    ? struct
    : withFields(struct, { [field]: listWith(struct, field, elements) });
}

function wholeNanos(footer: ThriftStruct): ThriftStruct {
  const schema = withEach(footer, FILE.schema, wholeElement);
  return withEach(schema, FILE.rowGroups, (group) =>
    withEach(group, ROW_GROUP.columns, wholeChunk),
  );
}

/** Copies a Parquet file to `target`, in which the engine reads all nanoseconds. */
async function copyWithWholeNanos(source: string, target: string): Promise<void> {
  await copyFile(source, target, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
  editFooter(target, wholeNanos);
}

/** SQL for an integer of some of the bytes of a string, the lowest first. */
function integerSql(value: string, first: number, count: number): string {
  const digits = Array.from({ length: count }, (_, i) => {
    return `substr(hex(${value}), ${2 * (first + count - 1 - i) + 1}, 2)`;
  });
  return `CAST('0x' || ${digits.join(' || ')} AS BIGINT)`;
}

/**
 * SQL for the text of a time of 96 bits in the copy: the nanoseconds of its day, then its Julian
 * day.
 */
function int96TextSql(value: string): string {
  const nanos = integerSql(value, 0, 8);
  const day = `(${integerSql(value, 8, 4)} - ${EPOCH_DAY})`;
  return `CASE WHEN abs(${day}) <= ${DAYS_MAX} AND ${nanos} < ${DAY_NANOS}
    THEN CAST(make_timestamp_ns(${day} * ${DAY_NANOS} + ${nanos}) AS VARCHAR) ELSE CAST(${value} AS VARCHAR) END`;
}

interface SourceColumn {
  readonly name: string;
  /** As the engine calls it. */
  readonly type: string;
  /** Nanoseconds that the file marks as UTC. */
  readonly isMarkedNanos: boolean;
  /** Times of 96 bits, as Spark and Impala have long written them; nothing marks them as UTC. */
  readonly isInt96: boolean;
  /** Times in UTC that the engine reads as if they were local. */
  readonly isUnmarkedUtc: boolean;
}

const INTEGERS = 'U?(?:TINYINT|SMALLINT|INTEGER|BIGINT|HUGEINT)';
const DECIMALS = 'DECIMAL\\(.*\\)';
const FLOATS = 'FLOAT|DOUBLE';
const LOCAL_TIMES = 'TIMESTAMP(?:_S|_MS|_NS)?';
const UTC_TIME = 'TIMESTAMP WITH TIME ZONE';

/** The types of the source that a column takes; the values still have to fit, one by one. */
const FITTING_TYPES: Readonly<Record<DataType, RegExp>> = {
  string: /^VARCHAR$/,
  integer: new RegExp(`^(VARCHAR|${INTEGERS}|${DECIMALS}|${FLOATS})$`),
  number: new RegExp(`^(VARCHAR|${INTEGERS}|${DECIMALS}|${FLOATS})$`),
  decimal: new RegExp(`^(VARCHAR|${INTEGERS}|${DECIMALS}|${FLOATS})$`),
  boolean: /^(VARCHAR|BOOLEAN)$/,
  date: new RegExp(`^(VARCHAR|DATE|${LOCAL_TIMES})$`),
  'date-time': new RegExp(`^(VARCHAR|${LOCAL_TIMES}|${UTC_TIME})$`),
  'array of string': /^(VARCHAR|VARCHAR\[\])$/,
  'array of integer': new RegExp(`^(VARCHAR|(${INTEGERS})\\[\\])$`),
  'array of number': new RegExp(`^(VARCHAR|(${INTEGERS}|${DECIMALS}|${FLOATS})\\[\\])$`),
};

/** SQL for the exact text of a source value. */
function textSql({ name, type, ...source }: SourceColumn): string {
  const value = quoteName(name);
  const text = `CAST(${value} AS VARCHAR)`;
  if (type === 'VARCHAR[]') return `CAST(to_json(${value}) AS VARCHAR)`;
  if (type.endsWith('[]')) {
    const items = `list_transform(CAST(${value} AS VARCHAR[]), lambda item: coalesce(item, 'null'))`;
    return `'[' || array_to_string(${items}, ',') || ']'`;
  }
  // The copy that marked nanoseconds are read from calls them local.
  if (source.isMarkedNanos || source.isUnmarkedUtc) return `${text} || 'Z'`;
  if (type === UTC_TIME) return `CAST(make_timestamp(epoch_us(${value})) AS VARCHAR) || 'Z'`;
  return source.isInt96 ? int96TextSql(value) : text;
}

async function readColumns(connection: DuckDBConnection, file: string): Promise<SourceColumn[]> {
  const describing = `DESCRIBE SELECT * FROM read_parquet(${quoteText(file)})`;
  const described = await selectRows(connection, describing);
  const namesWhere = async (condition: string) => {
    const sql = `SELECT name FROM parquet_schema(${quoteText(file)}) WHERE ${condition}`;
    return new Set((await selectRows(connection, sql)).map(([name]) => `${name}`));
  };
  const utcNanos = await namesWhere(
    "logical_type LIKE 'TimestampType(isAdjustedToUTC=1,%NANOS=Nano%'",
  );
  const int96 = await namesWhere("type = 'INT96'");
  const isOfLake = await isLakeFile(connection, file);
  const columns = described.map(([name, type]) => ({
    name: `${name}`,
    type: `${type}`,
    isMarkedNanos: utcNanos.has(`${name}`),
    isInt96: int96.has(`${name}`),
    isUnmarkedUtc: isOfLake && type === 'TIMESTAMP_NS',
  }));
  const names = columns.map(({ name }) => name);
  return columns.filter(({ name }) => !(isOfLake && isTwin(name, names)));
}

function checkTypes(columns: readonly Column[], sources: readonly SourceColumn[]): void {
  columns.forEach((column, c) => {
    const { name, dataType } = column;
    const { type } = sources[c] as SourceColumn;
    if (FITTING_TYPES[dataType].test(type)) return;
    throw new UsageError(
      `the column ${name} holds ${type}, which cannot be loaded as ${typeText(column)}`,
    );
  });
}

async function loadLinked(
  { table }: LoadTarget,
  { path, displayName, header }: ParquetSource,
  { source, unmarked }: { readonly source: string; readonly unmarked: string },
): Promise<ParquetReport> {
  const { connection, dataset } = table;
  await bringFile(path, source);
  const found = await readColumns(connection, source);
  const names = found.map(({ name }) => name);
  const fields = fieldsOfHeader(dataset, names, header);
  const sources = found.filter((_, f) => fields[f] !== null);
  const columns = columnsOfFields(fields);
  checkTypes(columns, sources);
  const losesNanos = sources.some(({ isMarkedNanos, isInt96 }) => isMarkedNanos || isInt96);
  if (losesNanos) await copyWithWholeNanos(path, unmarked);
  const texts = columns.map((_, c) => {
    return `${textSql(sources[c] as SourceColumn)} AS text${c}`;
  });
  const sql = `SELECT file_row_number + 1 AS number, ${texts.join(', ')}
    FROM read_parquet(${quoteText(losesNanos ? unmarked : source)}, file_row_number = true)`;
  const counting = `SELECT count(*) FROM read_parquet(${quoteText(source)})`;
  const [[recordCount] = []] = await selectRows(connection, counting);
  const count = Number(recordCount);
  const rows = { sql, columns, reading: null, recordCount: count, areFew: false };
  const report = await insertTextRows(table, rows, SHOWN_BAD_VALUES);
  const { badFields, badRecordNumbers: badRowNumbers, ...counts } = report;
  const badValues = badFields.map(({ recordNumber: line, ...bad }) => {
    return { file: displayName, line, ...bad };
  });
  return { ...counts, badValues, badRowNumbers };
}

function reasonOf(error: unknown, name: string): string {
  return (error as Error).message.replaceAll(name, 'the file').split('\n')[0] as string;
}

export async function loadParquet(
  target: LoadTarget,
  source: ParquetSource,
): Promise<ParquetReport> {
  const name = newPath(target, 'source');
  const names = { source: `${name}.parquet`, unmarked: `${name}-unmarked.parquet` };
  try {
    return await loadLinked(target, source, names);
  } catch (error) {
    if (failureReason(error) !== null) {
      const isOfFile = (error as Error).message.includes(name);
      throw isOfFile ? atPath(source.path, error) : error;
    }
    const fault =
      error instanceof UsageError
        ? error.message
        : `cannot be read as Parquet: ${reasonOf(error, name)}`;
    throw new UsageError(`${source.displayName}: ${fault}`);
  } finally {
    for (const file of Object.values(names)) await rm(file, { force: true });
  }
}
