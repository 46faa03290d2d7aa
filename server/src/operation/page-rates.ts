/** The share of what was known that each new page leaves: some thirty pages make the rate. */
const KEPT_SHARE = 0.97;
/** Pages of fewer rows take as long for what is not about their rows. */
const PAGE_ROWS_MIN = 1000;

/** The speed of the latest pages of each format. */
export class PageRates {
  readonly #sums = new Map<string, { readonly rows: number; readonly ms: number }>();

  note(format: string, rowCount: number, durationMs: number): void {
    if (rowCount < PAGE_ROWS_MIN) return;
    const { rows, ms } = this.#sums.get(format) ?? { rows: 0, ms: 0 };
    const sums = { rows: rows * KEPT_SHARE + rowCount, ms: ms * KEPT_SHARE + durationMs };
    this.#sums.set(format, sums);
  }

  /** To the millisecond; null: nothing is known of the format yet. */
  secondsFor(format: string, rowCount: number): number | null {
    const sums = this.#sums.get(format);
    return sums ? Math.round((rowCount * sums.ms) / sums.rows) / 1000 : null;
  }
}
