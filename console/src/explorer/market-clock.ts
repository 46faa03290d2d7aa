/** The clock of a market, for many moments: `Intl` is asked once for a day, or once for an hour where clocks change. */

const SECONDS_PER_HOUR = 3600;
const SECONDS_PER_DAY = 86_400;

/** Seconds that the market's clock is ahead of UTC. */
export type ClockOffset = (utcSeconds: number) => number;

function askedOffset(timeZone: string): ClockOffset {
  const format = new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' });
  return (utcSeconds) => {
    const parts = format.formatToParts(utcSeconds * 1000);
    const name = parts.find(({ type }) => type === 'timeZoneName')?.value ?? '';
    const [, sign = '+', hours = '0', minutes = '0', seconds = '0'] =
      /([+-])(\d\d):(\d\d)(?::(\d\d))?/.exec(name) ?? [];
    const size = Number(hours) * SECONDS_PER_HOUR + Number(minutes) * 60 + Number(seconds);
    return sign === '-' ? -size : size;
  };
}

/** `timeZone`: a name of the IANA database, such as `America/New_York`. */
export function clockOffset(timeZone: string): ClockOffset {
  const ask = askedOffset(timeZone);
  const ofHours = new Map<number, number>();
  const ofDays = new Map<number, number | null>();
  const remembered = <T>(known: Map<number, T>, key: number, find: () => T): T => {
    if (!known.has(key)) known.set(key, find());
    return known.get(key) as T;
  };
  const ofDay = (day: number) => {
    const [first, last] = [ask(day * SECONDS_PER_DAY), ask((day + 1) * SECONDS_PER_DAY - 1)];
    return first === last ? first : null;
  };
  return (utcSeconds) => {
    const day = Math.floor(utcSeconds / SECONDS_PER_DAY);
    const hour = Math.floor(utcSeconds / SECONDS_PER_HOUR);
    return (
      remembered(ofDays, day, () => ofDay(day)) ??
      remembered(ofHours, hour, () => ask(hour * SECONDS_PER_HOUR))
    );
  };
}
