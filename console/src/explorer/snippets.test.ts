import { describe, expect, it } from 'vitest';
import { requestOf } from './explorer-request';
import { DAILY, EMPTY_QUERY } from './shape-fixtures';
import { snippetsOf } from './snippets';

const BASE = 'https://data.example.com/v1';
const URL_TEXT = `${BASE}/data/us-equity/eq-daily-ohlc?adjusted=true&Ticker=O%27NEIL%22%5C`;
const request = requestOf({ ...EMPTY_QUERY, identifier: 'O\'NEIL"\\' }, DAILY);
const snippets = new Map(
  snippetsOf(request, DAILY, BASE).map(({ name, text }) => [name, text] as const),
);

describe('snippetsOf', () => {
  it('gives the exact address', () => {
    expect(snippets.get('url')).toBe(URL_TEXT);
  });

  it.each(['curl', 'typescript', 'pandas', 'polars'])(
    'lets %s ask for that address with the key of the environment',
    (name) => {
      expect(snippets.get(name)).toContain(URL_TEXT);
      expect(snippets.get(name)).toContain('TICKLAKE_API_KEY');
    },
  );

  it('holds nothing that ends a text in a shell or a program', () => {
    expect(snippets.get('curl')?.match(/'/g)).toHaveLength(2);
  });

  it('tells pandas which of the chosen columns are dates', () => {
    expect(snippets.get('pandas')).toContain('parse_dates=["TradeDate"]');
    const chosen = requestOf({ ...EMPTY_QUERY, columns: ['Ticker'] }, DAILY);
    const pandas = snippetsOf(chosen, DAILY, BASE).find(({ name }) => name === 'pandas');
    expect(pandas?.text).not.toContain('parse_dates');
  });
});
