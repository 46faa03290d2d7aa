/**
 * Pages as Parquet files. In natural order, row groups all of whose rows belong to the page are
 * copied as they are stored, and the rows of others are written to temporary files; in any other
 * order all rows are.
 */
import { StoredBytes, type Stretch } from '../../../base/stored-bytes.ts';
import type { Column } from '../../../catalog/dataset.ts';
import { arrowSchema } from '../../../formats/arrow/fields.ts';
import { labelsOf } from '../../../response/page.ts';
import type { ColumnBatch } from '../../columns.ts';
import type { ParquetFile } from '../../engine.ts';
import { type FileColumn, fileColumnsOf, type TimeForm } from '../../file-columns.ts';
import type { QueryPlan } from '../../query-plan.ts';
import { isComparing } from '../../row-changes.ts';
import type { PartFiles } from '../part-files.ts';
import { compileChangedPage } from '../reading/compile-changes.ts';
import { type CompiledQuery, compileCount, compileSortedPage } from '../reading/compile-query.ts';
import type { FolderPlan } from '../reading/folder-plan.ts';
import { compileFirstRows, type MadeTables } from '../reading/made-rows.ts';
import type { QueryConnections } from '../reading/query-connections.ts';
import { quoteName } from '../sql-text.ts';
import { storedName } from '../utc-columns.ts';
import { assembleFile, type GivenRowGroup } from './assembly.ts';
import { type Cut, type CutQuery, Cuts, TemporaryFiles } from './cuts.ts';
import { groupVerdict } from './group-verdict.ts';
import { compileCut, GroupCounts, type Piece, piecesOf } from './pieces.ts';
import { PlacedGroups, wantedGroups } from './placed-groups.ts';

/** Times come as nanoseconds, and division cuts towards zero. */
function valueSql(
  { name, from = name, isMicros }: FileColumn,
  columns: ReadonlyMap<string, Column>,
): string {
  const column = columns.get(from);
  if (!column) throw new Error(`there is no column ${from}`);
  const value = quoteName(storedName(column));
  return isMicros ? `((${value} - (${value} % 1000 + 1000) % 1000) // 1000)` : value;
}

/** The query, which finds so many rows at most, with the columns of the file instead. */
function inFileColumns(
  { sql, ...query }: CompiledQuery,
  rowCountMax: number,
  columns: readonly Column[],
  fileColumns: readonly FileColumn[],
): CutQuery {
  const bound = { ...query, cellCountMax: rowCountMax * fileColumns.length };
  if (fileColumns.length === columns.length) return { ...bound, sql };
  const byName = new Map(columns.map((column) => [column.name, column]));
  const values = fileColumns.map((each) => `${valueSql(each, byName)} AS ${quoteName(each.name)}`);
  return { ...bound, sql: `SELECT ${values.join(', ')} FROM (${sql})` };
}

/** The query of a page, without the row that would tell of a next one. */
function pageOf(plan: FolderPlan): CompiledQuery {
  const exact = { ...plan, limit: plan.limit - 1 };
  return isComparing(exact) ? compileChangedPage(exact) : compileSortedPage(exact);
}

/** A query of one row, whose first value says whether rows come after those of the page. */
function beyondOf(plan: FolderPlan): CompiledQuery {
  const end = plan.offset + plan.limit;
  if (!isComparing(plan)) {
    const { sql, ...bound } = compileCount(plan, end + 1);
    return { ...bound, sql: `SELECT count > ${end} FROM (${sql}) AS found(count)` };
  }
  const { sql, ...bound } = compileChangedPage({ ...plan, offset: end, limit: 0 });
  return { ...bound, sql: `SELECT count(*) > 0 FROM (${sql})` };
}

function hasNoRows({ parts, comparedParts, grants }: QueryPlan): boolean {
  return (parts.length === 0 && !comparedParts?.length) || grants.length === 0;
}

/** True for pages whose rows are read as they lie: others have to be sorted into natural order. */
export function isInOrder(plan: QueryPlan): boolean {
  return plan.sort.length === 0 && !plan.identifierRows && !isComparing(plan);
}

/** Replaces stretches of files that are held in memory. */
function resolved(stretches: readonly Stretch[], cuts: readonly Cut[]): Stretch[] {
  const inMemory = new Map(cuts.map(({ file }) => [file.path, file.bytes]));
  return stretches.map((stretch) => {
    const bytes = 'file' in stretch ? inMemory.get(stretch.file) : null;
    if (!bytes || !('file' in stretch)) return stretch;
    return { bytes: bytes.subarray(stretch.start, stretch.end) };
  });
}

/** The row groups of the pieces, in their order; cut ones come one by one. */
function groupsOf(pieces: readonly Piece[], cuts: readonly Cut[]): GivenRowGroup[] {
  const left = cuts.values();
  return pieces.flatMap((piece) =>
    'copied' in piece ? [piece.copied] : (left.next().value as Cut).groups,
  );
}

