import { describe, expect, it } from 'vitest';
import { DAILY, EMPTY_QUERY, TICKS } from '../../test/fixtures/shapes';
import { queryOfSearch } from './explorer-query';
import { requestOf } from './explorer-request';
import { readExplorerSearch } from './explorer-search';
import { sharedLink, snippetsOf } from './snippets';

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

  it.each(['curl', 'r'])('lets %s ask for that address with the key of the environment', (name) => {
    expect(snippets.get(name)).toContain(URL_TEXT);
    expect(snippets.get(name)).toContain('TICKLAKE_KEY');
  });

  it('asks the same of the clients, of the variant, the version and every filter', () => {
    const query = {
      ...EMPTY_QUERY,
      ...{ identifier: 'A,B', from: '2026-01-02', columns: ['Ticker', 'ASID'], version: '12' },
      sort: [{ column: 'ASID', isDescending: true }],
    };
    const texts = textsOf(requestOf(query, DAILY));
    expect(texts.get('python-client')).toContain(`client = ticklake.Client("${BASE}")
rows = client.dataset("US1022").read(
    where={"Ticker.in": "A,B", "TradeDate.ge": "2026-01-02"},
    columns=["Ticker", "ASID"],
    sort=["-ASID"],
    version=12,
)
`);
    expect(texts.get('typescript-client')).toContain(`ticklake.dataset("US1022").read({
  where: {
    "Ticker.in": "A,B",
    "TradeDate.ge": "2026-01-02",
  },
  columns: ["Ticker", "ASID"],
  sort: ["-ASID"],
  version: 12,
});
`);
    const path = 'us-equity/eq-daily-ohlc?adjusted=true&Ticker.in=A,B&TradeDate.ge=2026-01-02';
    expect(texts.get('get')).toContain(`ticklake get '${path}&columns=Ticker,ASID`);
  });

  it.each([
    ['AAA', 'Ticker'],
    ['33127', 'ASID'],
  ])('gives the clients the day and %s, which the path has', (identifier, column) => {
    const ticks = requestOf({ ...EMPTY_QUERY, date: '2026-11-20', identifier }, TICKS);
    const [python, typescript] = snippetsOf(ticks, TICKS, BASE).map(({ text }) => text);
    expect(python).toContain(`.read(\n    "${identifier}",\n    dates="2026-11-20",\n)`);
    expect(typescript).toContain(`    "${column}": "${identifier}",\n`);
    expect(typescript).toContain('    "TradeDate": "2026-11-20",\n');
  });

  it('begins with the clients, unless two filters have one name', () => {
    const filter = { column: 'Ticker', operator: 'like', value: 'A*' } as const;
    const namesOf = (filters: readonly (typeof filter)[]) =>
      snippetsOf(requestOf({ ...EMPTY_QUERY, filters }, DAILY), DAILY, BASE).map(
        ({ name }) => name,
      );
    const clients = ['python-client', 'typescript-client'];
    expect(namesOf([filter]).slice(0, 3)).toEqual([...clients, 'duckdb']);
    expect(namesOf([filter, filter])[0]).toBe('curl');
  });

  it('has a program for each language and tool, and the address', () => {
    const labels = snippetsOf(request, DAILY, BASE).map(({ label }) => label);
    expect(labels).toEqual(['Python', 'TypeScript', 'DuckDB', 'curl', 'R', 'Command line', 'URL']);
  });

  it('reads Arrow with R, page by page', () => {
    const text = snippets.get('r');
    expect(text).toContain(`url <- "${URL_TEXT}&response_format=arrow&limit=`);
    expect(text).toContain('backoff = \\(attempt) min(');
  });

  it('holds nothing that ends a text in a shell or a program', () => {
    expect(snippets.get('curl')).toContain(`url='${URL_TEXT}&response_format=csv&limit=30000'\n`);
  });
});

describe('a link for others', () => {
  const here = 'https://host/console/explorer?dataset=US1020&identifier=AVQX&tab=request';

  it('runs the query, on the version that is read here, and shows its rows', () => {
    const { searchParams, pathname } = new URL(sharedLink(here, '7'));
    const read = Object.fromEntries(
      [...searchParams].map(([name, value]) => [name, value === 'true' ? true : value]),
    );
    const search = readExplorerSearch(read);
    expect(pathname).toBe('/console/explorer');
    expect(search).toMatchObject({ dataset: 'US1020', version: '7', run: true });
    expect(search.tab).toBeUndefined();
    expect(queryOfSearch(search).identifier).toBe('AVQX');
  });

  it('leaves the version open where none is pinned', () => {
    expect(sharedLink(here, null)).not.toContain('version');
  });
});
