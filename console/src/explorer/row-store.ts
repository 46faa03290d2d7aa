/**
 * The rows of one query, read page by page as the table comes to need them. At most one page is on
 * its way; pages far from what is shown are let go when they take too much memory, and are read
 * again when they are wanted.
 */
import { type Cell, type CsvPage, readCsvPage, splitHeader } from './csv-page';

export interface PageAnswer {
  readonly text: string;
  /** Null on the last page. */
  readonly nextOffset: number | null;
  /** Of the dataset; null where none is published. */
  readonly datasetVersion: string | null;
  /** What a query without rows may have meant; null where the service has no idea. */
  readonly hint: string | null;
  /** Identifiers of a list that have no rows, in words; on the first page alone. */
  readonly missing: string | null;
}

export type ReadPage = (offset: number, limit: number, signal: AbortSignal) => Promise<PageAnswer>;

export interface RowStoreLimits {
  readonly pageRows: number;
  /** Characters of pages that are kept. */
  readonly sizeMax: number;
  /** Rows that are offered at all. */
  readonly rowsMax: number;
}

export interface RowsState {
  /** Null until the first page is there. */
  readonly columns: readonly string[] | null;
  /** Rows that are known of, read or let go since. */
  readonly rowCount: number;
  /** There are no rows after these, or none that are offered. */
  readonly end: 'open' | 'reached' | 'capped';
  readonly isReading: boolean;
  readonly error: unknown;
  /** That all pages are of; null where it is not known. */
  readonly datasetVersion: string | null;
  /** What a query without rows may have meant. */
  readonly hint: string | null;
  /** Identifiers of a list that have no rows, in words. */
  readonly missing: string | null;
  /** Counts the pages that came. */
  readonly version: number;
}

const START: RowsState = {
  columns: null,
  rowCount: 0,
  end: 'open',
  isReading: false,
  error: null,
  datasetVersion: null,
  hint: null,
  missing: null,
  version: 0,
};

export class RowStore {
  readonly #readPage: ReadPage;
  readonly #limits: RowStoreLimits;
  readonly #pages = new Map<number, CsvPage>();
  readonly #listeners = new Set<() => void>();
  readonly #abort = new AbortController();
  #state = START;
  #size = 0;
  #wanted: readonly [first: number, last: number] = [0, 0];

  constructor(readPage: ReadPage, limits: RowStoreLimits) {
    this.#readPage = readPage;
    this.#limits = limits;
  }

  readonly state = (): RowsState => this.#state;

  readonly subscribe = (listener: () => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  has(index: number): boolean {
    const { pageRows } = this.#limits;
    const page = this.#pages.get(Math.floor(index / pageRows));
    return page !== undefined && index % pageRows < page.rowCount;
  }

  /** Null while the row's page is not here. */
  row(index: number): Cell[] | null {
    const { pageRows } = this.#limits;
    if (!this.has(index)) return null;
    return this.#pages.get(Math.floor(index / pageRows))?.row(index % pageRows) ?? null;
  }

  /** Says which rows are needed now; reads them if they are not here. */
  want(first: number, last: number): void {
    this.#wanted = [first, last];
    if (this.#state.error === null) void this.#readNext();
  }

  retry(): void {
    this.#change({ error: null });
    void this.#readNext();
  }

  /** Nothing is read any more. */
  stop(): void {
    this.#abort.abort();
    this.#listeners.clear();
  }

  #change(change: Partial<RowsState>): void {
    this.#state = { ...this.#state, ...change };
    for (const listener of this.#listeners) listener();
  }

  /** The page to be read next; null where all that is wanted is here. */
  #nextPage(): number | null {
    const { pageRows } = this.#limits;
    const { rowCount, end } = this.#state;
    const [first, last] = this.#wanted;
    const lastRow = end === 'open' ? last : Math.min(last, rowCount - 1);
    const lastPage = Math.min(Math.floor(lastRow / pageRows), Math.ceil(rowCount / pageRows));
    for (let page = Math.floor(first / pageRows); page <= lastPage; page++) {
      if (!this.#pages.has(page)) return page;
    }
    return null;
  }

  async #readNext(): Promise<void> {
    const page = this.#nextPage();
    if (page === null || this.#state.isReading || this.#abort.signal.aborted) return;
    this.#change({ isReading: true });
    try {
      const { pageRows } = this.#limits;
      const answer = await this.#readPage(page * pageRows, pageRows, this.#abort.signal);
      this.#keep(page, answer);
    } catch (error) {
      if (!this.#abort.signal.aborted) this.#change({ isReading: false, error });
      return;
    }
    void this.#readNext();
  }

  #keep(page: number, { text, nextOffset, datasetVersion, hint, missing: told }: PageAnswer): void {
    const missing = page === 0 ? told : this.#state.missing;
    const { pageRows, rowsMax } = this.#limits;
    const { columns, rows } =
      page === 0 ? splitHeader(text) : { columns: this.#state.columns, rows: text };
    const read = readCsvPage(rows, pageRows);
    this.#pages.set(page, read);
    this.#size += read.size;
    this.#letGo();
    const rowCount = Math.max(this.#state.rowCount, page * pageRows + read.rowCount);
    const isCapped = nextOffset !== null && rowCount >= rowsMax;
    const isEnd = nextOffset === null && rowCount <= page * pageRows + read.rowCount;
    const end = isCapped ? 'capped' : isEnd ? 'reached' : this.#state.end;
    const version = this.#state.version + 1;
    const about = { datasetVersion, hint, missing, version };
    this.#change({ columns, rowCount, end, isReading: false, ...about });
  }

  /** Lets go of the pages that are furthest from the wanted rows. */
  #letGo(): void {
    const { pageRows, sizeMax } = this.#limits;
    const middle = (this.#wanted[0] + this.#wanted[1]) / 2 / pageRows;
    const byDistance = [...this.#pages].sort(
      ([a], [b]) => Math.abs(b - middle) - Math.abs(a - middle),
    );
    for (const [page, { size }] of byDistance) {
      if (this.#size <= sizeMax || this.#pages.size === 1) return;
      this.#pages.delete(page);
      this.#size -= size;
    }
  }
}
