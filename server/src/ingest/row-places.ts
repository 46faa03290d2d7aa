/**
 * The origins of a load's rows, kept as runs of rows on lines that follow each other: a file
 * of plain records is one run, whatever its size.
 */

import type { PlacesOfRows, RowPlace } from '../lake/check-findings.ts';

/** Rows on `rowCount` lines that follow each other; `line` null: their lines are not known. */
export interface RowRun {
  readonly file: string;
  readonly line: number | null;
  readonly rowCount: number;
}

/** A run whose rows have numbers from `number` on. */
export interface NumberedRun extends RowRun {
  readonly number: number;
}

/**
 * Runs beyond these keep their file alone. It takes as many bad rows, blank lines or records of
 * several lines to get there.
 */
const RUNS_MAX = 1_000_000;

export class RowPlaces implements PlacesOfRows {
  readonly #runsMax: number;
  readonly #rowsPerRecord: number;
  readonly #files: string[] = [];
  /** For each run: number of its first row; its line, 0 if unknown; its place in `#files`. */
  readonly #starts: number[] = [];
  readonly #lines: number[] = [];
  readonly #fileNumbers: number[] = [];
  #rowCount = 0;

  constructor(runsMax = RUNS_MAX, rowsPerRecord = 1) {
    this.#runsMax = runsMax;
    this.#rowsPerRecord = rowsPerRecord;
  }

  /** The records that follow those added so far, counted as one row each. */
  add({ file, line, rowCount }: RowRun): void {
    if (rowCount <= 0) return;
    if (!this.#continues(file, line ?? 0)) this.#begin(file, line ?? 0);
    this.#rowCount += rowCount;
  }

  #begin(file: string, line: number): void {
    const known = this.#starts.length < this.#runsMax ? line : 0;
    if (!this.#continues(file, known)) {
      if (this.#files.at(-1) !== file) this.#files.push(file);
      this.#starts.push(this.#rowCount);
      this.#lines.push(known);
      this.#fileNumbers.push(this.#files.length - 1);
    }
  }

  /** The place of a row by its number, from 0 in the order in which rows were added. */
  placeOf(rowNumber: number): RowPlace | null {
    const row = Math.floor(rowNumber / this.#rowsPerRecord);
    if (row < 0 || row >= this.#rowCount) return null;
    let [low, high] = [0, this.#starts.length];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if ((this.#starts[middle] as number) <= row) low = middle;
      else high = middle;
    }
    const file = this.#files[this.#fileNumbers[low] as number] as string;
    const line = this.#lines[low] as number;
    return { file, line: line === 0 ? null : line + row - (this.#starts[low] as number) };
  }

  #continues(file: string, line: number): boolean {
    const last = this.#starts.length - 1;
    if (last < 0 || this.#files.at(-1) !== file) return false;
    const lastLine = this.#lines[last] as number;
    if (line === 0 || lastLine === 0) return line === lastLine;
    return lastLine + this.#rowCount - (this.#starts[last] as number) === line;
  }
}

/**
 * The runs without the rows of the given numbers, which ascend; null: nobody knows which these are,
 * and all runs are of one file.
 */
export function withoutRows(
  runs: readonly NumberedRun[],
  badNumbers: readonly number[] | null,
  badCount: number,
): RowRun[] {
  if (badCount === 0) return [...runs];
  if (badNumbers === null) return unknownRuns(runs, badCount);
  let next = 0;
  return runs.flatMap(({ file, line, rowCount, number }) => {
    const good: RowRun[] = [];
    let start = number;
    const end = number + rowCount;
    const add = (to: number) => {
      const runLine = line === null ? null : line + start - number;
      good.push({ file, line: runLine, rowCount: to - start });
    };
    while (next < badNumbers.length && (badNumbers[next] as number) < end) {
      const bad = badNumbers[next] as number;
      add(bad);
      start = bad + 1;
      next += 1;
    }
    add(end);
    return good;
  });
}

function unknownRuns(runs: readonly RowRun[], badCount: number): RowRun[] {
  const rowCount = runs.reduce((sum, run) => sum + run.rowCount, 0) - badCount;
  return runs.slice(0, 1).map(({ file }) => ({ file, line: null, rowCount }));
}
