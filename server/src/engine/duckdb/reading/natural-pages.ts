/**
 * Pages in natural order. A page starts reading at the place of its first row, which the page
 * before it has noted, so that it costs what reading its rows costs, however deep it lies. A page
 * asked out of order looks for the place with the columns of its conditions alone. So does a page
 * of many columns for all of its rows, and then reads half of the columns on each of two threads.
 */
import type { DuckDBDataChunk, DuckDBMaterializedResult } from '@duckdb/node-api';
import type { Column } from '../../../catalog/dataset.ts';
import type { ColumnBatch } from '../../columns.ts';
import type { Part } from '../../part.ts';
import { rowsFingerprint } from '../../plan-fingerprint.ts';
import { OnlyValues, sideBySide } from './column-batches.ts';
import {
  compileColumns,
  compilePlace,
  compileStretch,
  compileStretchCount,
  compileStretches,
  conditionColumnCount,
  findsEveryRow,
  type Stretch,
} from './compile-query.ts';
import { type FolderPlan, fileOf } from './folder-plan.ts';
import type { OpenScans, ScannedChunk } from './open-scans.ts';
import type { QueryConnections } from './query-connections.ts';
import { readBatch } from './read-batch.ts';
import { isStreamed } from './sorted-pages.ts';
import { type RowPlace, type WalkPoints, WalkPositions } from './walk-positions.ts';

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

/** Pages of so many columns, and of so many times those of their conditions, are wide. */
const WIDE_COLUMNS_MIN = 24;
const WIDE_COLUMNS_FOR_CONDITION = 6;

/** Places of a page's first and last row, counting the one that tells of a next page. */
interface PageRows {
  readonly first: RowPlace;
  readonly last: RowPlace;
}

/** Files of fewer rows, in the mean, are read together and sorted. */
const SCATTERED_ROWS_MAX = 256;

function areScattered(parts: readonly Part[]): boolean {
  const rowCount = parts.reduce((sum, part) => sum + part.rowCount, 0);
  return parts.length > 1 && rowCount < SCATTERED_ROWS_MAX * parts.length;
}

const START: RowPlace = { file: 0, row: 0 };

/** True if reading the conditions' columns twice pays, as the rows to read are known then. */
export function isWide(plan: FolderPlan): boolean {
  const { parts, columns } = plan;
  const columnsMin = conditionColumnCount(plan) * WIDE_COLUMNS_FOR_CONDITION;
  return columns.length >= Math.max(WIDE_COLUMNS_MIN, columnsMin) && !areScattered(parts);
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

/** The rows from one place to another, both included. */
function stretchesBetween(plan: FolderPlan, { first, last }: PageRows): readonly Stretch[] {
  const pathOf = (file: number) => fileOf(plan, plan.parts[file] as Part);
  const inFile = (file: number, startRow: number, endRow: number | null): Stretch => ({
    ...{ firstFile: file, files: [pathOf(file)], startRow, endRow },
  });
  if (first.file === last.file) return [inFile(first.file, first.row, last.row + 1)];
  const files = plan.parts.slice(first.file + 1, last.file).map((part) => fileOf(plan, part));
  const between = { firstFile: first.file + 1, files, startRow: 0, endRow: null };
  return [
    inFile(first.file, first.row, null),
    ...(files.length > 0 ? [between] : []),
    inFile(last.file, 0, last.row + 1),
  ];
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

function lastRowOf(parts: readonly Part[]): RowPlace {
  const file = parts.length - 1;
  return { file, row: (parts[file] as Part).rowCount - 1 };
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
  if (!from || !to) {
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
    else if (isWide(plan)) yield* this.#runWide(plan, points, start, signal);
    else yield* this.#runNarrow(plan, points, start, signal);
  }

  async *#runWide(
    plan: FolderPlan,
    points: WalkPoints,
    start: RowPlace,
    signal: AbortSignal,
  ): AsyncGenerator<ColumnBatch> {
    const rows = await this.#findRows(plan, points, start, signal);
    if (rows === null) return;
    const only = new OnlyValues(plan);
    const half = Math.ceil(only.stored.length / 2);
    const halves = [only.stored.slice(0, half), only.stored.slice(half)];
    for (const stretch of stretchesBetween(plan, rows)) {
      const parts = halves.map((columns) => this.#read(plan, columns, stretch, signal));
      for await (const batch of sideBySide(parts)) yield only.complete(batch);
    }
  }

  async *#read(
    plan: FolderPlan,
    columns: readonly Column[],
    stretch: Stretch,
    signal: AbortSignal,
  ): AsyncGenerator<ColumnBatch> {
    const query = compileColumns(plan, columns, stretch);
    for await (const chunk of this.#connections.chunks(query, signal)) {
      yield readBatch(columns, chunk);
    }
  }

  async *#runNarrow(
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

  /** Finds the page's rows from a place before them; null if there are none. */
  async #findRows(
    plan: FolderPlan,
    points: WalkPoints,
    start: RowPlace,
    signal: AbortSignal,
  ): Promise<PageRows | null> {
    const { parts, offset, limit } = plan;
    const [known, next] = [points.at(offset), points.at(offset + limit)];
    if (known && next) return { first: known, last: next };
    if (findsEveryRow(plan)) {
      return {
        first: start,
        last: placeOfRow(parts, offset + limit) ?? lastRowOf(parts),
      };
    }
    let first: RowPlace | null = null;
    let last = START;
    let count = 0;
    for (const stretch of stretchesFrom(plan, start, likelyRows(plan, points, start))) {
      const query = compileStretch(plan, [], stretch, limit + 1 - count);
      for await (const chunk of this.#connections.chunks(query, signal)) {
        first ??= placeInChunk(stretch.firstFile, 0, chunk, 0);
        last = placeInChunk(stretch.firstFile, 0, chunk, chunk.rowCount - 1);
        count += chunk.rowCount;
      }
      if (count > limit) break;
    }
    if (first) points.add({ ordinal: offset, ...first });
    if (count > limit) points.add({ ordinal: offset + limit, ...last });
    else points.endAt(offset + count);
    return first && { first, last };
  }

  /** Place to read from for the page's first row; null if there is none. */
  async #startOf(
    plan: FolderPlan,
    points: WalkPoints,
    signal: AbortSignal,
  ): Promise<RowPlace | null> {
    const { parts, offset } = plan;
    if (offset >= points.end) return null;
    const { point = { ordinal: 0, ...START } } = points.before(offset);
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
