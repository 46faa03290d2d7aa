/**
 * Small patterns of bytes, built from parts and made into a table that decides byte by byte: from
 * state and byte to the next state. Like regular expressions without an engine.
 */

/** No text that goes on from here fits. */
export const DEAD = 0;
/** The state before the first byte. */
export const START = 1;

const BYTES = 256;
const STATES_MAX = 65_536;

/** Edges between states: by a byte, or by nothing at all. */
class Edges {
  readonly byByte: Map<number, number[]>[] = [];
  readonly free: number[][] = [];

  add(): number {
    this.byByte.push(new Map());
    this.free.push([]);
    return this.byByte.length - 1;
  }

  connect(from: number, byte: number, to: number): void {
    const edges = this.byByte[from] as Map<number, number[]>;
    edges.set(byte, [...(edges.get(byte) ?? []), to]);
  }
}

/** Adds its states behind `from`; returns the state after it. */
export type Pattern = (edges: Edges, from: number) => number;

/** One byte of those from the first to the last letter of each pair: `byteOf('09', 'az')`. */
export function byteOf(...ranges: readonly string[]): Pattern {
  return (edges, from) => {
    const to = edges.add();
    for (const range of ranges) {
      const last = range.charCodeAt(range.length - 1);
      for (let byte = range.charCodeAt(0); byte <= last; byte++) edges.connect(from, byte, to);
    }
    return to;
  };
}

export function sequence(...patterns: readonly Pattern[]): Pattern {
  return (edges, from) => patterns.reduce((at, pattern) => pattern(edges, at), from);
}

export function text(letters: string): Pattern {
  return sequence(...[...letters].map((letter) => byteOf(letter)));
}

export function either(...patterns: readonly Pattern[]): Pattern {
  return (edges, from) => {
    const to = edges.add();
    for (const pattern of patterns) edges.free[pattern(edges, from)]?.push(to);
    return to;
  };
}

/** The empty text. */
export const nothing: Pattern = (_edges, from) => from;

export function optional(pattern: Pattern): Pattern {
  return either(nothing, pattern);
}

/** From `min` to `max` times; `max` is finite. */
export function repeat(pattern: Pattern, min: number, max: number): Pattern {
  const needed = sequence(...Array.from({ length: min }, () => pattern));
  let rest = nothing;
  for (let n = min; n < max; n++) rest = optional(sequence(pattern, rest));
  return sequence(needed, rest);
}

/** Any number of times, none included. */
export function anyNumber(pattern: Pattern): Pattern {
  return (edges, from) => {
    const loop = edges.add();
    edges.free[from]?.push(loop);
    edges.free[pattern(edges, loop)]?.push(loop);
    const to = edges.add();
    edges.free[loop]?.push(to);
    return to;
  };
}

function withFree(edges: Edges, states: readonly number[]): number[] {
  const reached = new Set(states);
  for (const state of reached) for (const next of edges.free[state] ?? []) reached.add(next);
  return [...reached].sort((a, b) => a - b);
}

/** The states that `set` leads to, by byte. */
function targetsOf(edges: Edges, set: readonly number[]): Map<number, number[]> {
  const targets = new Map<number, number[]>();
  for (const state of set) {
    for (const [byte, to] of edges.byByte[state] ?? []) {
      targets.set(byte, [...(targets.get(byte) ?? []), ...to]);
    }
  }
  return targets;
}

/**
 * The table of a pattern, made by following all ways through it at once: `table[state * 256 + byte]`
 * is the next state. A text that fits leads from `START` to `START` again, ready for the next one.
 * Nothing may follow a text that fits.
 */
export function compilePattern(pattern: Pattern): Uint16Array {
  const edges = new Edges();
  const first = edges.add();
  const last = pattern(edges, first);
  const sets: number[][] = [[], withFree(edges, [first])];
  const numbers = new Map(sets.map((set, n) => [set.join(), n]));
  const rows: Uint16Array[] = [new Uint16Array(BYTES)];
  for (let n = START; n < sets.length; n++) {
    const row = new Uint16Array(BYTES);
    for (const [byte, to] of targetsOf(edges, sets[n] as number[])) {
      const set = withFree(edges, to);
      const key = set.join();
      let number = set.includes(last) ? START : numbers.get(key);
      if (number === undefined) {
        number = sets.push(set) - 1;
        numbers.set(key, number);
      }
      row[byte] = number;
    }
    rows.push(row);
  }
  const table = new Uint16Array(rows.length * BYTES);
  rows.forEach((row, n) => {
    table.set(row, n * BYTES);
  });
  return table;
}

/** The table of texts that consist of one text of each table, in that order. */
export function chainTables(tables: readonly Uint16Array[]): Uint16Array {
  const counts = tables.map((table) => table.length / BYTES - START);
  const stateCount = counts.reduce((sum, count) => sum + count, START);
  if (stateCount > STATES_MAX) throw new Error(`a table of ${stateCount} states`);
  const chained = new Uint16Array(stateCount * BYTES);
  let base = 0;
  tables.forEach((table, t) => {
    const isLast = t === tables.length - 1;
    const after = isLast ? START : base + (counts[t] as number) + START;
    for (let at = START * BYTES; at < table.length; at++) {
      const to = table[at] as number;
      if (to !== DEAD) chained[base * BYTES + at] = to === START ? after : base + to;
    }
    base += counts[t] as number;
  });
  return chained;
}
