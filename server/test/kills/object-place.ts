/** A store in PostgreSQL and parts in object storage, either of which may die. */
import { TestObjectStore } from '../objects/start-object-store.ts';
import { PostgresPlace } from './postgres-place.ts';
import { BOTH_NODES, type SharedPlace, type Victim } from './victims.ts';

export class ObjectPlace implements SharedPlace {
  readonly #postgres = new PostgresPlace();
  #objects: TestObjectStore | null = null;

  readonly victims: readonly Victim[] = [
    {
      name: 'the S3 server',
      disturbs: BOTH_NODES,
      kill: () => this.#running.kill(),
      revive: () => this.#running.run(),
    },
    ...this.#postgres.victims.slice(0, 1),
  ];

  get #running(): TestObjectStore {
    if (!this.#objects) throw new Error('it is not open');
    return this.#objects;
  }

  async open(): Promise<void> {
    this.#objects = await TestObjectStore.start();
    Object.assign(process.env, this.#objects.environment('kills/lake'));
    await this.#postgres.open();
  }

  async close(): Promise<void> {
    await this.#postgres.close();
    await this.#objects?.stop();
  }
}
