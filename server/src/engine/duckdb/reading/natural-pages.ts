/**
 * Pages in natural order. A page starts reading at the place of its first row, which the page
 * before it has noted, so that it costs what reading its rows costs, however deep it lies. A page
 * asked out of order looks for the place with the columns of its conditions alone.
 */
import type { DuckDBDataChunk, DuckDBMaterializedResult } from '@duckdb/node-api';
import type { ColumnBatch } from '../../columns.ts';
import { OnlyValues } from '../../only-values.ts';
import type { Part } from '../../part.ts';
import { rowsFingerprint } from '../../plan-fingerprint.ts';
import type { QueryPlan } from '../../query-plan.ts';
import { type RowPlace, type WalkPoints, WalkPositions } from '../../walk-positions.ts';
import {
  compileColumns,
  compilePlace,
  compileStretch,
  compileStretchCount,
  compileStretches,
  findsEveryRow,
  type Stretch,
} from './compile-query.ts';
import { type FolderPlan, fileOf } from './folder-plan.ts';
import type { OpenScans, ScannedChunk } from './open-scans.ts';
import type { QueryConnections } from './query-connections.ts';
import { readBatch } from './read-batch.ts';

/**
 * More than any page has. A result of fewer rows is computed first and then handed out, which takes
 * less time and lets the next page begin earlier.
 */
const ROWS_AT_ONCE_MAX = 100_000;

export function isStreamed({ limit }: Pick<QueryPlan, 'limit'>): boolean {
  return limit > ROWS_AT_ONCE_MAX;
}

/** The more rows a stretch had in vain, the more the next one has. */
const STRETCH_GROWTH = 4;
/** The density of matches varies along a walk. */
const STRETCH_MARGIN = 1.25;
const STRETCH_ROWS_MIN = 2048;

/**
 * A scan that stays open is not used where more rows are passed over for each match: the engine
 * looks for about a megabyte of matches before it hands out the first one.
 */
const SCANNED_FOR_MATCH_MAX = 16;

/** Files of fewer rows, in the mean, are read together and sorted. */
const SCATTERED_ROWS_MAX = 256;

function areScattered(parts: readonly Part[]): boolean {
  const rowCount = parts.reduce((sum, part) => sum + part.rowCount, 0);
  return parts.length > 1 && rowCount < SCATTERED_ROWS_MAX * parts.length;
}

/** Cuts the rows from a place on into stretches of about `rowCount` rows, then ever longer ones. */
function* stretchesFrom(plan: FolderPlan, place: RowPlace, rowCount: number): Generator<Stretch> {
  const { parts } = plan;
  let { file, row } = place;
  let wanted = rowCount;
  while (file < parts.length) {
    const part = parts[file] as Part;
    const { rowCount: fileRows } = part;
    const firstFile = file;
    const startRow = row;
    const isInside = wanted < fileRows - row;
    const files = [fileOf(plan, part)];
    row = isInside ? row + wanted : 0;
    if (!isInside) {
      let covered = fileRows - startRow;
      file++;
      // Part of a file is read alone: its row numbers are no condition on another one.
      for (; startRow === 0 && covered < wanted && file < parts.length; file++) {
        const next = parts[file] as Part;
        files.push(fileOf(plan, next));
        covered += next.rowCount;
      }
    }
    yield { firstFile, files, startRow, endRow: isInside ? row : null };
    wanted *= STRETCH_GROWTH;
  }
}

function isLastStretch(parts: readonly Part[], { firstFile, files, endRow }: Stretch): boolean {
  return endRow === null && firstFile + files.length === parts.length;
}

/** Rows of the files between two places, the first one included. */
function rowsBetween(parts: readonly Part[], from: RowPlace, to: RowPlace): number {
  let count = to.row - from.row;
  for (let file = from.file; file < to.file; file++) {
    count += (parts[file] as Part).rowCount;
  }
  return count;
}

/** True if a page of such rows is fit for a scan that stays open. */
function isDense({ parts, limit }: FolderPlan, from: RowPlace, to: RowPlace): boolean {
  return rowsBetween(parts, from, to) <= SCANNED_FOR_MATCH_MAX * limit;
}

