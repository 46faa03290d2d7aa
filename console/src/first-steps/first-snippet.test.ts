import type { DatasetRow } from '@ticklake/client';
import { expect, it } from 'vitest';
import { DAILY, TICKS, WANTING } from '../../test/fixtures/shapes';
import { firstDataset, frameSnippet } from './first-snippet';

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

it('names the server and the dataset, and its latest date if it has dates', () => {
  const snippet = frameSnippet('https://data.example.com/v1', DAILY);
  expect(snippet).toContain('export TICKLAKE_KEY');
  expect(snippet).toContain('ticklake.Client("https://data.example.com")');
  expect(snippet).toContain('client.dataset("US1022")');
  expect(snippet).toContain('read(dates="latest", limit=10)');
  const dateless = { ...DAILY, date_column: null };
  expect(frameSnippet('https://data.example.com/v1', dateless)).toContain('read(limit=10)');
});

it('is not there for a dataset that wants an identifier', () => {
  expect(frameSnippet('https://data.example.com/v1', WANTING)).toBeNull();
  expect(frameSnippet('https://data.example.com/v1', TICKS)).toBeNull();
});
