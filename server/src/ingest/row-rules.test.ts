import { CME_SESSIONS, type Session, US_STOCK_SESSIONS } from '@ticklake/market/sessions.ts';
import { expect, test } from 'vitest';
import { sampleDataset } from '../../test/lake/sample-dataset.ts';
import { batchOfRows } from '../engine/columns.ts';
import { requireRowRules } from './row-rules.ts';

const DAY_NANOS = 86_400_000_000_000n;
const DAY = 20_770;

test.each([
  ['a time on another day', 'A', DAY_NANOS, /EventDateTime ".*" is not a time on .*, the row's/],
  ['an empty identifier', '', 0n, /Ticker "" is not an identifier; leave out the quotes for null$/],
  [
    'a dot segment of a URL',
    '..',
    0n,
    /Ticker "\.\." is not an identifier other than '\.' and '\.\.'/,
  ],
  ['an identifier with a line end', 'A\nB', 0n, /Ticker "A\\nB" is not an identifier other/],
])('rows that break a rule are told: %s', (_name, ticker, by, message) => {
  const dataset = { ...sampleDataset('day'), sameDayColumns: ['EventDateTime'] };
  const noon = BigInt(DAY) * DAY_NANOS + 17n * 3_600_000_000_000n;
  const row = (name: string, time: bigint) => [DAY, name, time, 1, 1n, null] as const;
  const rulesOf = (...rows: ReturnType<typeof row>[]) =>
    requireRowRules(dataset, batchOfRows(dataset.columns, rows));
  for (const fit of ['A', 'B C', 'BRK.', '.A', '...', '. .', 'É.']) rulesOf(row(fit, noon));
  requireRowRules(dataset, batchOfRows(dataset.columns, [[DAY, null, null, 1, null, null]]));
  expect(() => rulesOf(row('A', noon), row(ticker, noon + by))).toThrow(message);
});

test('a time of the night before its date is kept if rows of the night have that date', () => {
  const dataset = { ...sampleDataset('day'), sameDayColumns: ['EventDateTime'] };
  // 20:00 in New York, five hours behind.
  const night = BigInt(DAY) * DAY_NANOS + 3_600_000_000_000n;
  const judge = (time: bigint, sessions: readonly Session[]) => {
    const rows = batchOfRows(dataset.columns, [[DAY, 'A', time, 1, 1n, null]]);
    requireRowRules({ ...dataset, sessions }, rows);
  };
  judge(night, US_STOCK_SESSIONS);
  expect(() => judge(night - 1n, US_STOCK_SESSIONS)).toThrow('or from 20:00 on the day before');
  expect(() => judge(night, CME_SESSIONS)).toThrow('EventDateTime');
});

test.each([
  ['the first nanosecond of its day', 5n * 3600n * 1_000_000_000n, true],
  ['the last nanosecond of the day before', 5n * 3600n * 1_000_000_000n - 1n, false],
  ['the last nanosecond of its day', 29n * 3600n * 1_000_000_000n - 1n, true],
  ['the first nanosecond of the day after', 29n * 3600n * 1_000_000_000n, false],
])('a time at %s is judged to the nanosecond', (_name, sinceMidnight, isKept) => {
  const dataset = { ...sampleDataset('day'), sameDayColumns: ['EventDateTime'] };
  const row = [DAY, 'A', BigInt(DAY) * DAY_NANOS + sinceMidnight, 1, 1n, null] as const;
  const judge = () => requireRowRules(dataset, batchOfRows(dataset.columns, [row]));
  if (isKept) judge();
  else expect(judge).toThrow('EventDateTime');
});
