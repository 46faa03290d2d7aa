/** A store in PostgreSQL and a lake in object storage, which several servers share. */
import { useStore } from '../place-of-tests.ts';
import { isPostgresMissing, type StartOptions, TestPostgres } from '../postgres/start-postgres.ts';
import { objectStoreProblem, TestObjectStore } from './start-object-store.ts';

export const areSharedPlacesMissing = objectStoreProblem() !== null || isPostgresMissing();

export class SharedPlaces {
  readonly postgres: TestPostgres;
  /** Name of the shared database. */
  readonly database: string;
  readonly #objects: TestObjectStore;

  private constructor(objects: TestObjectStore, postgres: TestPostgres, database: string) {
    this.#objects = objects;
    this.postgres = postgres;
    this.database = database;
  }

  /** The bucket, as a folder of this machine. */
  get bucketFolder(): string {
    return this.#objects.bucketFolder;
  }

  /** Has all that is opened and started from now on use them; the lake lies below `prefix`. */
  static async start(prefix: string, options: StartOptions = {}): Promise<SharedPlaces> {
    const objects = await TestObjectStore.start();
    const postgres = await TestPostgres.start(options);
    const database = await postgres.newDatabase();
    Object.assign(process.env, objects.environment(prefix));
    useStore(postgres.url(database));
    return new SharedPlaces(objects, postgres, database);
  }

  async stop(): Promise<void> {
    await this.#objects.stop();
    await this.postgres.remove();
  }
}
