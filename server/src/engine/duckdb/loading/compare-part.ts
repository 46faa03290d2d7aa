/** Compares a published partition with the staged rows that would replace it. */
import type { Dataset } from '../../../catalog/dataset.ts';
import { dateLosses, firstDate } from '../../date-losses.ts';
import {
  type DateRows,
  keepsAll,
  type PartComparison,
  type RemovedRows,
  SHOWN_LOSSES,
  type WrittenDate,
} from '../../engine.ts';
import { identifierColumn } from '../../indexed-columns.ts';
import { quoteName, quoteText } from '../sql-text.ts';
import { storedSql } from '../utc-columns.ts';
import { ROW_DIGEST, rowDigestSql } from './content-digest-sql.ts';
import { staysSql } from './partition-rows.ts';
import { type StageTable, selectRows, stagedDays, stagedRows } from './stage-table.ts';

/** Stands for no date, so that it compares like any other. */
const NO_DATE = "DATE 'infinity'";

/** `DATE IDENTIFIER` of those of the identifiers that have staged rows. */
async function stagedIdentifiers(
  { connection, name, dataset }: StageTable,
  dateColumn: string,
  identifiers: readonly string[],
): Promise<ReadonlySet<string>> {
  const column = identifierColumn(dataset);
  if (column === null || identifiers.length === 0) return new Set();
  const identifier = `${quoteName(column.name)}::VARCHAR`;
  const found = await selectRows(
    connection,
    `SELECT DISTINCT ${quoteName(dateColumn)}::VARCHAR || ' ' || ${identifier} FROM ${name}
     WHERE ${identifier} IN (${identifiers.map(quoteText).join(', ')})`,
  );
  return new Set(found.map(([text]) => String(text)));
}

export async function stagedDates(
  table: StageTable,
  identifiers: readonly string[],
): Promise<readonly WrittenDate[]> {
  const { dateColumn, startDate } = table.dataset;
  if (dateColumn === null) return [];
  const days = await stagedDays(table, dateColumn);
  const first = firstDate(
    [...days.keys()].filter((date) => date !== null),
    startDate ?? '',
  );
  const found = await stagedIdentifiers(table, dateColumn, identifiers);
  return [...days].flatMap(([date, rowCount]) => {
    if (date === null || date < first) return [];
    const missing = identifiers.filter((identifier) => !found.has(`${date} ${identifier}`));
    return [{ date, rowCount: Number(rowCount), missing }];
  });
}

/** A partition of a stage, and the part that it is compared with. */
interface ComparedPart {
  readonly table: StageTable;
  readonly key: string;
  /** The part's rows as SQL, see `partitionSql`. */
  readonly source: string;
}

const dateText = (sql: string) => `nullif(${sql}, ${NO_DATE})::VARCHAR`;

/** The dataset's columns of the stage, as partition files call them. */
function stagedColumns({ columns }: Dataset): string {
  return columns
    .map((column) => {
      const name = quoteName(column.name);
      return column.dataType === 'date-time' ? `epoch_ns(${name}) AS ${storedSql(column)}` : name;
    })
    .join(', ');
}

/** True if the part has every staged row, as often. `onDates` selects rows of their dates. */
async function areInPart({ table, key, source }: ComparedPart, onDates: string): Promise<boolean> {
  const { connection, dataset } = table;
  const digest = rowDigestSql(dataset.columns);
  const staged = `SELECT ${stagedColumns(dataset)} FROM ${stagedRows(table, key)}`;
  const missing = await selectRows(
    connection,
    `SELECT 1 FROM (SELECT ${digest}, 1 AS balance FROM (${staged})
       UNION ALL SELECT ${digest}, -1 FROM ${source} WHERE ${onDates})
     GROUP BY ${ROW_DIGEST} HAVING sum(balance) > 0 LIMIT 1`,
  );
  return missing.length === 0;
}

export async function compareWithRows(
  compared: ComparedPart,
  removed: RemovedRows | null,
): Promise<PartComparison> {
  const { table, key, source } = compared;
  const { connection, dataset } = table;
  const column = identifierColumn(dataset);
  const { dateColumn } = dataset;
  const date = dateColumn ? `coalesce(${quoteName(dateColumn)}, ${NO_DATE})` : NO_DATE;
  const stays = removed === null ? 'false' : staysSql(table, key, removed);
  const goneOf = (identifier: string) =>
    `SELECT ${date} AS day, ${identifier} AS identifier FROM ${source} WHERE NOT (${stays})`;
  const stagedOf = (identifier: string) =>
    `SELECT ${date} AS day, ${identifier} AS identifier FROM ${stagedRows(table, key)}`;
  const counted = await selectRows(
    connection,
    `SELECT ${dateText('day')}, (count(*) FILTER (is_gone))::BIGINT, (count(*) FILTER (NOT is_gone))::BIGINT
     FROM (SELECT day, true AS is_gone FROM (${goneOf('NULL')})
       UNION ALL SELECT day, false FROM (${stagedOf('NULL')})) GROUP BY day ORDER BY day`,
  );
  const dates = (counted as [string | null, bigint, bigint][]).map(
    ([day, before, after]): DateRows => {
      return { date: day, rowCountBefore: Number(before), rowCountAfter: Number(after) };
    },
  );
  const counts = dateLosses(dates);
  const mayRepeat = keepsAll(removed) || counts.removedRowCount === counts.rowCount;
  const onDates = `${date} IN (SELECT day FROM (${stagedOf('NULL')}))`;
  const isRepeated = mayRepeat && (await areInPart(compared, onDates));
  const losses = { ...counts, isRepeated };
  if (!column) return { ...losses, lostIdentifierCount: 0, lostIdentifiers: [], lostOnDate: null };
  const lost = (await selectRows(
    connection,
    `SELECT identifier::VARCHAR, (count(*) OVER ())::BIGINT, ${dateText('min(day)')} FROM (
       SELECT DISTINCT * FROM (${goneOf(storedSql(column))})
       WHERE day IN (SELECT day FROM (${stagedOf('NULL')}))
       EXCEPT ${stagedOf(quoteName(column.name))})
     WHERE identifier IS NOT NULL GROUP BY identifier ORDER BY identifier LIMIT ${SHOWN_LOSSES}`,
  )) as [string, bigint, string | null][];
  return {
    ...losses,
    lostIdentifierCount: Number(lost[0]?.[1] ?? 0n),
    lostIdentifiers: lost.map(([identifier]) => identifier),
    lostOnDate: lost[0]?.[2] ?? null,
  };
}
