/**
 * Tasks of the page's main thread in a trace of the browser, and how fast that thread is here and
 * now.
 */
import type { Page } from 'playwright-core';

interface TraceEvent {
  readonly name: string;
  readonly ph: string;
  readonly pid: number;
  readonly tid: number;
  /** Microseconds from beginning to end. */
  readonly dur?: number;
  /** Microseconds in which the thread ran, and not another one on the same processor. */
  readonly tdur?: number;
  readonly args: { readonly name?: string };
}

export interface ThreadTask {
  readonly elapsedMs: number;
  /** Null where the browser does not measure it. */
  readonly cpuMs: number | null;
}

export const TRACE_CATEGORIES = [
  'toplevel',
  'devtools.timeline',
  'disabled-by-default-devtools.timeline',
];

const MAIN_THREAD = 'CrRendererMain';

/** Tasks of all renderers in the trace; a browser started for the page has only that one. */
export function mainThreadTasks(trace: Buffer): readonly ThreadTask[] {
  const { traceEvents } = JSON.parse(trace.toString()) as { traceEvents: TraceEvent[] };
  const threads = traceEvents
    .filter(({ name, args }) => name === 'thread_name' && args.name === MAIN_THREAD)
    .map(({ pid, tid }) => `${pid}/${tid}`);
  return traceEvents
    .filter(
      ({ name, ph, pid, tid }) =>
        name === 'RunTask' && ph === 'X' && threads.includes(`${pid}/${tid}`),
    )
    .map(({ dur = 0, tdur }) => ({
      elapsedMs: dur / 1000,
      cpuMs: tdur === undefined ? null : tdur / 1000,
    }));
}

/**
 * Takes a browser about 100 ms on a quiet core of 2026, and as much longer as the machine is
 * slower.
 */
const REFERENCE_STEPS = 12_000_000;
const REFERENCE_RUNS = 3;

/** Milliseconds that a fixed piece of work takes the page: the longest of a few runs. */
export async function referenceMs(page: Page): Promise<number> {
  const runs: number[] = [];
  for (let run = 0; run < REFERENCE_RUNS; run++)
    runs.push(await page.evaluate(workOnce, REFERENCE_STEPS));
  return Math.max(...runs);
}

/** Runs in the browser: arithmetic, short texts and small objects, as a table's rows need them. */
function workOnce(steps: number): number {
  const start = performance.now();
  const made: { number: number; text: string }[] = [];
  let number = 0;
  for (let step = 0; step < steps; step++) {
    number = (number * 1_103_515_245 + step) & 0x7fffffff;
    if (step % 16 === 0) made.push({ number, text: String(step) });
  }
  if (made.length === 0) throw new Error(`nothing was made after ${number}`);
  return performance.now() - start;
}
