/**
 * One value as text, the same in every format: dates `YYYY-MM-DD`, times ISO-8601 with the market's
 * offset at that moment, numbers as the shortest decimal that reads back, without exponent.
 */
import type { TimeZone } from '../catalog/dataset.ts';
import { dateOfDays } from '../engine/columns.ts';
import { offsetIntervalAt } from '../time/market-time.ts';

const NANOS_PER_MINUTE = 60_000_000_000n;

/** Shortest decimal of a finite double, in plain notation. */
export function numberText(value: number): string {
  const text = String(value);
  const exponentAt = text.indexOf('e');
  return exponentAt === -1 ? text : plainDecimal(text, exponentAt);
}

/** Moves the point of `d.ddde±x` by hand: the digits stay those of the shortest form. */
function plainDecimal(text: string, exponentAt: number): string {
  const exponent = Number(text.slice(exponentAt + 1));
  const sign = text.startsWith('-') ? '-' : '';
  const [whole, fraction = ''] = text.slice(sign.length, exponentAt).split('.');
  const digits = `${whole}${fraction}`;
  const pointAt = 1 + exponent;
  return pointAt <= 0
    ? `${sign}0.${'0'.repeat(-pointAt)}${digits}`
    : `${sign}${digits.padEnd(pointAt, '0')}`;
}

/** Dates of days since 1970-01-01; remembers the last one, because dates repeat down a page. */
export function dateFormatter(): (days: number) => string {
  let lastDays = Number.NaN;
  let lastText = '';
  return (days) => {
    if (days !== lastDays) {
      lastDays = days;
      lastText = dateOfDays(days);
    }
    return lastText;
  };
}

const TWO_DIGITS = Array.from({ length: 60 }, (_, i) => String(i).padStart(2, '0'));

function offsetText(offsetSeconds: number): string {
  const minutes = Math.round(Math.abs(offsetSeconds) / 60);
  const sign = offsetSeconds < 0 ? '-' : '+';
  return `${sign}${String(Math.floor(minutes / 60)).padStart(2, '0')}:${TWO_DIGITS[minutes % 60]}`;
}

/**
 * Times of UTC nanoseconds on the market's clock, with 9 or 0 fraction digits. Remembers the
 * minute it is in: the rest of the text is then two small numbers.
 */
export function timeFormatter(zone: TimeZone, fractionDigits: 0 | 9): (nanos: bigint) => string {
  let minuteStart = 0n;
  let minuteText = '';
  let offset = '';
  const enterMinute = (nanos: bigint) => {
    const remainder = ((nanos % NANOS_PER_MINUTE) + NANOS_PER_MINUTE) % NANOS_PER_MINUTE;
    minuteStart = nanos - remainder;
    const epochSeconds = Number(minuteStart / 1_000_000_000n);
    const { offsetSeconds } = offsetIntervalAt(zone, epochSeconds);
    const local = new Date((epochSeconds + offsetSeconds) * 1000).toISOString();
    minuteText = local.slice(0, 17);
    offset = offsetText(offsetSeconds);
  };
  return (nanos) => {
    let inMinute = Number(nanos - minuteStart);
    if (minuteText === '' || inMinute < 0 || inMinute >= 60e9) {
      enterMinute(nanos);
      inMinute = Number(nanos - minuteStart);
    }
    const second = Math.floor(inMinute / 1e9);
    const whole = `${minuteText}${TWO_DIGITS[second]}`;
    if (fractionDigits === 0) return `${whole}${offset}`;
    const fraction = String(1e9 + (inMinute - second * 1e9)).slice(1);
    return `${whole}.${fraction}${offset}`;
  };
}
