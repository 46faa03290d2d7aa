import { expect, it } from 'vitest';
import { missingOf, notesOf } from './told.ts';
import type { QueryForm } from './types.ts';

it.each([
  ['2 of 3: BRK%2FA, NOPE', { count: 2, of: 3, names: ['BRK/A', 'NOPE'] }],
  ['0 of 3', { count: 0, of: 3, names: [] }],
  ['1 of 2: BRK%zFA', { count: 1, of: 2, names: ['BRK%zFA'] }],
  ['some', null],
  [null, null],
])('the header of missing identifiers is read, whatever became of it: %s', (text, missing) => {
  expect(missingOf(text)).toEqual(missing);
});

const RULES = [
  { start_date: '2025-01-01', end_date: '2025-12-31', universe_identifiers: [] },
  { start_date: '2024-01-01', end_date: '2024-04-30', universe_identifiers: [] },
  { start_date: '2024-05-01', end_date: '2024-06-30', universe_identifiers: [] },
];
const OF_TICKERS = [
  { start_date: '2024-01-01', end_date: '2024-12-31', universe_identifiers: ['AAA', 'BOTH'] },
  { start_date: '2025-01-01', end_date: '2025-12-31', universe_identifiers: ['BBB', 'BOTH'] },
];

function notes(rules: QueryForm['rules'], where: Readonly<Record<string, string | string[]>>) {
  const form = {
    rules,
    date_column: 'TradeDate',
    identifier_columns: ['Ticker'],
    required_filters: [],
  };
  const told = { window: null, symbols: null, missing: null, unadjusted: null, hint: null };
  return [...notesOf(told, form as unknown as QueryForm, { where }, '2026-07-01')];
}

const SAID = "The account's rules leave out some of these dates; it may read";
const WHOLE = { 'TradeDate.ge': '2024-01-01', 'TradeDate.le': '2025-12-31' };

it.each([
  [{ 'TradeDate.ge': '2020-01-01' }, '2024-01-01/2024-06-30, 2025-01-01/2025-12-31'],
  [{ 'TradeDate.le': '2024-03-01' }, '2024-01-01/2024-06-30'],
  [WHOLE, '2024-01-01/2024-06-30, 2025-01-01/2025-12-31'],
  [{ 'TradeDate.ge': '2024-01-01', 'TradeDate.le': '2024-06-30' }, null],
  [{ TradeDate: ['2024-01-01', '2025-06-30'] }, null],
])('a gap between the windows of rules is told: %j', (where, said) => {
  expect(notes(RULES, where)).toEqual(said === null ? [] : [`${SAID} ${said}`]);
});

it.each([
  ['AAA', '2024-01-01/2024-12-31'],
  ['BBB', '2025-01-01/2025-12-31'],
  [['AAA', 'BBB'], '2024-01-01/2024-12-31; of others, 2025-01-01/2025-12-31'],
  [undefined, '2024-01-01/2024-12-31; of others, 2025-01-01/2025-12-31'],
  ['BOTH', null],
])('rules of other identifiers close no gap: %j', (Ticker, said) => {
  const found = notes(OF_TICKERS, { ...WHOLE, ...(Ticker && { Ticker }) });
  expect(found).toEqual(said === null ? [] : [`${SAID} ${said}`]);
});
