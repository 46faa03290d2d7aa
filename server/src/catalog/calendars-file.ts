/**
 * `calendars.yaml` in the home: days of a market that nobody foresaw, such as one of mourning, and
 * its sessions if they are other than the shipped ones.
 */
import { existsSync, readFileSync } from 'node:fs';
import {
  CALENDAR_NAMES,
  type CalendarName,
  calendarName,
  DAY_KINDS,
  type DayKind,
  sessionsOfCalendar,
} from '@ticklake/market/calendars.ts';
import type { Session } from '@ticklake/market/sessions.ts';
import * as v from 'valibot';
import { UsageError } from '../base/errors.ts';
import { readValue, type ValuePath } from '../schema/read-value.ts';
import { legal, objectOf } from '../schema/schema.ts';
import type { Dataset } from './dataset.ts';
import { DATE, SESSION } from './definition.ts';
import { checkSessions } from './definition-checks.ts';
import { COMPLAINTS, definitionText, sessionOf } from './definition-file.ts';

const DAYS_LEGAL = `dates YYYY-MM-DD, each one of ${DAY_KINDS.join(', ')}`;
const DAYS = v.record(DATE, v.pipe(v.picklist(DAY_KINDS), legal(`one of ${DAY_KINDS.join(', ')}`)));
const CALENDAR = objectOf({
  source: v.pipe(v.string(), v.regex(/\S/), legal('a text that says who states this')),
  days: v.optional(v.pipe(DAYS, legal(DAYS_LEGAL))),
  sessions: v.optional(v.pipe(v.array(SESSION), legal('a list of sessions'))),
});
const CHANGES = v.optional(v.pipe(CALENDAR, legal('the fields source, days, sessions')));
const FILE = objectOf({
  XNYS: CHANGES,
  CME: CHANGES,
  weekdays: CHANGES,
  every_day: CHANGES,
} satisfies Record<CalendarName, typeof CHANGES>);

export interface CalendarChanges {
  readonly days: Readonly<Record<string, DayKind>>;
  /** Undefined: the shipped ones. */
  readonly sessions?: readonly Session[] | undefined;
}

/** By the names of the calendars. Throws a `UsageError` with a line for each fault. */
export function readCalendars(path: string): ReadonlyMap<CalendarName, CalendarChanges> {
  if (!existsSync(path)) return new Map();
  const source = definitionText(path, readFileSync(path, 'utf8'));
  const faults = source.faults();
  const report = (field: ValuePath, message: string) =>
    faults.push(`${source.place(field)} ${message}`);
  const read = readValue(FILE, faults.length > 0 ? {} : (source.value() ?? {}));
  for (const fault of read.faults) report(fault.path, COMPLAINTS[fault.type](fault));
  const calendars = new Map<CalendarName, CalendarChanges>();
  for (const name of CALENDAR_NAMES) {
    const stated = read.faults.length === 0 ? read.value[name] : undefined;
    if (!stated) continue;
    checkSessions({ definition: stated, report: (at, message) => report([name, ...at], message) });
    calendars.set(name, { days: stated.days ?? {}, sessions: stated.sessions?.map(sessionOf) });
  }
  if (faults.length > 0) throw new UsageError(faults);
  return calendars;
}

/** A dataset with the changes of its calendar. Sessions of its own definition stay. */
export function withCalendar(
  dataset: Dataset,
  calendars: ReadonlyMap<CalendarName, CalendarChanges>,
): Dataset {
  const name = calendarName(dataset.calendar);
  const changes = calendars.get(name);
  if (!changes) return dataset;
  const isUsual = dataset.sessions === sessionsOfCalendar(name);
  const sessions = (isUsual && changes.sessions) || dataset.sessions;
  return { ...dataset, calendar: { name, days: changes.days }, sessions };
}
