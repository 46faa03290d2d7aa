import { describe, expect, it } from 'vitest';
import { queryOfSearch } from './explorer-query';
import { readExplorerSearch } from './explorer-search';
import { sharedLink } from './shared-link';

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
