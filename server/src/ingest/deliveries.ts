/** Holds a delivery of files to what a definition, a recipe or a night expects of it. */
import { isHalfDayOf, isTradingDayOf } from '@ticklake/market/calendars.ts';
import { counted, firstNames } from '../base/printable.ts';
import type { Dataset } from '../catalog/dataset.ts';
import type { Expectation } from '../catalog/expectations.ts';
import { dateOfDays, daysOfDate } from '../engine/columns.ts';
import type { WrittenDate } from '../engine/engine.ts';
import type { DateSpan } from '../engine/query-plan.ts';
import type { CheckFinding } from '../lake/check-findings.ts';

/** Rows of a date. */
export type DateCount = Pick<WrittenDate, 'date' | 'rowCount'>;

/** Counts the published rows of a dataset on each date of a span, in order. */
export type CountPublished = (dataset: Dataset, dates: DateSpan) => Promise<readonly DateCount[]>;

/** No other digits stand beside it, but those of a time of day behind it. */
const DATE_IN_NAME =
  /(?<!\d)(?:19|20|21)\d\d-?(?:0[1-9]|1[0-2])-?(?:0[1-9]|[12]\d|3[01])(?=(?:\d{4}|\d{6})?(?!\d))/g;
const SHOWN_MAX = 3;

/** The dates in the name of a file, such as `trades-20260105.csv`, in order. */
export function datesInName(path: string): string[] {
  const found = path.split(/[\\/]/).at(-1)?.match(DATE_IN_NAME) ?? [];
  return found
    .map((date) => date.replaceAll('-', '').replace(/(....)(..)(..)/, '$1-$2-$3'))
    .filter((date) => dateOfDays(daysOfDate(date)) === date)
    .sort();
}

/** True if it is the date in the name of a file, or lies between the two dates there. */
export function isInName(path: string, date: string): boolean {
  const inName = datesInName(path);
  return (inName[0] ?? '') <= date && date <= (inName.at(-1) ?? '');
}

/** Usual numbers of rows are those of so many days before a date. */
const USUAL_DAYS = 91;
/** Dates of one weekday that are enough to compare with these alone. */
const WEEKDAYS_MIN = 6;
const DATES_MIN = 3;
const DATES_MAX = 20;

/** The earlier days that a date may be compared with. */
export function usualSpan(dates: readonly DateCount[]): DateSpan {
  const [first, last] = [dates[0]?.date ?? '', dates.at(-1)?.date ?? ''];
  return { start: dateOfDays(daysOfDate(first) - USUAL_DAYS), end: last };
}

const DAYS_OF_WEEK = 7;

function median(counts: readonly number[]): number {
  const sorted = counts.toSorted((a, b) => a - b);
  const middle = (sorted.length - 1) / 2;
  return ((sorted[Math.floor(middle)] ?? 0) + (sorted[Math.ceil(middle)] ?? 0)) / 2;
}

/**
 * The median of the rows on earlier dates, of the same weekday if there are enough of them. Half
 * days are not compared. Null: too few dates are known.
 */
export function usualRowCount(
  { calendar }: Pick<Dataset, 'calendar'>,
  date: string,
  published: readonly DateCount[],
): number | null {
  if (isHalfDayOf(calendar, date)) return null;
  const day = daysOfDate(date);
  const earlier = published.filter((each) => {
    const distance = day - daysOfDate(each.date);
    return distance > 0 && distance <= USUAL_DAYS && !isHalfDayOf(calendar, each.date);
  });
  const same = earlier.filter((each) => (day - daysOfDate(each.date)) % DAYS_OF_WEEK === 0);
  const compared = same.length >= WEEKDAYS_MIN ? same : earlier.slice(-DATES_MAX);
  return compared.length < DATES_MIN ? null : median(compared.map(({ rowCount }) => rowCount));
}

export interface Delivery {
  readonly dataset: Dataset;
  readonly fileNames: readonly string[];
  /** The dates of its rows, in order. */
  readonly dates: readonly WrittenDate[];
  /** Rows of earlier dates, in their order. */
  readonly published: readonly DateCount[];
  /** True if its rows are all of their dates, so that these can be judged. */
  readonly isWhole: boolean;
}

interface Unmet {
  readonly expected: string;
  readonly found: string;
}

