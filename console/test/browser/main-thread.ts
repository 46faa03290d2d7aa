/** Tasks of the page's main thread in a trace of the browser. */

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

/** Of all renderers in the trace; a browser of its own for the page has no other than the page's. */
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
