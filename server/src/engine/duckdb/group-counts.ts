/** How many rows of row groups a plan finds: counted when that is asked for, and then known for a while. */
import { LRUCache } from 'lru-cache';
import { fingerprintOf } from '../plan-fingerprint.ts';
import type { FolderPlan } from './folder-plan.ts';
import { compileGroupCounts } from './parquet-cut-sql.ts';
import type { PlacedGroup } from './placed-groups.ts';
import type { QueryConnections } from './query-connections.ts';
import { rowsIn } from './wanted-groups.ts';

/** Numbers that are kept: some 10 MB. */
const COUNTS_MAX = 1_000_000;

export class GroupCounts {
  readonly #connections: QueryConnections;
  readonly #known = new LRUCache<string, readonly number[]>({
    maxSize: COUNTS_MAX,
    sizeCalculation: (counts) => counts.length + 1,
  });

  constructor(connections: QueryConnections) {
    this.#connections = connections;
  }

  /** The count of each of the groups, which are all of one part that may hold rows. */
  async of(
    plan: FolderPlan,
    groups: readonly PlacedGroup[],
    signal: AbortSignal,
  ): Promise<readonly number[]> {
    const unknown = groups.filter(({ verdict }) => verdict === 'some');
    const [first, ...others] = unknown;
    if (!first) return groups.map(rowsIn);
    const { predicates, grants, parts } = plan;
    const key = fingerprintOf([parts[first.part]?.location, predicates, grants]);
    let found = this.#known.get(key);
    if (!found) {
      found = await this.#count(plan, [first, ...others], signal);
      this.#known.set(key, found);
    }
    const counts = found.values();
    return groups.map((group) =>
      group.verdict === 'some' ? (counts.next().value as number) : rowsIn(group),
    );
  }

  async #count(
    plan: FolderPlan,
    groups: readonly [PlacedGroup, ...PlacedGroup[]],
    signal: AbortSignal,
  ): Promise<number[]> {
    const counts = groups.map(() => 0);
    for await (const chunk of this.#connections.chunks(compileGroupCounts(plan, groups), signal)) {
      for (const [group, count] of chunk.getRows()) counts[Number(group)] = Number(count);
    }
    return counts;
  }
}
