import { expect, it } from 'vitest';
import { knownSearch } from './known-search';

const readTab = ({ tab }: Readonly<Record<string, unknown>>): { tab?: string } =>
  tab === 'rows' ? { tab } : {};

it('keeps what was understood', () => {
  expect(knownSearch(readTab)({ tab: 'rows' })).toEqual({ tab: 'rows' });
});

it('tells of everything else that it is undefined, which overrides what the router has', () => {
  const known = {
    ...{ tab: 'bogus', other: 1 },
    ...knownSearch(readTab)({ tab: 'bogus', other: 1 }),
  };
  expect(known).toStrictEqual({ tab: undefined, other: undefined });
});