function judgeNames({ dataset, fileNames, dates }: Delivery): readonly Unmet[] {
  const expected = 'the rows of a file have the date in its name';
  const named = fileNames.map((name) => ({ name, inName: datesInName(name) }));
  const nameless = named.filter(({ inName }) => inName.length === 0).map(({ name }) => name);
  if (nameless.length > 0) {
    return [{ expected, found: `no date in the name ${firstNames(nameless, SHOWN_MAX)}` }];
  }
  const isNamed = (date: string) => fileNames.some((name) => isInName(name, date));
  const others = dates.map(({ date }) => date).filter((date) => !isNamed(date));
  const absent = named
    .flatMap(({ inName }) => (inName.length === 1 ? inName : []))
    .filter((date) => isTradingDayOf(dataset.calendar, date))
    .filter((date) => !dates.some((each) => each.date === date));
  const texts = [
    ...(others.length > 0 ? [`rows of ${firstNames(others, SHOWN_MAX)}`] : []),
    ...(absent.length > 0 ? [`no rows of ${firstNames(absent, SHOWN_MAX)}`] : []),
  ];
  if (texts.length === 0) return [];
  const names = firstNames(fileNames, SHOWN_MAX);
  return [{ expected, found: `${texts.join(' and ')} in ${names}` }];
}

function judgeRowCounts(
  { dataset, dates, published }: Delivery,
  { usual_percent_min: min = 0, usual_percent_max: max }: Expectation,
): readonly Unmet[] {
  return dates.flatMap((each) => {
    const usual = usualRowCount(dataset, each.date, published);
    if (usual === null || !isTradingDayOf(dataset.calendar, each.date)) return [];
    const percent = (each.rowCount / usual) * 100;
    if (percent >= min && percent <= (max ?? percent)) return [];
    const bound = percent < min ? `at least ${min}%` : `at most ${max}%`;
    const expected = `a date has ${bound} of its usual rows`;
    const found = `${counted(each.rowCount, 'row')} on ${each.date}, where ${usual.toLocaleString('en-US')} are usual`;
    return [{ expected, found }];
  });
}

function judgeIdentifiers(delivery: Delivery, { identifiers = [] }: Expectation) {
  const expected = 'each date has rows of certain identifiers';
  return delivery.dates.flatMap(({ date, missing }) => {
    const absent = missing.filter((identifier) => identifiers.includes(identifier));
    if (absent.length === 0) return [];
    return [{ expected, found: `none of ${firstNames(absent, SHOWN_MAX)} on ${date}` }];
  });
}

/** True if the rows of a file have the date in its name. */
export function expectsNamedDates(expectations: readonly Expectation[]): boolean {
  return expectations.some(({ date_in_name: isAsked = false }) => isAsked);
}

/** True if rows are compared with those of earlier dates. */
export function needsUsual(expectations: readonly Expectation[]): boolean {
  return expectations.some(
    ({ usual_percent_min: min, usual_percent_max: max }) => (min ?? max) !== undefined,
  );
}

/** `needsWhole`: only where the rows are all of their dates. */
const JUDGES: readonly {
  readonly judge: (delivery: Delivery, expectation: Expectation) => readonly Unmet[];
  readonly needsWhole: boolean;
  readonly isAsked: (expectation: Expectation) => boolean;
}[] = [
  { judge: judgeNames, needsWhole: false, isAsked: (each) => expectsNamedDates([each]) },
  { judge: judgeRowCounts, needsWhole: true, isAsked: (expectation) => needsUsual([expectation]) },
  {
    judge: judgeIdentifiers,
    needsWhole: true,
    isAsked: ({ identifiers }) => identifiers !== undefined,
  },
];

/** Findings for each expectation that a delivery does not meet. */
export function unmetExpectations(
  delivery: Delivery,
  expectations: readonly Expectation[],
): CheckFinding[] {
  const rowCount = delivery.dates.reduce((sum, each) => sum + each.rowCount, 0);
  return expectations.flatMap((expectation) => {
    const { on_failure: severity = 'refuse' } = expectation;
    const judges = JUDGES.filter(
      ({ isAsked, needsWhole }) => isAsked(expectation) && (delivery.isWhole || !needsWhole),
    );
    const unmet = judges.flatMap(({ judge }) => judge(delivery, expectation));
    return unmet.map(({ expected, found }) => {
      return { name: expected, severity, expected, rowCount, rows: [], found };
    });
  });
}

/** The finding for columns, or fields of a recipe, that are not read. */
export function otherColumnsFinding(names: Iterable<string>): CheckFinding[] {
  const found = [...names];
  if (found.length === 0) return [];
  const expected = 'the columns of the files are known';
  const text = `${firstNames(found, SHOWN_MAX)}, which ${found.length === 1 ? 'is' : 'are'} not read`;
  return [{ name: expected, severity: 'warn', expected, rowCount: 0, rows: [], found: text }];
}

export const HOLDS_ROWS = 'each file holds rows';

/** The finding for files that are left out, as they cannot hold rows. */
export function rowlessFinding(names: readonly string[]): CheckFinding[] {
  if (names.length === 0) return [];
  const [name, expected] = [HOLDS_ROWS, HOLDS_ROWS];
  const found = `${firstNames(names, SHOWN_MAX)}, left out: empty, or notes by the name`;
  return [{ name, severity: 'warn', expected, rowCount: 0, rows: [], found }];
}
