/** The IANA name of a time zone, such as `America/New_York`. */
export type TimeZone = string;

/** The names of time zones in words, to be read after 'must be'. */
export const TIME_ZONE_LEGAL = 'the IANA name of a time zone, such as America/New_York';

/** True if the runtime knows a zone of that name, in the very letters of its name. */
export function isTimeZone(text: string): boolean {
  if (!/^[A-Z]/.test(text)) return false;
  try {
    return new Temporal.ZonedDateTime(0n, text).timeZoneId === text;
  } catch {
    return false;
  }
}
