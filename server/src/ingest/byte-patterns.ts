/**
 * Small patterns of bytes, built from parts and made into a table that decides byte by byte: from
 * state and byte to the next state. Like regular expressions without an engine. Bytes that lead to the
 * same states everywhere are one class, so that the table fits into the processor's nearest memory.
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

/** Where the row of state `s` begins, `s * classCount`, stands for the state. */
export interface ByteTable {
  /** From the state `s` a byte `b` leads to the state `next[s + classes[b]]`. */
  readonly next: Uint32Array;
  readonly classes: Uint8Array;
  readonly classCount: number;
}

/** The coarsest classes that are finer than each of those given, which tell a byte its class. */
function refineClasses(
  all: Iterable<(byte: number) => number>,
): Pick<ByteTable, 'classes' | 'classCount'> {
  const classes = new Uint8Array(BYTES);
  let classCount = 1;
  for (const classOf of all) {
    const numbers = new Map<number, number>();
    for (let byte = 0; byte < BYTES; byte++) {
      const key = classOf(byte) * BYTES + (classes[byte] as number);
      if (!numbers.has(key)) numbers.set(key, numbers.size);
      classes[byte] = numbers.get(key) as number;
    }
    classCount = numbers.size;
  }
  return { classes, classCount };
}

/** `rows` are the numbers of the next states by byte. */
function withClasses(rows: readonly Uint16Array[]): ByteTable {
  const { classes, classCount } = refineClasses(rows.map((row) => (byte) => row[byte] as number));
  const next = new Uint32Array(rows.length * classCount);
  rows.forEach((row, state) => {
    row.forEach((to, byte) => {
      next[state * classCount + (classes[byte] as number)] = to * classCount;
    });
  });
  return { next, classes, classCount };
}

/**
 * The table of a pattern, made by following all ways through it at once. A text that fits leads from
 * `START` to `START` again, ready for the next one. Nothing may follow a text that fits.
 */
export function compilePattern(pattern: Pattern): ByteTable {
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
  return withClasses(rows);
}

/** The table of texts that consist of one text of each table, in that order. */
export function chainTables(tables: readonly ByteTable[]): ByteTable {
  const counts = tables.map(({ next, classCount }) => next.length / classCount - START);
  const stateCount = counts.reduce((sum, count) => sum + count, START);
  if (stateCount > STATES_MAX) throw new Error(`a table of ${stateCount} states`);
  const classOf = tables.map(
    ({ classes }) =>
      (byte: number) =>
        classes[byte] as number,
  );
  const { classes, classCount } = refineClasses(classOf);
  const bytes = Array.from({ length: classCount }, (_, c) => classes.indexOf(c));
  const next = new Uint32Array(stateCount * classCount);
  let base = 0;
  tables.forEach((table, t) => {
    const count = counts[t] as number;
    const after = t === tables.length - 1 ? START : base + count + START;
    const columns = bytes.map((byte) => table.classes[byte] as number);
    for (let state = START; state < START + count; state++) {
      for (let c = 0; c < classCount; c++) {
        const at = state * table.classCount + (columns[c] as number);
        const to = (table.next[at] as number) / table.classCount;
        if (to === DEAD) continue;
        next[(base + state) * classCount + c] = (to === START ? after : base + to) * classCount;
      }
    }
    base += count;
  });
  return { next, classes, classCount };
}