/** Place of a row if every row of the files is found. */
function placeOfRow(parts: readonly Part[], ordinal: number): RowPlace | null {
  let row = ordinal;
  for (const [file, { rowCount }] of parts.entries()) {
    if (row < rowCount) return { file, row };
    row -= rowCount;
  }
  return null;
}

/**
 * How many rows of the files hold the page: known when it was read before, else to be expected by
 * the rows found before it, or after the first one.
 */
function likelyRows(plan: FolderPlan, points: WalkPoints, place: RowPlace): number {
  const last = points.at(plan.offset + plan.limit);
  if (last) return rowsBetween(plan.parts, place, last) + 1;
  const { point, previous } = points.before(plan.offset);
  const [from, to] = previous ? [previous, point] : [point, points.after(plan.offset)];
  if (!to) {
    // A sort does not end with the page's last row.
    return areScattered(plan.parts) ? STRETCH_ROWS_MIN + plan.limit : Number.POSITIVE_INFINITY;
  }
  const rowsOfOne = rowsBetween(plan.parts, from, to) / (to.ordinal - from.ordinal);
  return STRETCH_ROWS_MIN + Math.ceil((plan.limit + 1) * rowsOfOne * STRETCH_MARGIN);
}

/** The place of a row of a chunk, which stands behind `columnCount` columns. */
function placeInChunk(
  firstFile: number,
  columnCount: number,
  chunk: DuckDBDataChunk,
  index: number,
): RowPlace {
  const [file, row] = [columnCount, columnCount + 1].map((c) =>
    Number(chunk.getColumnVector(c).getItem(index)),
  ) as [number, number];
  return { file: firstFile + file, row };
}

export class NaturalPages {
  readonly #connections: QueryConnections;
  readonly #positions = new WalkPositions();
  readonly #scans: OpenScans | null;

  /** With `scans`, those of walks stay open from page to page. */
  constructor(connections: QueryConnections, scans: OpenScans | null = null) {
    this.#connections = connections;
    this.#scans = scans;
  }

  async *run(plan: FolderPlan, signal: AbortSignal): AsyncGenerator<ColumnBatch> {
    const points = this.#positions.of(rowsFingerprint(plan));
    const start = await this.#startOf(plan, points, signal);
    if (start === null) return;
    if (isStreamed(plan)) yield* this.#runStreamed(plan, points, start, signal);
    else yield* this.#runComplete(plan, points, start, signal);
  }

