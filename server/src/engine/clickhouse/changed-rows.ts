/**
 * Rows that differ between two states of a dataset. Each source counts its rows of both states together,
 * those of the earlier one negatively; equal rows of several sources meet when these are merged.
 */
import type { Column } from '../../catalog/dataset.ts';
import { batchOfRows, type CellValue, type ColumnBatch } from '../columns.ts';
import { type Change, type ComparingPlan, changeColumnOf, changeOrderOf } from '../row-changes.ts';
import { type CompareRows, mergedBlocks } from './merge-blocks.ts';
import { columnSql } from './read-columns.ts';
import { cellOf, compareCells } from './row-order.ts';
import { type Shard, type ShardQuery, shardAt } from './shards.ts';
import { answeredColumns, keySql, type RowBlock, vectorsOf, whereSql } from './source-rows.ts';
import { rangesSql, type Source, sourcesOf } from './sources.ts';

const BATCH_ROWS = 1024;
const ALL = Number.MAX_SAFE_INTEGER;

interface OrderKey {
  readonly column: Column;
  readonly descending: boolean;
}

const ascending = (columns: readonly Column[]): OrderKey[] =>
  columns.map((column) => ({ column, descending: false }));

/** Whatever changed: rows that are equal in the first keys come together, equal rows at once. */
function orderOf({ dataset, sort }: ComparingPlan) {
  const { natural, others } = changeOrderOf(dataset);
  const change = changeColumnOf(dataset).name;
  const at = sort.findIndex(({ column }) => column.name === change);
  const asked = at < 0 ? [...sort, ...ascending(natural)] : sort.slice(0, at);
  const after = at < 0 ? [] : [...sort.slice(at + 1), ...ascending(natural)];
  const isDescending = at < 0 || (sort[at] as OrderKey).descending;
  return { first: asked, rest: [...after, ...ascending(others)], isDescending };
}

/** The two sources of a shard and table, of either state. */
interface SourcePair {
  readonly sources: readonly (readonly [source: Source, count: 1 | -1])[];
}

function pairsOf(plan: ComparingPlan): SourcePair[] {
  // What is said of the rows of the later state says nothing of the earlier one.
  const { naturalRows: _, ...earlier } = plan;
  const all = [
    ...sourcesOf(earlier, plan.comparedParts).sources.map((source) => [source, -1] as const),
    ...sourcesOf(plan, plan.parts).sources.map((source) => [source, 1] as const),
  ];
  // Those of one definition are read alike, and may be counted together.
  const key = ([{ shard, table, readOf }]: (typeof all)[number]) =>
    `${shard}/${table}/${plan.dataset.columns.map((column) => columnForm(readOf(column))).join()}`;
  return [...Map.groupBy(all, key).values()].map((sources) => ({ sources }));
}

function columnForm(read: ReturnType<Source['readOf']>): string {
  return read.stored === null ? '' : `${columnSql(read)} ${read.stored.scale ?? ''}`;
}

function queryOf(plan: ComparingPlan, { sources }: SourcePair, shard: Shard): ShardQuery {
  const [[first]] = sources as [readonly [Source, number]];
  const reads = plan.dataset.columns.map(first.readOf);
  const stored = reads.filter((read) => read.stored !== null);
  // The two zeros are one number, but not to a server that groups by them.
  const grouped = stored.map((read) =>
    read.column.dataType === 'number' ? `${columnSql(read)} + 0.` : columnSql(read),
  );
  const names = stored.map((_, c) => `c${c}`).join(', ');
  const selected = grouped.map((sql, c) => `${sql} AS c${c}`).join(', ');
  const states = sources.map(([source, count]) => {
    const where = whereSql([rangesSql(source, 0, ALL), ...source.conditions]);
    return `SELECT ${selected}, toInt64(${count}) AS counted FROM ${shard.tableSql(source.table)} ${where}`;
  });
  const { first: keys, rest } = orderOf(plan);
  const aliases = new Map(stored.map(({ column }, c) => [column.name, `c${c}`]));
  const order = [...keys, ...rest].flatMap(({ column, descending }) =>
    keySql(first.readOf(column), descending, aliases.get(column.name)),
  );
  const sql = [
    `SELECT ${names}, toNullable(sum(counted)) AS total FROM (${states.join(' UNION ALL ')})`,
    `GROUP BY ${names} HAVING sum(counted) != 0 ORDER BY ${order.join(', ')}`,
  ].join(' ');
  return {
    parts: sources.flatMap(([{ parts }]) => parts),
    wall: shard.wallOf(first),
    columns: [...answeredColumns(reads), 'integer'],
    sqlFrom: (skippedRows) => `${sql} LIMIT ${skippedRows}, ${ALL}`,
  };
}

