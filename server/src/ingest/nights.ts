/** Rows of a night that files date by the calendar, on a day that is no trading day. */
import { tradingDayFrom } from '@ticklake/market/calendars.ts';
import { eveningNanos, nightSeconds } from '@ticklake/market/sessions.ts';
import { counted } from '../base/printable.ts';
import type { Dataset } from '../catalog/dataset.ts';
import type { PartWriter } from '../engine/engine.ts';
import type { CheckFinding } from '../lake/check-findings.ts';
import { addDays } from '../request/literals.ts';
import { utcOfMarketTime } from '../time/market-time.ts';

/**
 * Gives the rows of such an evening the trade date that their night belongs to, and tells of them.
 * On a trading day, the rows of an evening may be late ones of that day, so they stay.
 */
export async function dateNights(
  { calendar, dateColumn, sameDayColumns, sessions, timeZone }: Dataset,
  writer: PartWriter,
): Promise<CheckFinding[]> {
  const [timeColumn] = sameDayColumns;
  if (timeColumn === undefined || nightSeconds(sessions) === 0) return [];
  const findings: CheckFinding[] = [];
  for (const { date } of await writer.dates()) {
    const newDate = addDays(date, 1);
    if (tradingDayFrom(calendar, date) !== newDate) continue;
    const startNanos = utcOfMarketTime(timeZone, newDate, -eveningNanos(sessions));
    const rowCount = await writer.redate({ date, timeColumn, startNanos, newDate });
    if (rowCount === 0) continue;
    const name = `${dateColumn} is the trade date of the night`;
    const found = `${counted(rowCount, 'row')} of ${date}, no trading day, now of ${newDate}; load them together with the other rows of that date`;
    findings.push({ name, severity: 'warn', expected: name, rowCount, rows: [], found });
  }
  return findings;
}