  async *#runComplete(
    plan: FolderPlan,
    points: WalkPoints,
    start: RowPlace,
    signal: AbortSignal,
  ): AsyncGenerator<ColumnBatch> {
    const only = new OnlyValues(plan);
    const end = plan.offset + plan.limit + 1;
    let { ordinal, place } = yield* this.#goOn(plan, points, start, signal);
    if (ordinal === end) return;
    const isScattered = areScattered(plan.parts);
    for (const stretch of stretchesFrom(plan, place, likelyRows(plan, points, place))) {
      const query = compileStretch(plan, only.stored, stretch, end - ordinal, isScattered);
      // At once, so that the next page can be begun while this one is handed out.
      const onFound = (result: DuckDBMaterializedResult) => {
        const found = ordinal + result.rowCount;
        if (found === end) {
          const last = result.getChunk(result.chunkCount - 1);
          points.add({
            ordinal: end - 1,
            ...placeInChunk(stretch.firstFile, only.stored.length, last, last.rowCount - 1),
          });
        } else if (isLastStretch(plan.parts, stretch)) {
          points.endAt(found);
        }
      };
      for await (const chunk of this.#connections.chunks(query, signal, { onFound })) {
        if (ordinal === plan.offset)
          points.add({ ordinal, ...placeInChunk(stretch.firstFile, only.stored.length, chunk, 0) });
        ordinal += chunk.rowCount;
        yield only.complete(readBatch(only.stored, chunk));
      }
      if (ordinal < end) continue;
      const [first, last] = [points.at(plan.offset), points.at(end - 1)];
      if (first && last && isDense(plan, first, last)) this.#scans?.expectNext(plan);
      return;
    }
    points.endAt(ordinal);
  }

  /** The page's rows as far as the walk's open scan has them; returns where to look for others. */
  async *#goOn(
    plan: FolderPlan,
    points: WalkPoints,
    start: RowPlace,
    signal: AbortSignal,
  ): AsyncGenerator<ColumnBatch, { ordinal: number; place: RowPlace }> {
    const { offset, limit } = plan;
    const scan = this.#scans?.take(plan, (leaving) => this.#scanFrom(plan, start, leaving));
    if (!scan) return { ordinal: offset, place: start };
    let ordinal = offset;
    let place = start;
    try {
      for await (const batch of scan.page(plan, signal)) {
        ordinal += batch.rowCount;
        yield batch;
      }
    } finally {
      // Whoever takes the scan next moves it on.
      place = scan.place ?? start;
      const hasNext = ordinal > offset + limit && !signal.aborted;
      await this.#scans?.giveBack(plan, scan, hasNext && isDense(plan, start, place));
    }
    if (ordinal > offset + limit) points.add({ ordinal: offset + limit, ...place });
    return { ordinal, place };
  }

  async *#scanFrom(
    plan: FolderPlan,
    start: RowPlace,
    signal: AbortSignal,
  ): AsyncGenerator<ScannedChunk> {
    const only = new OnlyValues(plan);
    const stretches = [...stretchesFrom(plan, start, Number.POSITIVE_INFINITY)];
    const query = compileStretches(plan, only.stored, stretches);
    const options = { isStreamed: true, isUnproven: true };
    for await (const chunk of this.#connections.chunks(query, signal, options)) {
      const placeOf = (row: number) => placeInChunk(0, only.stored.length, chunk, row);
      yield { batch: only.complete(readBatch(only.stored, chunk)), placeOf };
    }
  }

  /** Without the places of the rows, which take as long to hand out as any other two columns. */
  async *#runStreamed(
    plan: FolderPlan,
    points: WalkPoints,
    start: RowPlace,
    signal: AbortSignal,
  ): AsyncGenerator<ColumnBatch> {
    const only = new OnlyValues(plan);
    const wantedCount = plan.limit + 1;
    let leftCount = wantedCount;
    for (const stretch of stretchesFrom(plan, start, Number.POSITIVE_INFINITY)) {
      const query = compileColumns(plan, only.stored, stretch, leftCount);
      const count = compileStretchCount(plan, stretch, leftCount);
      let scanRowCount: number | undefined;
      const onCounted = (rowCount: number) => {
        const isWhole = rowCount === wantedCount || isLastStretch(plan.parts, stretch);
        if (leftCount === wantedCount && isWhole) scanRowCount = rowCount;
      };
      const options = { isStreamed: true, count, onCounted };
      for await (const chunk of this.#connections.chunks(query, signal, options)) {
        leftCount -= chunk.rowCount;
        const batch = only.complete(readBatch(only.stored, chunk));
        yield scanRowCount === undefined ? batch : { ...batch, scanRowCount };
      }
      if (leftCount === 0) return;
    }
    // In this order, so that no number on the way is too large to be exact.
    points.endAt(plan.offset + (wantedCount - leftCount));
  }

  /** Place to read from for the page's first row; null if there is none. */
  async #startOf(
    plan: FolderPlan,
    points: WalkPoints,
    signal: AbortSignal,
  ): Promise<RowPlace | null> {
    const { parts, offset } = plan;
    if (offset >= points.end) return null;
    const { point } = points.before(offset);
    if (point.ordinal === offset) return point;
    if (findsEveryRow(plan)) return placeOfRow(parts, offset);
    const stretches = [...stretchesFrom(plan, point, Number.POSITIVE_INFINITY)];
    const query = compilePlace(plan, stretches, plan.offset - point.ordinal);
    const found = await this.#connections.firstRow(query, signal);
    const place = found && { file: Number(found[0]), row: Number(found[1]) };
    if (place === null) points.endAt(offset);
    else points.add({ ordinal: offset, ...place });
    return place;
  }
}