/** Its blocks' positions are how often each row was added or, below zero, removed. */
async function* countedRows(
  plan: ComparingPlan,
  pair: SourcePair,
  shard: Shard,
  signal: AbortSignal,
): AsyncGenerator<RowBlock> {
  const [[source]] = pair.sources as [readonly [Source, number]];
  const reads = plan.dataset.columns.map(source.readOf);
  for await (const block of shard.blocks(queryOf(plan, pair, shard), signal)) {
    const positions = Array.from(block.columns.at(-1)?.values as BigInt64Array, Number);
    yield { rowCount: block.rowCount, columns: vectorsOf(reads, block), positions };
  }
}

function comparing({ dataset }: ComparingPlan, keys: readonly OrderKey[]): CompareRows {
  const places = keys.map(({ column }) =>
    dataset.columns.findIndex(({ name }) => name === column.name),
  );
  return (a, rowOfA, b, rowOfB) => {
    for (const [k, { descending }] of keys.entries()) {
      const [left, right] = [a, b].map(({ columns }) => columns[places[k] as number]);
      if (!left || !right) continue;
      const order = compareCells(cellOf(left, rowOfA), cellOf(right, rowOfB), descending);
      if (order !== 0) return order;
    }
    return 0;
  };
}

interface CountedRow {
  readonly block: RowBlock;
  readonly row: number;
  count: number;
}

const countOf = ({ positions }: RowBlock, row: number) => positions[row] as number;

/** The rows that are equal in the first keys, one group after the other; equal rows are one. */
async function* groups(
  blocks: AsyncIterable<RowBlock>,
  isSameGroup: CompareRows,
  isSameRow: CompareRows,
): AsyncGenerator<readonly CountedRow[]> {
  let group: CountedRow[] = [];
  for await (const block of blocks) {
    for (let row = 0; row < block.rowCount; row++) {
      const last = group.at(-1);
      if (last && isSameRow(last.block, last.row, block, row) === 0) {
        last.count += countOf(block, row);
        continue;
      }
      if (last && isSameGroup(last.block, last.row, block, row) !== 0) {
        yield group;
        group = [];
      }
      group.push({ block, row, count: countOf(block, row) });
    }
  }
  if (group.length > 0) yield group;
}

/** Each row as often as it changed, with its change. */
async function* changes(plan: ComparingPlan, blocks: AsyncIterable<RowBlock>) {
  const { first, rest, isDescending } = orderOf(plan);
  const isSameGroup = comparing(plan, first);
  const isSameRow = comparing(plan, [...first, ...rest]);
  const order: readonly Change[] = isDescending ? ['removed', 'added'] : ['added', 'removed'];
  for await (const group of groups(blocks, isSameGroup, isSameRow)) {
    for (const change of order) {
      for (const { block, row, count } of group) {
        const times = change === 'added' ? count : -count;
        for (let time = 0; time < times; time++) yield { block, row, change };
      }
    }
  }
}

/** The cells of the plan's columns; the first one says what changed. */
function cellsOf({ dataset, columns }: ComparingPlan) {
  const change = changeColumnOf(dataset).name;
  const places = columns.map(({ name }) =>
    name === change ? null : dataset.columns.findIndex((column) => column.name === name),
  );
  return ({ columns: vectors }: RowBlock, row: number, text: Change): CellValue[] =>
    places.map((place) => {
      const vector = place === null ? undefined : vectors[place];
      return vector ? cellOf(vector, row) : text;
    });
}

export async function* changedRows(
  shards: readonly Shard[],
  plan: ComparingPlan,
  signal: AbortSignal,
): AsyncGenerator<ColumnBatch> {
  const { first, rest } = orderOf(plan);
  const streams = pairsOf(plan).map((pair) => {
    const [[{ shard }]] = pair.sources as [readonly [Source, number]];
    return countedRows(plan, pair, shardAt(shards, shard), signal);
  });
  const merged = mergedBlocks(streams, comparing(plan, [...first, ...rest]));
  const toCells = cellsOf(plan);
  let [ordinal, rows] = [0, [] as CellValue[][]];
  for await (const { block, row, change } of changes(plan, merged)) {
    if (ordinal > plan.offset + plan.limit) break;
    if (ordinal >= plan.offset) rows.push(toCells(block, row, change));
    ordinal++;
    if (rows.length < BATCH_ROWS) continue;
    yield batchOfRows(plan.columns, rows);
    rows = [];
  }
  if (rows.length > 0) yield batchOfRows(plan.columns, rows);
}
