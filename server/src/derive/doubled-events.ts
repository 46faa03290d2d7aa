/** Tells events that were loaded twice, by the first ones of an instrument's day. */
import type { Dataset } from '../catalog/dataset.ts';
import type { ComputationInput } from './computation.ts';
import { type GatheredEvents, type InstrumentDay, placeOfDay } from './instrument-days.ts';

/** Enough to tell, and little beside the events that are computed from. */
const SAMPLE = 64;
/** So many different events that chance has not repeated each. */
const DISTINCT_MIN = 8;

/** Moments are whole in a sample: events of the last one may go on behind it. */
function sampleEnd({ nanosOfDay, length }: GatheredEvents): number {
  if (length <= SAMPLE) return length;
  let end = SAMPLE;
  while (end > 0 && nanosOfDay.at(end - 1) === nanosOfDay.at(SAMPLE)) end--;
  return end;
}

/** Whether each of the first events is there more than once, with all that is read of it. */
function areDoubled(events: GatheredEvents): boolean {
  const counts = new Map<string, number>();
  const end = sampleEnd(events);
  for (let i = 0; i < end; i++) {
    const texts = events.texts.map((codes) => codes.textAt(i));
    const numbers = events.numbers.map((doubles) => doubles.at(i));
    const key = [events.nanosOfDay.at(i), ...texts, ...numbers].join();
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return counts.size >= DISTINCT_MIN && [...counts.values()].every((count) => count > 1);
}

/** They are computed as they are: whether they are to be there once, nothing in them tells. */
export function warnOfDoubled(
  ticks: Dataset,
  day: InstrumentDay,
  warn: ComputationInput['warn'],
): void {
  if (areDoubled(day.events)) {
    warn(`${placeOfDay(ticks, day)}: each event is there more than once; was a file loaded twice?`);
  }
}
