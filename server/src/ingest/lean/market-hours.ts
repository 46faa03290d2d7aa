/** Reads data time zones and full-day closures from LEAN's market hours database. */
import { readFileSync } from 'node:fs';
import { UsageError } from '../../base/errors.ts';
import { pathFailure } from '../../base/failure-text.ts';
import { filesOf, type LeanFolder } from './scan-folder.ts';

export interface MarketHours {
  /** Full-day closures of US equities on weekdays, `YYYY-MM-DD`, oldest first. */
  readonly holidays: readonly string[];
  /** The clock of the files of a futures root, as the database writes it; null when unknown. */
  futuresTimeZone(market: string, root: string): string | null;
}

interface Entry {
  readonly dataTimeZone?: string;
  readonly holidays?: readonly string[];
}
type Entries = Readonly<Record<string, Entry>>;

const US_DATE = /^(\d{1,2})\/(\d{1,2})\/(\d{4})$/;

function dateOfHoliday(fileName: string, text: string): string {
  const [, month, day, year] = US_DATE.exec(text) ?? [];
  const date = `${year}-${month?.padStart(2, '0')}-${day?.padStart(2, '0')}`;
  if (Number.isNaN(Date.parse(date))) {
    throw new UsageError(`${fileName}: the holiday ${text} should be a date M/D/YYYY`);
  }
  return date;
}

function isWeekend(date: string): boolean {
  return new Date(date).getUTCDay() % 6 === 0;
}

function readEntries(path: string, name: string): Entries {
  try {
    const { entries } = JSON.parse(readFileSync(path, 'utf8')) as { entries?: Entries };
    if (entries !== null && typeof entries === 'object') return entries;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw pathFailure(path, error);
    throw new UsageError(`${name} is not JSON: ${error.message}`);
  }
  throw new UsageError(`${name} has no "entries"`);
}

/** The folder's database; without one, no holidays are known and no time zone. */
export function readMarketHours(folder: LeanFolder): MarketHours {
  const [file] = filesOf(folder, 'market hours');
  const entries = file ? readEntries(file.path, file.name) : {};
  const listed = entries['Equity-usa-[*]']?.holidays ?? [];
  const dates = listed.map((text) => dateOfHoliday(file?.name ?? '', text));
  const holidays = [...new Set(dates)].filter((date) => !isWeekend(date)).sort();
  return {
    holidays,
    futuresTimeZone: (market, root) => {
      const entry = entries[`Future-${market}-${root.toUpperCase()}`];
      return (entry ?? entries[`Future-${market}-[*]`])?.dataTimeZone ?? null;
    },
  };
}
