import type { ShapeColumn } from './dataset-shape';

/** The rows that a snippet reads. */
export interface SnippetRows {
  /** First page, as JSON: unlike CSV read by pandas, it tells null from the empty text. */
  readonly url: string;
  /** Columns of the answer, in its order. */
  readonly columns: readonly ShapeColumn[];
  /** The clock of the dataset's market, such as `America/New_York`. */
  readonly timeZone: string;
}

/** Seconds to wait after a 429 without `Retry-After`: the minute's limit has cleared by then. */
export const RATE_LIMIT_WAIT_SECONDS = 90;

/** Times that a page is asked for before a snippet gives up. */
export const TRIES_MAX = 6;

/** A text as a literal of JSON, which is one of Python and TypeScript too. */
export function literal(text: string): string {
  return JSON.stringify(text);
}
