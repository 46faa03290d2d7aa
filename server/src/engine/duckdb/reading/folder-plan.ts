/** A plan whose parts are files: their locations are paths below the root of all of them. */
import type { Column, Dataset } from '../../../catalog/dataset.ts';
import type { Part } from '../../part.ts';
import type { QueryPlan } from '../../query-plan.ts';
import { isComparing } from '../../row-changes.ts';
import { readFrom } from '../../sample.ts';
import { type Reading, readingsOf } from '../../stored-columns.ts';
import { readType } from '../loading/stage-table.ts';
import type { HeldParts } from '../objects/part-cache.ts';
import { identifierFile, identifierFileNumbers, identifierFolder } from '../part-files.ts';
import { quoteText } from '../sql-text.ts';
import { storedSql } from '../utc-columns.ts';

export interface FolderPlan extends QueryPlan {
  /** That of `PartFiles`. */
  readonly root: string;
  /** Parts that the engine reads from another root. */
  readonly cached?: Pick<HeldParts, 'root' | 'locations'>;
  /** True: all rows of the parts have passed the conditions. */
  readonly isFound?: boolean;
}

/** The name of a part's file. */
export function fileOf(
  { root, cached }: Pick<FolderPlan, 'root' | 'cached'>,
  { location }: Part,
): string {
  return `${cached?.locations.has(location) ? cached.root : root}/${location}`;
}

/** The names of the files that a plan reads, each with the number of its part. */
export function readFilesOf(plan: FolderPlan): { readonly file: string; readonly part: number }[] {
  return plan.parts.flatMap((each, part) => {
    const file = fileOf(plan, each);
    if (!plan.identifierRows) return { file, part };
    const folder = identifierFolder(file);
    const numbers = identifierFileNumbers(plan.identifierRows[part] ?? []);
    return numbers.map((number) => ({ file: identifierFile(folder, number), part }));
  });
}

export function filesOf(plan: FolderPlan): string[] {
  return readFilesOf(plan).map(({ file }) => file);
}

/** The files of the earlier state that a plan compares with. */
export function comparedFilesOf(plan: FolderPlan): string[] {
  return (plan.comparedParts ?? []).map((part) => fileOf(plan, part));
}

/**
 * The SQL of files that were written by an earlier definition of their dataset: columns that they
 * lack are null, and values of narrower types are cast. Files that hold the plan's columns as they
 * are now are read as ever.
 */

/** The columns that a plan looks at; all of them where rows are compared as a whole. */
function columnsRead(plan: QueryPlan, others: readonly Column[]): readonly Column[] {
  if (isComparing(plan)) return plan.dataset.columns;
  const columns = [
    ...plan.columns,
    ...others,
    ...plan.sort.map(({ column }) => column),
    ...plan.predicates.flatMap(({ column }) => readFrom(column)),
    ...plan.grants.flatMap(({ window, universe }) => [
      ...(window ? [window.column] : []),
      ...(universe ?? []).map(({ column }) => column),
    ]),
  ];
  return [...new Map(columns.map((column) => [column.name, column])).values()];
}

/** A value that is not as the dataset has it now. */
function convertedColumn({ column, stored }: Reading): string {
  return `CAST(${stored ? storedSql(stored) : 'NULL'} AS ${readType(column)})`;
}

function columnsSql(columns: readonly Column[], readings: readonly Reading[]): string {
  const byName = new Map(readings.map((reading) => [reading.column.name, reading]));
  const values = columns.map((column) => {
    const reading = byName.get(column.name);
    const stored = storedSql(column);
    return `${reading ? convertedColumn(reading) : stored} AS ${stored}`;
  });
  return values.join(', ');
}

interface Conversions {
  readonly columns: readonly Column[];
  /** Only files that need conversions. */
  readonly ofFile: ReadonlyMap<string, readonly Reading[]>;
}

/**
 * Parts one after the other mostly share what they store, so that few of them have to be looked at.
 */
function areAsDefined(parts: readonly Part[], dataset: Dataset): boolean {
  let last: Part['storedColumns'];
  for (const part of parts) {
    if (part.storedColumns === last) continue;
    last = part.storedColumns;
    if (readingsOf(part, dataset).length > 0) return false;
  }
  return true;
}

/** Null where all files of the plan hold its columns as they are now. */
function conversionsOf(plan: FolderPlan, others: readonly Column[]): Conversions | null {
  const { dataset, comparedParts = [] } = plan;
  const all = [plan.parts, comparedParts];
  if (all.every((parts) => areAsDefined(parts, dataset))) return null;
  const columns = columnsRead(plan, others);
  const names = new Set(columns.map(({ name }) => name));
  const ofFile = new Map<string, readonly Reading[]>();
  for (const part of all.flat()) {
    const needed = readingsOf(part, dataset).filter(({ column }) => names.has(column.name));
    if (needed.length > 0) ofFile.set(fileOf(plan, part), needed);
  }
  return ofFile.size > 0 ? { columns, ofFile } : null;
}

interface Run {
  /** Number of its first file. */
  readonly first: number;
  readonly files: string[];
  /** SQL of the columns, the same for each of its files. */
  readonly columns: string;
}

/** Files in a row that are read alike. */
function runsOf({ columns, ofFile }: Conversions, files: readonly string[]): Run[] {
  const runs: Run[] = [];
  const known = new Map<readonly Reading[], string>();
  for (const [first, file] of files.entries()) {
    const readings = ofFile.get(file) ?? [];
    const sql = known.getOrInsertComputed(readings, () => columnsSql(columns, readings));
    const last = runs.at(-1);
    if (last?.columns === sql) last.files.push(file);
    else runs.push({ first, files: [file], columns: sql });
  }
  return runs;
}

/**
 * The SQL of rows of files, in their order, with the number of the file and of the row in it, as
 * `source` has them; null where it can read all of them as they are.
 */
export function convertedSql(
  plan: FolderPlan,
  files: readonly string[],
  source: (files: readonly string[]) => string,
  others: readonly Column[],
): string | null {
  const conversions = conversionsOf(plan, others);
  if (!conversions || !files.some((file) => conversions.ofFile.has(file))) return null;
  const selects = runsOf(conversions, files).map((run) => {
    const places = `(file_index + ${run.first})::UBIGINT AS file_index, file_row_number`;
    const columns = run.columns === '' ? places : `${run.columns}, ${places}`;
    return `SELECT ${columns} FROM ${source(run.files)}`;
  });
  return `(${selects.join('\nUNION ALL ')})`;
}

/** The rows of one partition file as the dataset has them now, as SQL, with `file_row_number`. */
export function partitionSql(
  file: string,
  part: Pick<Part, 'storedColumns'>,
  dataset: Dataset,
): string {
  const rows = `read_parquet(${quoteText(file)}, file_row_number = true)`;
  const readings = readingsOf(part, dataset);
  if (readings.length === 0) return rows;
  return `(SELECT ${columnsSql(dataset.columns, readings)}, file_row_number FROM ${rows})`;
}
