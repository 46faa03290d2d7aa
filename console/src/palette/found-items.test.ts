import { expect, it } from 'vitest';
import { foundGroups } from './found-items';

const run = () => undefined;
const groups = [
  {
    kind: 'Pages',
    isFirst: true,
    items: [
      { label: 'Overview', run },
      { label: 'Usage', run },
    ],
  },
  { kind: 'People', items: [{ label: 'usa@fund.test', hint: 'manager', run }] },
  { kind: 'Tickers', isFound: true, items: [{ label: 'AVQX', hint: 'Avalon', run }] },
];
const labels = (text: string) =>
  foundGroups(groups, text).map(({ kind, items }) => [kind, ...items.map(({ label }) => label)]);

it('shows what needs no search before anything is typed', () => {
  expect(labels(' ')).toEqual([['Pages', 'Overview', 'Usage']]);
});

it('finds all words in names and hints, and leaves to the service what that has chosen', () => {
  expect(labels('usa')).toEqual([
    ['Pages', 'Usage'],
    ['People', 'usa@fund.test'],
    ['Tickers', 'AVQX'],
  ]);
  expect(labels('manager USA')).toEqual([
    ['People', 'usa@fund.test'],
    ['Tickers', 'AVQX'],
  ]);
});

it('puts first what begins like the text, and shows six of a kind', () => {
  const items = ['a key', 'keys', 'b key', 'c key', 'd key', 'e key', 'f key'].map((label) => ({
    ...{ label, run },
  }));
  const [group] = foundGroups([{ kind: 'Pages', items }], 'key');
  expect(group?.items.map(({ label }) => label)).toEqual([
    ...['keys', 'a key', 'b key', 'c key', 'd key', 'e key'],
  ]);
});
