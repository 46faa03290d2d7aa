/** A definition of one's own with a column of every type, which the shipped ones do not have. */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export const TYPED_TEXT_ID = 'typed_rows';

const DEFINITION = `
id: US9301
text_id: ${TYPED_TEXT_ID}
name: Typed Rows
description: Made up for a test.
data_group: Equity
dataset_class: Equity
dataset_format: Market Data
time_granularity: Tick
creation_date: 2025-01-01
is_time_series: true
group: us-equity
segment: typed-rows
path: query
natural_order: [TradeDate, Fee, Ticker]
partition: { unit: month, column: TradeDate }
date_column: TradeDate
universe: [Ticker]
time_zone: America/New_York
schedule: { days: none }
columns:
  - { name: TradeDate, type: date, description: Day. }
  - { name: Ticker, type: string, description: Symbol. }
  - { name: Fee, type: decimal, precision: 15, scale: 4, description: Dollars. }
  - { name: Rebate, type: decimal, precision: 18, scale: 4, description: Dollars. }
  - { name: Long, type: decimal, precision: 38, scale: 9, description: Coins. }
  - { name: IsOdd, type: boolean, description: An odd lot. }
  - { name: Counts, type: array of integer, description: Shares. }
  - { name: Levels, type: array of number, description: Dollars. }
  - { name: Names, type: array of string, description: Names. }
  - { name: Price, type: number, description: Dollars. }
  - { name: Size, type: integer, description: Shares. }
  - { name: At, type: date-time, fraction_digits: 9, description: Moment. }
`;

/** A new folder of definitions with this one alone. */
export function typedDefinitions(): string {
  const folder = mkdtempSync(join(tmpdir(), 'ticklake-typed-'));
  writeFileSync(join(folder, 'typed_rows.yaml'), DEFINITION);
  return folder;
}
