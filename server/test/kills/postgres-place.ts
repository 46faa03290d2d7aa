/** A store in PostgreSQL, whose processes may die. */
import { useStore } from '../place-of-tests.ts';
import { TestPostgres } from '../postgres/start-postgres.ts';
import { BOTH_NODES, type SharedPlace, type Victim, type World } from './victims.ts';

export class PostgresPlace implements SharedPlace {
  #server: TestPostgres | null = null;

  readonly victims: readonly Victim[] = [
    this.#victim('all of PostgreSQL', () => this.#running.killAll()),
    // The others end with it, and the main process starts them again.
    this.#victim('a connection of PostgreSQL', ({ random }) =>
      this.#running.killOne((processes) => random.pick(processes)),
    ),
    this.#victim('PostgreSQL, told to end at once,', () => this.#running.kill()),
  ];

  #victim(name: string, kill: (world: World) => Promise<void>): Victim {
    const revive = () => this.#running.start();
    return { name, disturbs: BOTH_NODES, forgets: 'store', kill, revive };
  }

  get #running(): TestPostgres {
    if (!this.#server) throw new Error('it is not open');
    return this.#server;
  }

  async open(): Promise<void> {
    this.#server = await TestPostgres.start();
    useStore(this.#server.url(await this.#server.newDatabase()));
  }

  async close(): Promise<void> {
    await this.#server?.remove();
  }
}
