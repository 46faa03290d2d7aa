import type { ChartTime } from './bars';
import type { DatasetShape } from './dataset-shape';

/** Tells if any of some moments lies in regular hours; null where a market has no other ones. */
export function regularHours(props: Pick<DatasetShape, 'sessions' | 'half_days'>) {
  const { sessions, half_days: halfDays } = props;
  const days = new Set(halfDays);
  const regular = sessions.filter(({ name }) => name === 'regular');
  if (regular.length === sessions.length) return null;
  const isIn = (time: ChartTime) => {
    const text = new Date(time * 1000).toISOString();
    const [day, clock] = [text.slice(0, 10), text.slice(11, 16)];
    return regular.some((session) => {
      const { half_day_start: halfStart, half_day_end: halfEnd } = session;
      const [start, end] = days.has(day) ? [halfStart, halfEnd] : [session.start, session.end];
      // A session that begins on the evening before goes over midnight.
      return start < end ? start <= clock && clock < end : start <= clock || clock < end;
    });
  };
  return (...times: readonly ChartTime[]) => times.some(isIn);
}
