/** Timing: the things compared take turns in one run, so that whatever else happens hits both. */

export interface Turns {
  readonly warmUps: number;
  readonly runs: number;
}

/** The turns of a benchmark that takes long, or fewer where fewer are asked for. */
export function atMost(runsAsked: number, { warmUps, runs }: Turns): Turns {
  return { warmUps: Math.min(runsAsked - 1, warmUps), runs: Math.min(runsAsked, runs) };
}

/**
 * Turns that are each about something else, of which there are `count`: the service remembers where
 * walks are, so that the same one again would be less work.
 */
export function differentTurns({ runs }: Turns, count: number): Turns {
  const warmUps = 1;
  return { warmUps, runs: Math.min(runs, count - warmUps) };
}

export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

/** The value that a share `q` of the values does not exceed. */
export function quantile(values: readonly number[], q: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))] ?? Number.NaN;
}

/** Milliseconds that the work takes. */
export async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

/**
 * Runs each contestant once a turn and returns their times in milliseconds, without the warm-ups.
 * Contestants get the number of the turn, so that each turn can be about other rows, and go in
 * another order each turn.
 */
export async function race<Name extends string>(
  turns: Turns,
  contestants: Readonly<Record<Name, (turn: number) => Promise<unknown>>>,
): Promise<Record<Name, number[]>> {
  const names = Object.keys(contestants) as Name[];
  const times = Object.fromEntries(names.map((name) => [name, []])) as unknown as Record<
    Name,
    number[]
  >;
  for (let turn = 0; turn < turns.warmUps + turns.runs; turn++) {
    const order = names.map((_, n) => names[(n + turn) % names.length] as Name);
    for (const name of order) {
      const ms = await timed(() => contestants[name](turn));
      if (turn >= turns.warmUps) times[name].push(ms);
    }
  }
  return times;
}
