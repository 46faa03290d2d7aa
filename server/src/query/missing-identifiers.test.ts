import { describe, expect, it } from 'vitest';
import type { Column } from '../catalog/dataset.ts';
import { batchOfRows } from '../engine/columns.ts';
import type { BoundValue, Part } from '../engine/part.ts';
import type { QueryPlan } from '../engine/query-plan.ts';
import { ListedIdentifiers, listedIdentifiers, type UnseenValues } from '../plan/identifiers.ts';
import { type SearchStages, searchUnseen } from './missing-identifiers.ts';

const columnOf = (name: string, dataType: Column['dataType']) => ({ name, dataType }) as Column;
const TICKER = columnOf('Ticker', 'string');
const HISTORY = columnOf('History', 'array of string');
const ASID = columnOf('ASID', 'integer');

const listOf = (column: Column, values: readonly BoundValue[]) => ({
  list: { column, operator: 'in' as const, values },
  unseen: new Set(values),
});

const PART_BYTES = 40 * 1024 * 1024;

/** Parts with these values, of which a round sees so many, and the plan's parts in each round. */
function stagesOver(found: ListedIdentifiers, parts: readonly string[][], perRound = Infinity) {
  const rounds: string[] = [];
  const all = parts.map((values) => ({ values, key: '2025' }) as unknown as Part);
  const stages: SearchStages = {
    planFor: async () => {
      const partScans = all.map(() => ({ rowCount: 1, byteCount: PART_BYTES }));
      return { parts: all, partScans, grants: [] } as unknown as QueryPlan;
    },
    seeRows: async (plan) => {
      rounds.push(plan.parts.map((part) => all.indexOf(part)).join());
      const { unseen } = found.lists[0] as UnseenValues;
      const values = plan.parts.flatMap((part) => parts[all.indexOf(part)] as string[]);
      const rows = values.filter((value) => unseen.has(value)).map((value) => [value]);
      found.see([TICKER], batchOfRows([TICKER], rows.slice(0, perRound)));
      return rows.length <= perRound;
    },
  };
  return { rounds, stages };
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
  const listed = (...values: string[]) => new ListedIdentifiers([listOf(TICKER, values)]);

  it('goes on where the last round ended, until all parts are read', async () => {
    const found = listed('NOPE', 'LATE', 'A');
    const { rounds, stages } = stagesOver(found, [['A'], [], ['LATE']]);
    expect(await searchUnseen(found, stages)).toBe(true);
    expect([rounds, found.unseen]).toEqual([['0', '1', '2'], ['NOPE']]);
  });

  it('reads parts again that have too many rows, for those alone that are left', async () => {
    const found = listed('NOPE', 'A', 'B', 'C');
    const { rounds, stages } = stagesOver(found, [['A', 'B', 'C'], ['D']], 2);
    expect(await searchUnseen(found, stages)).toBe(true);
    expect([rounds, found.unseen]).toEqual([['0', '0', '1'], ['NOPE']]);
  });

  it('ends where all have been seen', async () => {
    const found = listed('A');
    const { rounds, stages } = stagesOver(found, [['A'], ['A']]);
    expect(await searchUnseen(found, stages)).toBe(true);
    expect([rounds, found.unseen]).toEqual([['0'], []]);
  });

  it('knows nothing after many rounds', async () => {
    const found = listed('NOPE');
    const { rounds, stages } = stagesOver(found, Array(60).fill([]));
    expect(await searchUnseen(found, stages)).toBe(false);
    expect(rounds).toHaveLength(50);
  });
});
