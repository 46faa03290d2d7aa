/**
 * Starting points of pages: for recent walks, the places in the files at which some of their rows
 * were found, or in the rows that they are made of. The page that follows another starts reading
 * where that one ended.
 */
import { LRUCache } from 'lru-cache';

/** A row of a plan's files: the number of the file, and of the row in it, from 0. */
export interface RowPlace {
  readonly file: number;
  readonly row: number;
}

interface WalkPoint extends RowPlace {
  /** How many rows the walk has before this one. */
  readonly ordinal: number;
}

const BEGINNING: WalkPoint = { ordinal: 0, file: 0, row: 0 };

const POINTS_PER_WALK_MAX = 512;

/** The known points of one walk. */
export class WalkPoints {
  /** By ordinal, ascending. */
  #points: WalkPoint[] = [];
  /** No row has this ordinal or a greater one. */
  #end = Number.POSITIVE_INFINITY;

  get end(): number {
    return this.#end;
  }

  endAt(ordinal: number): void {
    this.#end = Math.min(this.#end, ordinal);
  }

  /** Index of the first point with this ordinal or a greater one. */
  #find(ordinal: number): number {
    let low = 0;
    let high = this.#points.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#points[middle] as WalkPoint).ordinal < ordinal) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  add(point: WalkPoint): void {
    const index = this.#find(point.ordinal);
    const isKnown = this.#points[index]?.ordinal === point.ordinal;
    this.#points.splice(index, isKnown ? 1 : 0, point);
    if (this.#points.length > POINTS_PER_WALK_MAX) this.#thin();
  }

  /** Keeps half of what may be kept, spread evenly; and the last, from which a walk goes on. */
  #thin(): void {
    const last = this.#points.at(-1) as WalkPoint;
    const gap = last.ordinal / (POINTS_PER_WALK_MAX / 2);
    let nextOrdinal = 0;
    this.#points = this.#points.filter((point) => {
      if (point.ordinal < nextOrdinal && point !== last) return false;
      nextOrdinal = point.ordinal + gap;
      return true;
    });
  }

  at(ordinal: number): WalkPoint | null {
    const point = this.#points[this.#find(ordinal)];
    return point?.ordinal === ordinal ? point : null;
  }

  /** The first point after the ordinal. */
  after(ordinal: number): WalkPoint | null {
    return this.#points[this.#find(ordinal + 1)] ?? null;
  }

  /** The last point that is not behind the ordinal, and the one before it. */
  before(ordinal: number): { readonly point: WalkPoint; readonly previous: WalkPoint | undefined } {
    const index = this.#find(ordinal + 1) - 1;
    return { point: this.#points[index] ?? BEGINNING, previous: this.#points[index - 1] };
  }
}

/** The points of the walks asked for last, each under the key of its rows. */
export class WalkPositions {
  readonly #walks: LRUCache<string, WalkPoints>;

  /** A thousand walks have at most about 30 MB of points. */
  constructor(walksMax = 1024) {
    this.#walks = new LRUCache({ max: walksMax });
  }

  of(key: string): WalkPoints {
    const points = this.#walks.get(key) ?? new WalkPoints();
    this.#walks.set(key, points);
    return points;
  }
}
