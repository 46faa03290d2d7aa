import { CME_SESSIONS, type SessionName, US_STOCK_SESSIONS } from '@ticklake/market/sessions.ts';
import { describe, expect, it } from 'vitest';
import { sampleDataset } from '../../test/lake/sample-dataset.ts';
import type { Dataset } from '../catalog/dataset.ts';
import { type BarRules, barRulesOf, type Interval } from '../catalog/interval.ts';
import { dateOfDays, daysOfDate } from '../engine/columns.ts';
import { barClock } from './bar-clock.ts';

const RULES = barRulesOf({ time: 'EventDateTime', by: [] }) as BarRules;
const EQUITIES: Dataset = {
  ...sampleDataset(),
  ...{ sessions: US_STOCK_SESSIONS, intervals: RULES },
};
const FUTURES: Dataset = {
  ...EQUITIES,
  ...{ timeZone: 'America/Chicago', calendar: 'CME', sessions: CME_SESSIONS },
};

/** The date, start and end that the bar of a moment has. */
function barAt(
  interval: Interval,
  local: string,
  isFuture = false,
  firstDate: string | null = null,
  root: string | null = null,
  tradeDate: string | null = null,
  session: SessionName | null = null,
) {
  const dataset = isFuture ? FUTURES : EQUITIES;
  const first = firstDate === null ? null : daysOfDate(firstDate);
  const clock = barClock(dataset, RULES, interval, { firstDate: first, session });
  const moment = Temporal.PlainDateTime.from(local).toZonedDateTime(dataset.timeZone);
  const date = daysOfDate(tradeDate ?? local.slice(0, 10));
  const { bar, endNanos } = clock.spanOf(date, moment.epochNanoseconds, root);
  const localOf = (nanos: bigint) =>
    new Temporal.ZonedDateTime(nanos, dataset.timeZone).toPlainDateTime().toString();
  const label = clock.labelOf(bar, date, moment.epochNanoseconds, root);
  return {
    date: dateOfDays(label.date),
    start: localOf(label.timeNanos),
    end: endNanos === null ? null : localOf(endNanos),
  };
}

describe('bars within a day', () => {
  it.each<[Interval, string, string, string]>([
    ['5m', '2025-06-18T09:34:59', '2025-06-18T09:30:00', '2025-06-18T09:35:00'],
    ['1h', '2025-06-18T09:29:00', '2025-06-18T09:00:00', '2025-06-18T09:30:00'],
    ['1h', '2025-06-18T09:30:00', '2025-06-18T09:30:00', '2025-06-18T10:30:00'],
    ['1h', '2025-06-18T15:45:00', '2025-06-18T15:30:00', '2025-06-18T16:00:00'],
    ['4h', '2025-06-18T14:00:00', '2025-06-18T13:30:00', '2025-06-18T16:00:00'],
    ['2h', '2025-06-18T03:10:00', '2025-06-18T02:00:00', '2025-06-18T04:00:00'],
    // Half days: the market closes at 13:00.
    ['1h', '2025-07-03T12:59:00', '2025-07-03T12:30:00', '2025-07-03T13:00:00'],
    ['1h', '2025-07-03T16:05:00', '2025-07-03T16:00:00', '2025-07-03T17:00:00'],
  ])('of %s at %s begin at %s and end at %s', (interval, moment, start, end) => {
    expect(barAt(interval, moment)).toEqual({ date: moment.slice(0, 10), start, end });
  });

  it('count from the evening on for futures, and keep the calendar day of their rows', () => {
    const evening = barAt('4h', '2025-06-18T20:59:00', true);
    expect(evening).toMatchObject({ date: '2025-06-18', start: '2025-06-18T17:00:00' });
    const night = barAt('4h', '2025-06-19T03:00:00', true);
    expect(night).toMatchObject({ date: '2025-06-19', start: '2025-06-19T01:00:00' });
  });

  it.each<[Interval, string, string]>([
    ['4h', '2025-06-18T23:59:00', '2025-06-18T21:00:00'],
    ['4h', '2025-06-19T00:59:00', '2025-06-18T21:00:00'],
    ['2h', '2025-06-19T00:00:00', '2025-06-18T23:00:00'],
    ['1h', '2025-06-19T00:30:00', '2025-06-19T00:00:00'],
    ['4h', '2025-06-19T16:30:00', '2025-06-19T13:00:00'],
    // Clocks are set back at 02:00, and put forward.
    ['4h', '2025-11-02T00:30:00', '2025-11-01T21:00:00'],
    ['2h', '2025-03-09T03:30:00', '2025-03-09T01:00:00'],
  ])('of futures go over midnight: %s at %s begin at %s', (interval, moment, start) => {
    expect(barAt(interval, moment, true)).toMatchObject({ date: start.slice(0, 10), start });
  });

  it('begin no earlier than the first day read, for futures', () => {
    const first = barAt('4h', '2025-06-19T00:30:00', true, '2025-06-19');
    expect(first).toMatchObject({ date: '2025-06-19', start: '2025-06-19T00:00:00' });
  });

  it('have no more and no less than their length on days of 23 and 25 hours', () => {
    const spring = barAt('1h', '2025-03-09T03:30:00');
    expect(spring).toMatchObject({ start: '2025-03-09T03:00:00', end: '2025-03-09T04:00:00' });
    const autumn = barAt('2h', '2025-11-02T03:30:00');
    expect(autumn.start).toBe('2025-11-02T03:00:00');
  });
});

