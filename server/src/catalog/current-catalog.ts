/** The catalogue that requests are answered by, which a server reads again while it runs. */
import type { Catalog } from './dataset.ts';

/** Reads and checks all definitions; rejects where one of them cannot be taken over. */
export type ReadCatalog = () => Promise<Catalog>;

export class CurrentCatalog {
  readonly #read: ReadCatalog;
  #current: Catalog;
  #reading: Promise<unknown> = Promise.resolve();

  private constructor(read: ReadCatalog, current: Catalog) {
    this.#read = read;
    this.#current = current;
  }

  static async open(read: ReadCatalog): Promise<CurrentCatalog> {
    return new CurrentCatalog(read, await read());
  }

  /** A request takes it once, so that it ends by the definitions with which it began. */
  get current(): Catalog {
    return this.#current;
  }

  /**
   * Reads the definitions again and takes over all of them. Rejects as `read` does, and then none is:
   * what was current stays so.
   */
  async reload(): Promise<Catalog> {
    const reading = this.#reading.then(this.#read, this.#read);
    this.#reading = reading.catch(() => undefined);
    this.#current = await reading;
    return this.#current;
  }
}
