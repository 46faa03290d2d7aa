/** Round values for the axis of a bar chart. */

const STEPS = [1, 2, 5, 10];
const TICKS = 4;

/**
 * Values at equal distances from 0 to at least `max`, at most five of them; whole numbers, since
 * requests and bytes are.
 */
export function axisTicks(max: number): number[] {
  if (max <= 0) return [0, 1];
  const least = Math.max(max / TICKS, 1);
  const power = 10 ** Math.floor(Math.log10(least));
  const step = (STEPS.find((factor) => factor * power >= least) ?? 10) * power;
  const count = Math.ceil(max / step);
  return Array.from({ length: count + 1 }, (_, at) => at * step);
}

/** Every how many bars there is room for a label. */
export function labelStep(barWidth: number, labelWidth: number): number {
  return Math.max(1, Math.ceil(labelWidth / barWidth));
}
