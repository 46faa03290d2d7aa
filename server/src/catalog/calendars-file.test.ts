import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isHalfDayOf, isTradingDayOf, tradingDayAfter } from '@ticklake/market/calendars.ts';
import { afterAll, expect, test } from 'vitest';
import { UsageError } from '../base/errors.ts';
import { openCatalog } from '../open-services.ts';
import type { Dataset } from './dataset.ts';

const home = mkdtempSync(join(tmpdir(), 'ticklake-calendars-'));
afterAll(() => rmSync(home, { recursive: true }));

function datasetsWith(text: string): (textId: string) => Dataset {
  writeFileSync(join(home, 'calendars.yaml'), text);
  const catalog = openCatalog(home);
  return (textId) => catalog.byTextId(textId) as Dataset;
}

test('days of the home are those of every dataset with the calendar, and of no other', () => {
  const dataset = datasetsWith(`
XNYS:
  source: A notice of the exchanges
  days: { 2027-01-11: closed, 2027-01-12: half_day, 2027-12-24: open }
`);
  for (const { calendar } of [dataset('eq_taq'), dataset('eq_trades_1min_adj')]) {
    expect(isTradingDayOf(calendar, '2027-01-11')).toBe(false);
    expect(tradingDayAfter(calendar, '2027-01-08')).toBe('2027-01-12');
    const days = ['2027-01-12', '2027-12-23', '2027-12-24', '2027-11-26'];
    expect(days.map((day) => isHalfDayOf(calendar, day))).toEqual([true, false, false, true]);
    expect(isTradingDayOf(calendar, '2027-12-24')).toBe(true);
  }
  expect(dataset('fut_taq').calendar).toBe('CME');
});

test('sessions of the home are those of datasets that state none of their own', () => {
  const dataset = datasetsWith(`
XNYS:
  source: A notice of the exchanges
  sessions: [{ name: regular, start: "09:00", end: "17:00" }]
`);
  expect(dataset('eq_taq').sessions).toEqual([{ name: 'regular', start: '09:00', end: '17:00' }]);
  expect(dataset('opt_trades').sessions).toMatchObject([{ start: '09:30', end: '16:15' }]);
});

test.each([
  ['XNAS: { source: a }', /calendars.yaml:1: XNAS is not a field; legal fields: XNYS, CME/],
  ['XNYS: { days: {} }', /calendars.yaml:1: XNYS.source is missing/],
  ['XNYS: { source: a, days: { 2027-01-11: shut } }', /one of open, half_day, closed, not "shut"/],
  ['XNYS: { source: a, days: { 2027-13-11: open } }', /calendars.yaml:1: XNYS.days/],
  ['XNYS: { source: a, days: { 2026-02-31: open } }', /calendars.yaml:1: XNYS.days.*2026-02-31/],
  [
    'XNYS: { source: a, sessions: [{ name: regular, start: "9", end: "10:00" }] }',
    /HH:MM, not "9"/,
  ],
  [
    'XNYS: { source: a, sessions: [{ name: regular, start: "10:00", end: "09:00" }, { name: regular, start: "08:00", end: "09:30" }] }',
    /XNYS.sessions\[1\].start must not be before 09:00/,
  ],
  ['XNYS: [', /calendars.yaml:1/],
])('a file with a fault is refused, with its line: %s', (text, message) => {
  expect(() => datasetsWith(text)).toThrow(UsageError);
  expect(() => datasetsWith(text)).toThrow(message);
});
