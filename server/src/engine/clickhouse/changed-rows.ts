/**
 * Rows that differ between two states of a dataset. Each source counts its rows of both states
 * together, those of the earlier one negatively; equal rows of several sources meet when these are
 * merged.
 */
import type { Column } from '../../catalog/dataset.ts';
import { batchOfRows, type CellValue, type ColumnBatch, cellAt } from '../columns.ts';
import { type Change, type ComparingPlan, changeColumnOf, changeOrderOf } from '../row-changes.ts';
import { byKeys, type CompareRows, mergedBlocks } from './merged-blocks.ts';
import { type Shard, type ShardQuery, shardAt } from './shards.ts';
import {
  askedOf,
  EVERY_ROW,
  keySql,
  numberColumn,
  type RowBlock,
  rowsSql,
  type Source,
  sourcesOf,
  storedOf,
  vectorsOf,
} from './sources.ts';

const BATCH_ROWS = 1024;

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

/** Sources of both states that are read alike, with how often their rows count. */
type SourcePair = readonly (readonly [source: Source, count: 1 | -1])[];

function pairsOf(plan: ComparingPlan): SourcePair[] {
  // Row ranges of the later state say nothing about the earlier one.
  const { naturalRows: _, ...earlier } = plan;
  const all = [
    ...sourcesOf(earlier, plan.comparedParts).sources.map((source) => [source, -1] as const),
    ...sourcesOf(plan, plan.parts).sources.map((source) => [source, 1] as const),
  ];
  const key = ([{ shard, table, readOf }]: SourcePair[number]) =>
    `${shard}/${table}/${plan.dataset.columns.map((column) => readOf(column).sql).join()}`;
  return [...Map.groupBy(all, key).values()];
}

function queryOf(plan: ComparingPlan, pair: SourcePair, shard: Shard): ShardQuery {
  const [[first]] = pair as [SourcePair[number]];
  const stored = storedOf(plan.dataset.columns.map(first.readOf));
  const names = new Map(stored.map(({ column }, c) => [column.name, `c${c}`]));
  const all = [...names.values()].join(', ');
  // The two zeros are one number, but not to a server that groups by them.
  const selected = stored.map(
    ({ column, sql }, c) => `${sql}${column.dataType === 'number' ? ' + 0.' : ''} AS c${c}`,
  );
  const states = pair.map(
    ([source, count]) =>
      `SELECT ${selected.join(', ')}, toInt64(${count}) AS counted ${rowsSql(source, shard)}`,
  );
  const { first: keys, rest } = orderOf(plan);
  const order = [...keys, ...rest].flatMap(({ column, descending }) => {
    const name = names.get(column.name);
    return name === undefined ? [] : keySql(column, name, descending);
  });
  const sql = [
    `SELECT ${all}, toFloat64(sum(counted)) AS total FROM (${states.join(' UNION ALL ')})`,
    `GROUP BY ${all} HAVING sum(counted) != 0 ORDER BY ${order.join(', ')}`,
  ].join(' ');
  return {
    ...askedOf(first, shard),
    parts: pair.flatMap(([{ parts }]) => parts),
    columns: [...stored.map(({ column }) => column), numberColumn('total')],
    sqlFrom: (skippedRows) => `${sql} LIMIT ${skippedRows}, ${EVERY_ROW}`,
  };
}

/** Yields blocks whose positions say how often each row was added or, if negative, removed. */
async function* countedRows(
  plan: ComparingPlan,
  pair: SourcePair,
  shard: Shard,
  signal: AbortSignal,
): AsyncGenerator<RowBlock> {
  const [[source]] = pair as [SourcePair[number]];
  const reads = plan.dataset.columns.map(source.readOf);
  for await (const batch of shard.batches(queryOf(plan, pair, shard), signal)) {
    const { values } = batch.columns.at(-1) as { values: Float64Array };
    yield { rowCount: batch.rowCount, columns: vectorsOf(reads, batch), positions: values };
  }
}

function comparing({ dataset }: ComparingPlan, keys: readonly OrderKey[]): CompareRows {
  return byKeys(
    keys.map(({ column, descending }) => ({
      at: dataset.columns.findIndex(({ name }) => name === column.name),
      descending,
    })),
  );
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
      return vector ? cellAt(vector, row) : text;
    });
}

export async function* changedRows(
  shards: readonly Shard[],
  plan: ComparingPlan,
  signal: AbortSignal,
): AsyncGenerator<ColumnBatch> {
  const { first, rest } = orderOf(plan);
  const streams = pairsOf(plan).map((pair) => {
    const [[{ shard }]] = pair as [SourcePair[number]];
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