describe('bars of days', () => {
  it.each<[Interval, string, string]>([
    ['1d', '2025-06-18T10:00:00', '2025-06-18'],
    ['1w', '2025-06-18T10:00:00', '2025-06-16'],
    // Monday was a holiday.
    ['1w', '2025-05-29T10:00:00', '2025-05-27'],
    ['1mo', '2025-06-18T10:00:00', '2025-06-02'],
    // A Sunday with rows is a day of its own.
    ['1d', '2025-06-15T10:00:00', '2025-06-15'],
  ])('of %s at %s have the first trading day %s', (interval, moment, date) => {
    expect(barAt(interval, moment)).toEqual({ date, start: `${date}T04:00:00`, end: null });
  });

  it('do not begin before the first day that is read', () => {
    expect(barAt('1mo', '2025-06-18T10:00:00', false, '2025-06-17').date).toBe('2025-06-17');
  });

  it.each([
    ['CL', '2025-01-08T18:00:00', '2025-01-09'],
    ['ES', '2023-04-06T18:00:00', '2023-04-07'],
    ['CL', '2023-04-06T18:00:00', '2023-04-10'],
    // On a holiday with a shortened session.
    ['ES', '2025-01-20T10:00:00', '2025-01-21'],
  ])('of %s at %s are of the session of %s', (root, moment, date) => {
    expect(barAt('1d', moment, true, null, root).date).toBe(date);
  });

  it('begin on the evening before for futures, that of a Monday on Sunday', () => {
    const sunday = barAt('1d', '2025-06-15T18:00:00', true);
    expect(sunday).toEqual({ date: '2025-06-16', start: '2025-06-15T17:00:00', end: null });
    const monday = barAt('1d', '2025-06-16T10:00:00', true);
    expect(monday).toEqual({
      ...{ date: '2025-06-16', start: '2025-06-15T17:00:00' },
      end: '2025-06-16T17:00:00',
    });
    expect(barAt('1d', '2025-06-16T17:00:00', true).date).toBe('2025-06-17');
  });
});

describe('bars of the night before a trade date', () => {
  const atNight = (interval: Interval, local: string, tradeDate: string) =>
    barAt(interval, local, false, null, null, tradeDate);

  it.each<[Interval, string, string, string]>([
    ['1h', '2026-11-19T21:15:00', '2026-11-20', '2026-11-19T21:00:00'],
    ['4h', '2026-11-20T00:15:00', '2026-11-20', '2026-11-20T00:00:00'],
    ['4h', '2026-11-20T03:59:00', '2026-11-20', '2026-11-20T00:00:00'],
    ['4h', '2026-11-20T04:00:00', '2026-11-20', '2026-11-20T04:00:00'],
    // Clocks changed on that Sunday, hours before the night began.
    ['4h', '2026-11-01T21:15:00', '2026-11-02', '2026-11-01T20:00:00'],
    ['4h', '2026-03-08T23:15:00', '2026-03-09', '2026-03-08T20:00:00'],
  ])('of %s at %s have the date %s and begin at %s', (interval, local, date, start) => {
    expect(atNight(interval, local, date)).toMatchObject({ date, start });
  });

  it.each<[Interval, string, string]>([
    ['1d', '2026-11-22T20:00:00', '2026-11-22T20:00:00'],
    ['1w', '2026-11-22T21:15:00', '2026-11-22T20:00:00'],
    ['1d', '2026-11-23T04:00:00', '2026-11-23T04:00:00'],
  ])('of %s whose first row is at %s begin at %s', (interval, local, start) => {
    expect(atNight(interval, local, '2026-11-23')).toEqual({
      date: '2026-11-23',
      start,
      end: null,
    });
  });

  it.each<[SessionName, string, string]>([
    ['overnight', '2026-11-20T02:00:00', '2026-11-19T20:00:00'],
    ['extended', '2026-11-20T16:00:00', '2026-11-20T04:00:00'],
    ['regular', '2026-11-20T10:00:00', '2026-11-20T09:30:00'],
  ])('of the session %s alone begin with it', (session, local, start) => {
    expect(barAt('1d', local, false, null, null, '2026-11-20', session).start).toBe(start);
  });
});

describe('files of bars may begin', () => {
  const beginsOn = (interval: Interval, day: string, isFuture = false) => {
    return barClock(isFuture ? FUTURES : EQUITIES, RULES, interval, {
      firstDate: null,
      session: null,
    }).beginsOn(daysOfDate(day));
  };

  it.each<[Interval, string, boolean]>([
    ['5m', '2025-06-18', true],
    ['1d', '2025-06-18', true],
    ['1w', '2025-06-18', false],
    ['1w', '2025-06-16', true],
    ['1mo', '2025-06-16', false],
    ['1mo', '2025-06-01', true],
    ['1w', '2025-01-01', false],
    ['1mo', '2025-01-01', true],
  ])('of %s with %s: %s', (interval, day, may) => {
    expect(beginsOn(interval, day)).toBe(may);
  });

  it('on no day of futures whose bar begins on the evening before', () => {
    expect(beginsOn('1h', '2025-06-18', true)).toBe(true);
    expect(beginsOn('2h', '2025-06-18', true)).toBe(false);
    expect(beginsOn('1d', '2025-06-18', true)).toBe(false);
  });
});
