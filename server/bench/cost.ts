/** Cost of work in this process: time, and the processor time of all threads. */
import { median, timed } from './measure.ts';

export interface Cost {
  readonly seconds: number;
  readonly cpuSeconds: number;
}

/** Processor seconds of this process that the work takes, all threads together. */
async function cpuSeconds(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e6;
}

export async function costOf(work: () => Promise<unknown>): Promise<Cost> {
  let seconds = 0;
  const cpu = await cpuSeconds(async () => {
    seconds = (await timed(work)) / 1000;
  });
  return { seconds, cpuSeconds: cpu };
}

export function costText({ seconds, cpuSeconds }: Cost): string {
  return `${seconds.toFixed(1)} s (processor ${cpuSeconds.toFixed(1)} s)`;
}

export function medianCost(costs: readonly Cost[]): Cost {
  return {
    seconds: median(costs.map(({ seconds }) => seconds)),
    cpuSeconds: median(costs.map(({ cpuSeconds }) => cpuSeconds)),
  };
}
