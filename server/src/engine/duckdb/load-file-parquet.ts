/**
 * Loads a Parquet file into a stage's table. Its values pass as their exact text through the same
 * rules as those of a CSV file, so that a value means the same in both. A time without a zone is
 * local time of the market; one that the file marks as UTC is that instant, and so is any time in a
 * partition file of a lake.
 */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { DuckDBConnection } from '@duckdb/node-api';
import { UsageError } from '../../base/errors.ts';
import { atPath, failureReason } from '../../base/failure-text.ts';
import { typeText } from '../../catalog/column-types.ts';
import type { Column, DataType } from '../../catalog/dataset.ts';
import { columnsOfFields, fieldsOfHeader } from '../../catalog/header-columns.ts';
import { type ParquetReport, type ParquetSource, SHOWN_BAD_VALUES } from '../file-loading.ts';
import { bringFile } from './bring-file.ts';
import { isLakeFile } from './lake-file.ts';
import { copyWithWholeNanos, int96TextSql } from './load-file-nanos.ts';
import { insertTextRows } from './load-file-rows.ts';
import type { LoadTarget } from './load-records.ts';
import { quoteName, quoteText } from './sql-text.ts';
import { isTwin } from './utc-columns.ts';

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

interface StagedNames {
  readonly source: string;
  readonly unmarked: string;
}

async function readColumns(connection: DuckDBConnection, file: string): Promise<SourceColumn[]> {
  const described = await connection.runAndReadAll(
    `DESCRIBE SELECT * FROM read_parquet(${quoteText(file)})`,
  );
  const namesWhere = async (condition: string) => {
    const sql = `SELECT name FROM parquet_schema(${quoteText(file)}) WHERE ${condition}`;
    return new Set((await connection.runAndReadAll(sql)).getRows().map(([name]) => `${name}`));
  };
  const utcNanos = await namesWhere(
    "logical_type LIKE 'TimestampType(isAdjustedToUTC=1,%NANOS=Nano%'",
  );
  const int96 = await namesWhere("type = 'INT96'");
  const isOfLake = await isLakeFile(connection, file);
  const columns = described.getRows().map(([name, type]) => ({
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

async function rowCountOf(connection: DuckDBConnection, file: string): Promise<number> {
  const reader = await connection.runAndReadAll(
    `SELECT count(*) FROM read_parquet(${quoteText(file)})`,
  );
  return Number(reader.getRows()[0]?.[0]);
}

async function loadLinked(
  { table, dataset }: LoadTarget,
  { path, displayName, header }: ParquetSource,
  { source, unmarked }: StagedNames,
): Promise<ParquetReport> {
  const { connection } = table;
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
  const recordCount = await rowCountOf(connection, source);
  const rows = { sql, columns, recordCount, areFew: false };
  const report = await insertTextRows(table, dataset, rows, SHOWN_BAD_VALUES);
  const { badFields, badRecordNumbers: badRowNumbers, ...counts } = report;
  const badValues = badFields.map(({ recordNumber: line, ...bad }) => {
    return { file: displayName, line, ...bad };
  });
  return { ...counts, badValues, badRowNumbers };
}

/** Names are given once: what the engine knows of one file it must not take for the next. */
let fileCount = 0;

function reasonOf(error: unknown, name: string): string {
  return (error as Error).message.replaceAll(name, 'the file').split('\n')[0] as string;
}

export async function loadParquet(
  target: LoadTarget,
  source: ParquetSource,
): Promise<ParquetReport> {
  fileCount += 1;
  const name = join(target.directory, `source-${fileCount}`);
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
