/** Counts the rows of a plan by their day. A day may lie on several servers, and so may an identifier. */
import { cellAt, dateOfDays } from '../columns.ts';
import { countedDate, countedIdentifier, type DayCount } from '../day-counts.ts';
import type { QueryPlan } from '../query-plan.ts';
import { type Shard, shardAt } from './shards.ts';
import {
  askedOf,
  EVERY_ROW,
  numberColumn,
  rowsSql,
  type Source,
  sourcesOf,
  storedOf,
  vectorsOf,
} from './sources.ts';

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
    if (reads[0]?.sql === null) return;
    const stored = storedOf(reads);
    const names = stored.map((_, c) => `c${c}`).join(', ');
    const selected = stored.map(({ sql }, c) => `${sql} AS c${c}`).join(', ');
    const grouped = `${rowsSql(source, shard)} GROUP BY ${names} ORDER BY ${names}`;
    const query = {
      ...askedOf(source, shard),
      columns: [...stored.map(({ column }) => column), numberColumn('found')],
      sqlFrom: (skippedRows: number) =>
        `SELECT ${selected}, toFloat64(count()) AS found ${grouped} LIMIT ${skippedRows}, ${EVERY_ROW}`,
    };
    for await (const batch of shard.batches(query, signal)) {
      const [days, identifiers] = vectorsOf(reads, batch);
      const { values } = batch.columns.at(-1) as { values: Float64Array };
      for (let row = 0; row < batch.rowCount; row++) {
        const day = days && cellAt(days, row);
        if (typeof day !== 'number') continue;
        const named = identifiers ? cellAt(identifiers, row) : null;
        this.#count(day, named, values[row] as number);
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
