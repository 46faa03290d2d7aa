import { describe, expect, it } from 'vitest';
import { requestOf } from './explorer-request';
import { DAILY, EMPTY_QUERY } from './shape-fixtures';
import { snippetsOf } from './snippets';

const BASE = 'https://data.example.com/v1';
const URL_TEXT = `${BASE}/data/us-equity/eq-daily-ohlc?adjusted=true&Ticker=O%27NEIL%22%5C`;
const request = requestOf({ ...EMPTY_QUERY, identifier: 'O\'NEIL"\\' }, DAILY);
const textsOf = (asked: typeof request) =>
  new Map<string, string>(snippetsOf(asked, DAILY, BASE).map(({ name, text }) => [name, text]));
const snippets = textsOf(request);

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
    expect(snippets.get('curl')).toContain(`url='${URL_TEXT}&response_format=csv&limit=30000'\n`);
  });

  it('gives the type of each column in the answer, in its order, and of no other', () => {
    const chosen = textsOf(
      requestOf({ ...EMPTY_QUERY, columns: ['ASID', 'Ticker', 'TradeDate'] }, DAILY),
    );
    expect(chosen.get('pandas')).toContain(`DTYPES = {
    "ASID": "Int64",
    "Ticker": "string",
    "TradeDate": "datetime64[ns]",
}
`);
    expect(chosen.get('polars')).toContain(`SCHEMA = {
    "ASID": pl.Int64,
    "Ticker": pl.String,
    "TradeDate": pl.String,
}
`);
    expect(chosen.get('polars')).toContain('pl.col("TradeDate").str.to_date("%Y-%m-%d")');
  });

  it('reads decimals without a double on the way, where there are any', () => {
    const fee = {
      name: 'Fee',
      data_type: 'decimal',
      precision: 18,
      scale: 4,
      operators: [],
    } as const;
    const shape = { ...DAILY, columns: [...DAILY.columns, fee] };
    const texts = new Map<string, string>(
      snippetsOf(request, shape, BASE).map(({ name, text }) => [name, text]),
    );
    expect(texts.get('pandas')).toContain('page.json(parse_float=Decimal)["data"]');
    expect(texts.get('polars')).toContain('"Fee": pl.Decimal(18, 4),');
    expect(texts.get('polars')).toContain('schema=SCHEMA, strict=False)');
    expect(texts.get('typescript')).toContain('if (DECIMALS.has(name) && value !== null) return');
    expect([...snippets.values()].filter((text) => /decimal/i.test(text))).toEqual([]);
  });
});