export class ParquetPages {
  readonly #connections: QueryConnections;
  readonly #tables: MadeTables;
  readonly #files: TemporaryFiles;
  readonly #cuts: Cuts;
  readonly #placed: PlacedGroups;
  readonly #counts: GroupCounts;

  /** Temporary files lie below `parent`. */
  constructor(
    connections: QueryConnections,
    tables: MadeTables,
    partFiles: PartFiles,
    parent: string,
  ) {
    this.#connections = connections;
    this.#tables = tables;
    this.#placed = new PlacedGroups(partFiles);
    this.#files = new TemporaryFiles(parent);
    this.#cuts = new Cuts(connections, this.#files);
    this.#counts = new GroupCounts(connections);
  }

  async make(plan: FolderPlan, times: TimeForm, signal: AbortSignal): Promise<ParquetFile> {
    const columns = fileColumnsOf(plan.columns, times);
    if (hasNoRows(plan)) return this.#fileOf(plan, columns, { groups: [], cuts: [] }, null);
    const isStored = columns.length === plan.columns.length;
    return isStored && isInOrder(plan)
      ? this.#makeNatural(plan, signal)
      : this.#makeOrdered(plan, columns, signal);
  }

  /** Like `make`, for rows that are made elsewhere; see `EngineReader.writeParquet`. */
  async write(
    plan: QueryPlan,
    rows: AsyncIterable<ColumnBatch>,
    times: TimeForm,
    signal: AbortSignal,
  ): Promise<ParquetFile> {
    const columns = fileColumnsOf(plan.columns, times);
    const table = await this.#tables.of(plan.columns, rows, signal);
    try {
      const query = compileFirstRows(plan.columns, table, plan.limit);
      const rowCountMax = Math.min(table.rowCount, plan.limit);
      const cutQuery = inFileColumns(query, rowCountMax, plan.columns, columns);
      const cut = await this.#cuts.write(cutQuery, signal);
      const nextOffset = table.rowCount > plan.limit ? plan.offset + plan.limit : null;
      return this.#fileOf(plan, columns, { groups: cut.groups, cuts: [cut] }, nextOffset);
    } finally {
      await table.drop();
    }
  }

  close(): void {
    this.#files.close();
  }

  async #makeNatural(plan: FolderPlan, signal: AbortSignal): Promise<ParquetFile> {
    const verdictBy = groupVerdict(plan);
    const { groups, nextOffset } = await wantedGroups(
      plan,
      async (part) => {
        signal.throwIfAborted();
        return await this.#placed.of(plan, verdictBy, part);
      },
      (some) => this.#counts.of(plan, some, signal),
    );
    const pieces = piecesOf(plan, groups);
    const queries = pieces.flatMap((piece) =>
      'cut' in piece ? [compileCut(plan, piece.cut)] : [],
    );
    const cuts = await this.#cuts.of(queries, signal);
    return this.#fileOf(plan, plan.columns, { groups: groupsOf(pieces, cuts), cuts }, nextOffset);
  }

  async #makeOrdered(
    plan: FolderPlan,
    columns: readonly FileColumn[],
    signal: AbortSignal,
  ): Promise<ParquetFile> {
    const rowCountMax = Math.min(plan.scannedRows, plan.limit);
    const query = inFileColumns(pageOf(plan), rowCountMax, plan.columns, columns);
    const cuts = await this.#cuts.of([query], signal);
    const { groups = [], rowCount = 0 } = cuts[0] ?? {};
    try {
      const isFull = rowCount === plan.limit;
      const hasMore = isFull && (await this.#hasRowsBeyond(plan, signal));
      const nextOffset = hasMore ? plan.offset + plan.limit : null;
      return this.#fileOf(plan, columns, { groups, cuts }, nextOffset);
    } catch (error) {
      this.#cuts.remove(cuts);
      throw error;
    }
  }

  async #hasRowsBeyond(plan: FolderPlan, signal: AbortSignal): Promise<boolean> {
    const [isMore] = (await this.#connections.firstRow(beyondOf(plan), signal)) ?? [];
    return isMore === true;
  }

  #fileOf(
    plan: QueryPlan,
    columns: readonly FileColumn[],
    { groups, cuts }: { readonly groups: readonly GivenRowGroup[]; readonly cuts: readonly Cut[] },
    nextOffset: number | null,
  ): ParquetFile {
    // Arrow's schema would say nanoseconds of times that are in microseconds.
    const hasPlanColumns = columns.length === plan.columns.length;
    const metadata = { ...labelsOf(plan), ...(hasPlanColumns && arrowSchema(plan)) };
    const { stretches, rowCount } = assembleFile(columns, groups, metadata);
    // The lake's own files, and what is in memory, need nothing removed.
    const isOnDisk = cuts.some(({ file }) => !file.bytes);
    const release = isOnDisk ? () => this.#cuts.remove(cuts) : undefined;
    const bytes = new StoredBytes(resolved(stretches, cuts), release);
    return { rowCount, nextOffset, bytes };
  }
}
