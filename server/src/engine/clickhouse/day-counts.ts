/** Counts the rows of a plan by their day. A day may lie on several servers, and so may an identifier. */
import { dateOfDays } from '../columns.ts';
import { countedDate, countedIdentifier, type DayCount } from '../day-counts.ts';
import type { QueryPlan } from '../query-plan.ts';
import { columnSql } from './read-columns.ts';
import { cellOf } from './row-order.ts';
import { type Shard, shardAt } from './shards.ts';
import { answeredColumns, vectorsOf, whereSql } from './source-rows.ts';
import { rangesSql, type Source, sourcesOf } from './sources.ts';

interface Counted {
  rowCount: number;
  readonly identifiers: Set<unknown>;
}

class DayCounts {
  readonly #plan: QueryPlan;
  readonly #days = new Map<number, Counted>();

  constructor(plan: QueryPlan) {
    this.#plan = plan;
  }

  /** Adds the rows of a source: one answered row for each day and identifier. */
  async add(source: Source, shard: Shard, signal: AbortSignal): Promise<void> {
    const { dataset } = this.#plan;
    const identifier = countedIdentifier(dataset);
    const reads = [countedDate(dataset), ...(identifier ? [identifier] : [])].map(source.readOf);
    const stored = reads.filter((read) => read.stored !== null);
    if (reads[0]?.stored === null) return;
    const names = stored.map((_, c) => `c${c}`);
    const selected = stored.map((read, c) => `${columnSql(read)} AS c${c}`);
    const where = whereSql([rangesSql(source, 0, Number.MAX_SAFE_INTEGER), ...source.conditions]);
    const table = shard.tableSql(source.table);
    const sql = `SELECT ${selected.join(', ')}, count() AS found FROM ${table} ${where} GROUP BY ${names.join(', ')}`;
    const query = {
      parts: source.parts,
      wall: shard.wallOf(source),
      columns: [...answeredColumns(reads), 'count' as const],
      sqlFrom: (skippedRows: number) =>
        `${sql} ORDER BY ${names.join(', ')} LIMIT ${skippedRows}, ${Number.MAX_SAFE_INTEGER}`,
    };
    for await (const block of shard.blocks(query, signal)) {
      const [days, identifiers] = vectorsOf(reads, block);
      const counts = block.columns.at(-1)?.values as readonly number[];
      for (let row = 0; row < block.rowCount; row++) {
        const day = days && cellOf(days, row);
        if (typeof day !== 'number') continue;
        const named = identifiers ? cellOf(identifiers, row) : null;
        this.#count(day, named, counts[row] as number);
      }
    }
  }

  #count(day: number, identifier: unknown, rowCount: number): void {
    const counted = this.#days.get(day) ?? { rowCount: 0, identifiers: new Set() };
    this.#days.set(day, counted);
    counted.rowCount += rowCount;
    if (identifier !== null) counted.identifiers.add(identifier);
  }

  inOrder(): DayCount[] {
    const hasIdentifier = countedIdentifier(this.#plan.dataset) !== null;
    return [...this.#days]
      .toSorted(([a], [b]) => a - b)
      .map(([day, { rowCount, identifiers }]) => ({
        date: dateOfDays(day),
        rowCount,
        identifierCount: hasIdentifier ? identifiers.size : null,
      }));
  }
}

export async function countByDay(
  shards: readonly Shard[],
  plan: QueryPlan,
  signal: AbortSignal,
): Promise<readonly DayCount[]> {
  const counts = new DayCounts(plan);
  const { sources } = sourcesOf(plan, plan.parts);
  for (const source of sources) await counts.add(source, shardAt(shards, source.shard), signal);
  return counts.inOrder();
}
