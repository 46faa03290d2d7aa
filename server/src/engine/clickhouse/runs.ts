/**
 * Rows that a plan finds side by side: in each part one run of the natural order, such as the ticks of a
 * ticker on a day. Once the runs are known, a page is read by its ordinals alone, however deep it lies.
 */
import { LRUCache } from 'lru-cache';
import type { RowRange } from '../part.ts';
import { rowsFingerprint } from '../plan-fingerprint.ts';
import type { QueryPlan } from '../query-plan.ts';
import { findsEveryRow } from './conditions-sql.ts';
import { type Shard, shardAt } from './shards.ts';
import { whereSql } from './source-rows.ts';
import { positionSql, rangesSql, rowsWithin, type Source } from './sources.ts';
import { integerSql } from './sql-values.ts';

/** Rows that are looked through for runs: with more, pages are found on the way. */
const LOOKED_THROUGH_MAX = 2_097_152;
/** Runs that are remembered, about 100 bytes each. */
const KNOWN_MAX = 100_000;

/** Places in natural order. Null: rows that are found lie between others. */
type Runs = readonly RowRange[] | null;

/** The runs of a source, in no order; null: some part has no run. */
async function runsOfSource(shard: Shard, source: Source, signal: AbortSignal): Promise<Runs> {
  const all = [rangesSql(source, 0, Number.MAX_SAFE_INTEGER), ...source.conditions];
  const place = positionSql(source);
  const query = {
    parts: source.parts,
    wall: shard.wallOf(source),
    columns: ['count', 'count', 'count'] as const,
    sqlFrom: (skippedRows: number) =>
      [
        `SELECT min(${place}) AS least, max(${place}) AS greatest, count() AS found`,
        `FROM ${shard.tableSql(source.table)} ${whereSql(all)} GROUP BY part ORDER BY least`,
        `LIMIT ${integerSql(skippedRows)}, ${integerSql(source.parts.length)}`,
      ].join(' '),
  };
  const runs: RowRange[] = [];
  for await (const { rowCount, columns } of shard.blocks(query, signal)) {
    for (let row = 0; row < rowCount; row++) {
      const [start, last, found] = columns.map(({ values }) => values[row]) as [
        ...[number, number, number],
      ];
      if (last - start + 1 !== found) return null;
      runs.push({ start, end: last + 1 });
    }
  }
  return runs;
}

export class KnownRuns {
  readonly #shards: readonly Shard[];
  readonly #known = new LRUCache<string, { readonly runs: Runs }>({
    maxSize: KNOWN_MAX,
    sizeCalculation: ({ runs }) => 1 + (runs?.length ?? 0),
  });

  constructor(shards: readonly Shard[]) {
    this.#shards = shards;
  }

  /** The runs of all rows that the plan finds, in natural order; null: they are not known. */
  async of(plan: QueryPlan, sources: readonly Source[], signal: AbortSignal): Promise<Runs> {
    const rowCount = sources.reduce((sum, source) => sum + rowsWithin(source), 0);
    if (findsEveryRow(plan)) {
      const end = sources.reduce(
        (last, { parts }) => Math.max(last, ...parts.map((part) => part.start + part.rowCount)),
        0,
      );
      return end === 0 ? [] : [{ start: 0, end }];
    }
    if (rowCount > LOOKED_THROUGH_MAX) return null;
    const key = rowsFingerprint(plan);
    const known = this.#known.get(key) ?? { runs: await this.#find(sources, signal) };
    this.#known.set(key, known);
    return known.runs;
  }

  async #find(sources: readonly Source[], signal: AbortSignal): Promise<Runs> {
    const found = await Promise.all(
      sources.map((source) => runsOfSource(shardAt(this.#shards, source.shard), source, signal)),
    );
    if (found.includes(null)) return null;
    return found.flatMap((runs) => runs ?? []).toSorted((a, b) => a.start - b.start);
  }
}

/** Where the rows from `offset` on, at most `limit` of them, lie. Pure. */
export function segmentsOf(runs: readonly RowRange[], offset: number, limit: number): RowRange[] {
  const segments: RowRange[] = [];
  let [skip, left] = [offset, limit];
  for (const run of runs) {
    const start = run.start + Math.min(skip, run.end - run.start);
    skip -= start - run.start;
    const end = Math.min(run.end, start + left);
    if (start < end) segments.push({ start, end });
    left -= end - start;
    if (left === 0) break;
  }
  return segments;
}
