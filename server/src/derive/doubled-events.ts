/** Tells events that were loaded twice, by samples of an instrument's day. */
import type { Dataset } from '../catalog/dataset.ts';
import type { ComputationInput } from './computation.ts';
import { type GatheredEvents, type InstrumentDay, placeOfDay } from './instrument-days.ts';

/** Enough to tell, and little beside the events that are computed from; fewer of a short day. */
const SAMPLE_EVENTS_MAX = 64;
const SAMPLE_EVENTS_MIN = 16;
/** A file of a part of the day may have been loaded twice: samples are taken all over it. */
const SAMPLES = 16;
/** So many different events that chance has not repeated each. */
const DISTINCT_MIN = 8;

/** The first event from a place on that is later than the one before it: events of one moment go together. */
function nextMoment({ nanosOfDay, length }: GatheredEvents, from: number): number {
  let at = Math.min(from, length);
  while (at > 0 && at < length && nanosOfDay.at(at) === nanosOfDay.at(at - 1)) at++;
  return at;
}

/** Where samples begin and end; of a short day, all of it. */
function* samplesOf(events: GatheredEvents) {
  const quarter = Math.floor(events.length / 4);
  const size = Math.max(SAMPLE_EVENTS_MIN, Math.min(SAMPLE_EVENTS_MAX, quarter));
  const step = Math.max(size, Math.floor(events.length / SAMPLES));
  for (let at = 0; at < events.length; at += step) {
    const first = nextMoment(events, at);
    yield { first, end: nextMoment(events, first + size) };
  }
}

/** Whether all that is read of two events is the same, but for their times. */
function areEqual({ texts, numbers }: GatheredEvents, a: number, b: number): boolean {
  return (
    numbers.every((each) => Object.is(each.at(a), each.at(b))) &&
    texts.every((codes) => codes.codeAt(a) === codes.codeAt(b))
  );
}

function hasTwin(events: GatheredEvents, at: number, end: number): boolean {
  for (let i = at + 1; i < end; i++) if (areEqual(events, at, i)) return true;
  return false;
}

function eventKey({ texts, numbers }: GatheredEvents, i: number): string {
  return [...texts.map((codes) => codes.codeAt(i)), ...numbers.map((each) => each.at(i))].join();
}

/** How many different events of one moment there are; null: one of them is there once. */
function doubledCount(events: GatheredEvents, first: number, end: number): number | null {
  // Without a text for each event, this nearly always tells.
  if (!hasTwin(events, first, end)) return null;
  const counts = new Map<string, number>();
  for (let i = first; i < end; i++) {
    const key = eventKey(events, i);
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return [...counts.values()].every((count) => count > 1) ? counts.size : null;
}

/** Whether each of the events is there more than once. Moment by moment, since the first one nearly always tells. */
function areDoubled(events: GatheredEvents, first: number, end: number): boolean {
  let distinctCount = 0;
  for (let at = first; at < end; ) {
    const next = nextMoment(events, at + 1);
    const count = doubledCount(events, at, next);
    if (count === null) return false;
    distinctCount += count;
    at = next;
  }
  return distinctCount >= DISTINCT_MIN;
}

/** The time of a sample, as `10:32:05`, whose events are all doubled; null: there is none. */
function doubledFrom(events: GatheredEvents): string | null {
  for (const { first, end } of samplesOf(events)) {
    if (areDoubled(events, first, end)) {
      return new Date(events.nanosOfDay.at(first) / 1e6).toISOString().slice(11, 19);
    }
  }
  return null;
}

/** They are computed as they are: whether they are to be there once, nothing in them tells. */
export function warnOfDoubled(
  ticks: Dataset,
  day: InstrumentDay,
  warn: ComputationInput['warn'],
): void {
  const time = doubledFrom(day.events);
  if (time !== null) {
    const place = placeOfDay(ticks, day);
    warn(
      `${place}: each event from about ${time} on is there more than once; was a file loaded twice?`,
    );
  }
}
