/**
 * One page of CSV. The text is kept as it came, with the places where its rows begin: cells are cut
 * out when they are shown, so that a page costs little time and its own size in memory.
 */

import { CsvReader } from '@ticklake/client/csv.ts';
import { useEffect, useState } from 'react';
import { ReadingStore } from '../api/store';
import type { DatasetShape } from './dataset-shape';
import { type ExplorerRequest, requestPath } from './explorer-request';
import { nextOffsetOf, PinnedPages, versionOf } from './pinned-pages';

/** A field of a row exactly as the service wrote it; null where the value is missing. */
export type Cell = string | null;

type CsvPage = ReturnType<typeof readCsvPage>;

const QUOTE = '"';

/**
 * Finds where lines end: at a line feed outside of quotes, or at the text's end. To be asked from
 * the first line to the last, as it remembers the next quote.
 */
function lineEnds(text: string): (start: number) => number {
  const after = (found: number) => (found === -1 ? text.length : found);
  let quote = after(text.indexOf(QUOTE));
  return (start) => {
    let at = start;
    for (;;) {
      const end = after(text.indexOf('\n', at));
      if (quote < at) quote = after(text.indexOf(QUOTE, at));
      if (quote >= end) return end;
      // A doubled quote opens again at once.
      at = after(text.indexOf(QUOTE, quote + 1)) + 1;
    }
  };
}

/** The fields of one line by RFC 4180; an empty field in quotes is the empty text. */
export function splitLine(line: string): Cell[] {
  const [cells = []] = new CsvReader().read(`${line}\n`);
  return cells;
}

/** Takes the header line off; the rows follow. */
export function splitHeader(text: string): { readonly columns: string[]; readonly rows: string } {
  const end = lineEnds(text)(0);
  const columns = splitLine(text.slice(0, end)).map((name) => name ?? '');
  return { columns, rows: text.slice(end + 1) };
}

/** Reads rows without a header line, each ended by a line feed. `rowsMax`: at most so many. */
export function readCsvPage(text: string, rowsMax: number) {
  const starts = new Uint32Array(rowsMax + 1);
  const lineEnd = lineEnds(text);
  let rowCount = 0;
  let at = 0;
  while (at < text.length && rowCount < rowsMax) {
    starts[rowCount] = at;
    rowCount += 1;
    at = lineEnd(at) + 1;
  }
  starts[rowCount] = at;
  return {
    rowCount,
    /** Characters that it holds in memory. */
    size: text.length,
    row: (index: number) =>
      splitLine(text.slice(starts[index] as number, (starts[index + 1] as number) - 1)),
  };
}

interface PageTold {
  /** Null where none is published. */
  readonly datasetVersion: string | null;
  /** A guess at what a query without rows meant; null where the service has none. */
  readonly hint: string | null;
  /** The kind of the hint, and the identifier that may be meant. */
  readonly hintCode: string | null;
  /** Identifiers of a list that have no rows, in words; on the first page alone. */
  readonly missing: string | null;
}

export interface PageAnswer extends PageTold {
  readonly text: string;
  /** Null on the last page. */
  readonly nextOffset: number | null;
}

type ReadPage = (offset: number, limit: number, signal: AbortSignal) => Promise<PageAnswer>;

export interface RowStoreLimits {
  readonly pageRows: number;
  /** Characters of pages that are kept. */
  readonly sizeMax: number;
  /** Rows that are offered at all. */
  readonly rowsMax: number;
}

/** With what the last page told; `datasetVersion` is that of all pages. */
export interface RowsState extends PageTold {
  /** Null until the first page is there. */
  readonly columns: readonly string[] | null;
  /** Rows that are known of, read or let go since. */
  readonly rowCount: number;
  /** There are no rows after these, or none that are offered. */
  readonly end: 'open' | 'reached' | 'capped';
  readonly isReading: boolean;
  readonly error: unknown;
}

const START: RowsState = {
  columns: null,
  rowCount: 0,
  end: 'open',
  isReading: false,
  error: null,
  datasetVersion: null,
  hint: null,
  hintCode: null,
  missing: null,
};

