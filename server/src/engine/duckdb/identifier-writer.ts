/** Writes the identifier order of a partition: its rows once more, by the column of the definition. */
import { mkdir } from 'node:fs/promises';
import type { DuckDBConnection } from '@duckdb/node-api';
import { synchronizeFile, synchronizeFolder } from '../../base/synchronize.ts';
import type { Column, Dataset } from '../../catalog/dataset.ts';
import { indexedColumns } from '../indexed-columns.ts';
import type { RowGroup } from '../part.ts';
import {
  IDENTIFIER_FILE_ROWS,
  IDENTIFIER_ROW_GROUP_ROWS,
  identifierFile,
  identifierFolder,
  NATURAL_ROW,
} from './identifier-files.ts';
import { lakeFileOptions } from './lake-file.ts';
import { boundsOf, boundsSql, rowGroupNumber, type StoredGroup } from './row-group-sql.ts';
import { quoteName, quoteText } from './sql-text.ts';
import { storedSql } from './utc-columns.ts';

const TABLE = 'by_identifier';

/** Brings the rows of the partition's file into their order; resolves with how many they are. */
async function sortRows(
  connection: DuckDBConnection,
  dataset: Dataset,
  column: string,
  file: string,
): Promise<number> {
  const columns = dataset.columns.map(storedSql).join(', ');
  await connection.run(
    `CREATE OR REPLACE TEMP TABLE ${TABLE} AS
     SELECT ${columns}, file_row_number AS ${NATURAL_ROW}
     FROM read_parquet(${quoteText(file)}, file_row_number = true)
     ORDER BY ${quoteName(column)} ASC NULLS LAST, ${NATURAL_ROW} ASC`,
  );
  const reader = await connection.runAndReadAll(`SELECT count(*) FROM ${TABLE}`);
  return Number(reader.getRows()[0]?.[0]);
}

async function writeFiles(
  connection: DuckDBConnection,
  dataset: Dataset,
  folder: string,
  rowCount: number,
): Promise<string[]> {
  const files: string[] = [];
  for (let first = 0; first < rowCount; first += IDENTIFIER_FILE_ROWS) {
    const file = identifierFile(folder, files.length);
    await connection.run(
      `COPY (SELECT * FROM ${TABLE} WHERE rowid >= ${first} AND rowid < ${first + IDENTIFIER_FILE_ROWS})
       TO ${quoteText(file)} (FORMAT parquet, COMPRESSION lz4_raw, USE_TMP_FILE false,
       ROW_GROUP_SIZE ${IDENTIFIER_ROW_GROUP_ROWS}, ${lakeFileOptions(dataset)})`,
    );
    synchronizeFile(file);
    files.push(file);
  }
  synchronizeFolder(folder);
  return files;
}

async function readGroups(
  connection: DuckDBConnection,
  files: readonly string[],
): Promise<StoredGroup[]> {
  const reader = await connection.runAndReadAll(
    `SELECT any_value(row_group_num_rows), sum(total_compressed_size)::BIGINT
     FROM parquet_metadata([${files.map(quoteText).join(', ')}])
     GROUP BY file_name, row_group_id ORDER BY file_name, row_group_id`,
  );
  let endRow = 0;
  return reader.getRows().map(([rows, bytes]) => {
    const rowCount = Number(rows);
    endRow += rowCount;
    return { rowCount, byteCount: Number(bytes), endRow };
  });
}

/** SQL for the number of the row group of a row of the table: mostly all but the last are of one size. */
function groupSql(groups: readonly StoredGroup[]): string {
  const isRegular = groups.every(
    ({ endRow, rowCount }, g) =>
      endRow - rowCount === g * IDENTIFIER_ROW_GROUP_ROWS && rowCount <= IDENTIFIER_ROW_GROUP_ROWS,
  );
  return isRegular ? `rowid // ${IDENTIFIER_ROW_GROUP_ROWS}` : rowGroupNumber(groups, 'rowid');
}

async function readBounds(
  connection: DuckDBConnection,
  dataset: Dataset,
  groups: readonly StoredGroup[],
): Promise<RowGroup[]> {
  const columns = indexedColumns(dataset).map((name) => dataset.columnByName.get(name) as Column);
  const reader = await connection.runAndReadAll(
    `SELECT ${[`${groupSql(groups)} AS row_group`, ...columns.map(boundsSql)].join(', ')}
     FROM ${TABLE} GROUP BY row_group ORDER BY row_group`,
  );
  const values = reader.getRows();
  return groups.map(({ rowCount, byteCount }, g) => {
    return { rowCount, byteCount, bounds: boundsOf(columns, values[g]?.slice(1) ?? []) };
  });
}

/**
 * Writes the rows of a partition's file into the folder that belongs to it, and tells of its row groups;
 * null where the dataset is stored once only. They are on disk when this resolves.
 */
export async function writeIdentifierOrder(
  connection: DuckDBConnection,
  dataset: Dataset,
  file: string,
): Promise<RowGroup[] | null> {
  if (dataset.alsoStoredBy === null) return null;
  const folder = identifierFolder(file);
  await mkdir(folder);
  try {
    const rowCount = await sortRows(connection, dataset, dataset.alsoStoredBy, file);
    const files = await writeFiles(connection, dataset, folder, rowCount);
    if (files.length === 0) return [];
    const groups = await readGroups(connection, files);
    return await readBounds(connection, dataset, groups);
  } finally {
    await connection.run(`DROP TABLE IF EXISTS ${TABLE}`);
  }
}
