/** A page that is being read: when its rows are there, and when it is written. */
import type { ColumnBatch } from '../engine/columns.ts';
import type { EngineReader } from '../engine/engine.ts';
import type { QueryPlan } from '../engine/query-plan.ts';
import type { Format } from '../formats/format.ts';
import { type Page, renderPage } from './render-page.ts';

/** Everything that decides the bytes of a page. */
export interface PageOrder {
  readonly plan: QueryPlan;
  readonly format: Format;
  readonly pathParameters: readonly string[];
}

export interface PageReading {
  /** Resolves when the engine has found the rows, or has failed: then so does the page. */
  readonly found: Promise<void>;
  readonly page: Promise<Page>;
}

/** Hands out rows when `turn` has come; the engine looks for them meanwhile. */
async function* rowsInTurn(
  rows: AsyncIterable<ColumnBatch>,
  turn: Promise<void>,
  onFound: () => void,
): AsyncGenerator<ColumnBatch> {
  const iterator = rows[Symbol.asyncIterator]();
  try {
    let next = await iterator.next();
    onFound();
    await turn;
    for (; !next.done; next = await iterator.next()) yield next.value;
  } finally {
    onFound();
    await iterator.return?.();
  }
}

/**
 * Begins to read a page. Its rows are found at once and written when `turn` has come, which has to
 * resolve at some time. Aborting the signal rejects the page.
 */
export function beginPage(
  engine: EngineReader,
  { plan, format, pathParameters }: PageOrder,
  signal: AbortSignal,
  turn: Promise<void> = Promise.resolve(),
): PageReading {
  const found = Promise.withResolvers<void>();
  const rows = rowsInTurn(engine.scan(plan, signal), turn, found.resolve);
  return { found: found.promise, page: renderPage(plan, rows, format, pathParameters) };
}