export class RowStore extends ReadingStore<RowsState> {
  readonly #readPage: ReadPage;
  readonly #limits: RowStoreLimits;
  readonly #pages = new Map<number, CsvPage>();
  #size = 0;
  #wanted: readonly [first: number, last: number] = [0, 0];

  constructor(readPage: ReadPage, limits: RowStoreLimits) {
    super(START);
    this.#readPage = readPage;
    this.#limits = limits;
  }

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
    if (this.state().error === null) void this.readOn();
  }

  /** The page to be read next; null where all that is wanted is here. */
  #nextPage(): number | null {
    const { pageRows } = this.#limits;
    const { rowCount, end } = this.state();
    const [first, last] = this.#wanted;
    const lastRow = end === 'open' ? last : Math.min(last, rowCount - 1);
    const lastPage = Math.min(Math.floor(lastRow / pageRows), Math.ceil(rowCount / pageRows));
    for (let page = Math.floor(first / pageRows); page <= lastPage; page++) {
      if (!this.#pages.has(page)) return page;
    }
    return null;
  }

  protected override async readOn(): Promise<void> {
    const page = this.#nextPage();
    if (page === null || this.state().isReading || this.signal.aborted) return;
    this.change({ isReading: true });
    try {
      const { pageRows } = this.#limits;
      this.#keep(page, await this.#readPage(page * pageRows, pageRows, this.signal));
    } catch (error) {
      this.change({ isReading: false, error });
      return;
    }
    void this.readOn();
  }

  #keep(page: number, answer: PageAnswer): void {
    const { text, nextOffset, ...told } = answer;
    const missing = page === 0 ? told.missing : this.state().missing;
    const { pageRows, rowsMax } = this.#limits;
    const { columns, rows } =
      page === 0 ? splitHeader(text) : { columns: this.state().columns, rows: text };
    const read = readCsvPage(rows, pageRows);
    this.#pages.set(page, read);
    this.#size += read.size;
    this.#letGo();
    const rowCount = Math.max(this.state().rowCount, page * pageRows + read.rowCount);
    const isCapped = nextOffset !== null && rowCount >= rowsMax;
    const isEnd = nextOffset === null && rowCount <= page * pageRows + read.rowCount;
    const end = isCapped ? 'capped' : isEnd ? 'reached' : this.state().end;
    this.change({ ...told, missing, columns, rowCount, end, isReading: false });
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

/** `COUNT of LISTED: NAME, …`, percent-encoded; null where nothing is missing or known. */
export function missingText(header: string | null): string | null {
  const [count = '', names = ''] = header?.split(': ') ?? [];
  if (count === '' || count.startsWith('0 ')) return null;
  return `No rows of ${count} identifiers: ${names.split(', ').map(decodeURIComponent).join(', ')}`;
}

/** Pages of rows as CSV, in which values stand exactly as the service writes them. */
function pageReader(request: ExplorerRequest): ReadPage {
  const pages = new PinnedPages();
  return async (offset, limit, signal) => {
    const response = await pages.read(request, { response_format: 'csv', offset, limit }, signal);
    return {
      text: await response.text(),
      nextOffset: nextOffsetOf(response),
      datasetVersion: versionOf(response),
      hint: response.headers.get('X-Hint'),
      hintCode: response.headers.get('X-Hint-Code'),
      missing: missingText(response.headers.get('X-Missing')),
    };
  };
}

/** A page is cut into rows well within the time of a frame. */
const LIMITS = { pageRows: 3000, sizeMax: 64_000_000, rowsMax: 1_000_000 };

export type Run = ReturnType<typeof newRun>;

function newRun(request: ExplorerRequest, shape: DatasetShape) {
  const pageRows = Math.min(LIMITS.pageRows, shape.limits.csv.maximum);
  const store = new RowStore(pageReader(request), { ...LIMITS, pageRows });
  store.want(0, pageRows - 1);
  // The place in the table is kept while that is not seen.
  return { request, path: requestPath(request), shape, store, scrollTop: { current: 0 } };
}

export function useRun() {
  const [run, setRun] = useState<Run | null>(null);
  useEffect(() => () => run?.store.stop(), [run]);
  const start = (request: ExplorerRequest, shape: DatasetShape) => setRun(newRun(request, shape));
  return { run, start };
}
