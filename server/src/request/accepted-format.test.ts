import { describe, expect, it } from 'vitest';
import { acceptedFormat } from './accepted-format.ts';

describe('the format of an answer', () => {
  it.each([
    ['application/json', 'json'],
    ['text/csv', 'csv'],
    ['TEXT/CSV', 'csv'],
    ['application/gzip', 'csv_gzip'],
    ['application/vnd.apache.arrow.stream', 'arrow'],
    ['application/vnd.apache.parquet', 'parquet'],
    ['*/*', 'json'],
    ['text/*', 'csv'],
    ['application/*', 'json'],
    ['', 'json'],
    [' , ', 'json'],
    ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', 'json'],
    ['text/csv;charset=utf-8', 'csv'],
    ['application/json;q=0.5, text/csv', 'csv'],
    ['text/csv; q=0.001, application/json; q=0', 'csv'],
    ['*/*, application/json;q=0', 'csv'],
    ['text/csv, application/json', 'json'],
  ])('is that which Accept wants most: %s', (accept, name) => {
    expect(acceptedFormat(accept)?.name).toBe(name);
  });

  it('is one that is named rather than one that falls under a range', () => {
    expect(acceptedFormat('*/*, text/csv')?.name).toBe('csv');
    expect(acceptedFormat('application/*, text/csv')?.name).toBe('csv');
  });

  it.each(['text/html', 'image/*', 'application/json;q=0', '*/*;q=0', 'csv', 'text/csv/x'])(
    'is none where Accept allows none: %s',
    (accept) => {
      expect(acceptedFormat(accept)).toBeNull();
    },
  );
});
