import { expect, test } from 'vitest';
import { sampleDataset } from '../../test/lake/sample-dataset.ts';
import { batchOfRows } from '../engine/columns.ts';
import { requireRowRules } from './row-rules.ts';

const DAY_NANOS = 86_400_000_000_000n;
const DAY = 20_770;

test.each([
  ['a time on another day', 'A', DAY_NANOS, /EventDateTime ".*" is not a time on .*, the row's/],
  ['an empty identifier', '', 0n, /Ticker "" is not an identifier; leave out the quotes for null$/],
  ['an identifier with a line end', 'A\nB', 0n, /Ticker "A\\nB" is not an identifier without/],
])('rows that break a rule are told: %s', (_name, ticker, by, message) => {
  const dataset = { ...sampleDataset('day'), sameDayColumns: ['EventDateTime'] };
  const noon = BigInt(DAY) * DAY_NANOS + 17n * 3_600_000_000_000n;
  const row = (name: string, time: bigint) => [DAY, name, time, 1, 1n, null] as const;
  const rulesOf = (...rows: ReturnType<typeof row>[]) =>
    requireRowRules(dataset, batchOfRows(dataset.columns, rows));
  rulesOf(row('A', noon), row('B C', noon));
  requireRowRules(dataset, batchOfRows(dataset.columns, [[DAY, null, null, 1, null, null]]));
  expect(() => rulesOf(row('A', noon), row(ticker, noon + by))).toThrow(message);
});
