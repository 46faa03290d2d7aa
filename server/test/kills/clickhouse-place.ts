/** A store in PostgreSQL and parts in ClickHouse, on a shard with two replicas. */
import { ClickHouseCluster, type ClickHouseServer } from '../clickhouse/cluster.ts';
import { PostgresPlace } from './postgres-place.ts';
import type { SharedPlace, Victim } from './victims.ts';

export class ClickHousePlace implements SharedPlace {
  readonly #postgres = new PostgresPlace();
  readonly #cluster = new ClickHouseCluster();

  readonly victims: readonly Victim[] = [
    this.#replica(0),
    ...this.#postgres.victims.slice(0, 1),
    this.#replica(1),
  ];

  /** Pages come from the other one meanwhile; nothing can be published. */
  #replica(at: number): Victim {
    const server = () => this.#cluster.servers[at] as ClickHouseServer;
    return {
      name: `replica ${at} of ClickHouse`,
      disturbs: [],
      kill: () => server().kill(),
      revive: () => server().start(),
    };
  }

  async open(): Promise<void> {
    await this.#cluster.start(1, 2);
    Object.assign(process.env, this.#cluster.environment);
    await this.#postgres.open();
  }

  async close(): Promise<void> {
    await this.#postgres.close();
    await this.#cluster.close();
  }
}
