import type { DatasetRow } from '@ticklake/client';
import { expect, it } from 'vitest';
import { firstDataset, frameSnippet, lastDates } from './first-snippet';

const row = (dataset_id: string, dataset_text_id: string): DatasetRow => ({
  ...{ dataset_id, dataset_text_id, dataset_name: '', data_group: '', vendor: '' },
});

it('begins with a small dataset that people know, or else with any that the account may read', () => {
  const other = row('US1', 'eq_market_holidays');
  const daily = row('US2', 'eq_daily_ohlc');
  expect(firstDataset([other, daily])).toBe('US2');
  expect(firstDataset([other])).toBe('US1');
  expect(firstDataset([])).toBeUndefined();
});

it('names the server, the dataset and dates that have rows in the program', () => {
  const snippet = frameSnippet('https://data.example.com/v1', 'US2', 'dates="2026-11-27", ');
  expect(snippet).toContain('export TICKLAKE_KEY');
  expect(snippet).toContain('ticklake.Client("https://data.example.com")');
  expect(snippet).toContain('client.dataset("US2")');
  expect(snippet).toContain('read(dates="2026-11-27", limit=10)');
});

it('takes the last date that the rules let through, or the week until they end', () => {
  const form = (...ends: (string | null)[]) => ({
    date_column: 'TradeDate',
    rules: ends.map((end_date) => ({
      ...{ start_date: '2020-01-01', end_date, universe_identifiers: [] },
    })),
  });
  expect(lastDates(form(null), '2026-11-27')).toBe('dates="2026-11-27", ');
  expect(lastDates(form('2021-06-30', null), '2026-11-27')).toBe('dates="2026-11-27", ');
  expect(lastDates(form('2021-06-30', '2020-06-30'), '2026-11-27')).toBe(
    'dates=("2021-06-24", "2021-06-30"), ',
  );
  expect(lastDates({ ...form(null), date_column: null }, null)).toBe('');
});
