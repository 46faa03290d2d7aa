import { describe, expect, it } from 'vitest';
import type { Column } from '../catalog/dataset.ts';
import { batchOfRows } from '../engine/columns.ts';
import type { BoundValue } from '../engine/part.ts';
import type { QueryPlan } from '../engine/query-plan.ts';
import {
  ListedIdentifiers,
  listedIdentifiers,
  type Search,
  searchUnseen,
} from './listed-identifiers.ts';

const columnOf = (name: string, dataType: Column['dataType']) => ({ name, dataType }) as Column;
const TICKER = columnOf('Ticker', 'string');
const HISTORY = columnOf('History', 'array of string');
const ASID = columnOf('ASID', 'integer');

const listOf = (column: Column, values: readonly BoundValue[]) => ({
  list: { column, operator: 'in' as const, values },
  unseen: new Set(values),
});

/** Finds so many more of the values in each round, and says that it was all in the last of some. */
function finding(columns: readonly Column[], perRound: number, roundsOfAll = Infinity) {
  const rounds: number[] = [];
  const search: Search = async ({ unseen }, found) => {
    rounds.push(unseen.size);
    const rows = [...unseen].filter((value) => value !== 'NOPE').slice(0, perRound);
    found.see(
      columns,
      batchOfRows(
        columns,
        rows.map((value) => [value]),
      ),
    );
    return rounds.length >= roundsOfAll;
  };
  return { rounds, search };
}

it('identifiers are seen in rows, in lists of theirs, and where rows have none', () => {
  const listed = new ListedIdentifiers([
    listOf(TICKER, ['B', 'NOPE', 'A']),
    listOf(ASID, [7n, 8n]),
    listOf(HISTORY, ['OLD', 'NEW']),
  ]);
  const columns = [ASID, TICKER, HISTORY];
  const rows = [
    [null, 'A', null],
    [8n, null, ['X', 'OLD']],
    [9n, 'A', []],
  ];
  listed.see(columns, batchOfRows(columns, rows));
  expect(listed.unseen).toEqual(['B', 'NOPE', '7', 'NEW']);
  expect(listed.count).toBe(7);
});

it('identifiers are looked for on first pages alone, so that others may be sent early', () => {
  const dataset = { identifierColumns: ['Ticker'], universeColumns: [] };
  const predicates = [listOf(TICKER, ['B', 'A']).list];
  const countAt = (offset: number) =>
    listedIdentifiers({ dataset, predicates, offset } as unknown as QueryPlan)?.count;
  expect([countAt(0), countAt(1)]).toEqual([2, undefined]);
});

describe('a search', () => {
  const listed = (count: number) =>
    new ListedIdentifiers([
      listOf(TICKER, ['NOPE', ...Array.from({ length: count }, (_, n) => `T${n}`)]),
    ]);

  it('asks in each round for those alone that are left, until a round has seen all rows', async () => {
    const five = listed(5);
    const { rounds, search } = finding([TICKER], 2, 3);
    expect(await searchUnseen(five, search)).toBe(true);
    expect([rounds, five.unseen]).toEqual([[6, 4, 2], ['NOPE']]);
  });

  it('ends where all have been seen', async () => {
    const { rounds, search } = finding([TICKER], 9);
    const one = new ListedIdentifiers([listOf(TICKER, ['A'])]);
    expect(await searchUnseen(one, search)).toBe(true);
    expect([rounds, one.unseen]).toEqual([[1], []]);
  });

  it('knows nothing of those that are left after a round that found none of them, and after many rounds', async () => {
    const stopped = finding([TICKER], 9);
    expect(await searchUnseen(listed(3), stopped.search)).toBe(false);
    expect(stopped.rounds).toEqual([4, 1]);
    const { rounds, search } = finding([TICKER], 1);
    expect(await searchUnseen(listed(100), search)).toBe(false);
    expect(rounds).toHaveLength(50);
  });
});
