import { describe, expect, it } from 'vitest';
import { hintTest } from './predicate-hints.ts';

const days = { first: '2026-11-01', last: '2026-11-30' };
const compare = (op: string, value: unknown, name = 'TradeDate') => ({
  op,
  children: [
    { op: 'column', name, valueType: 'date' },
    { op: 'literal', value, valueType: 'date' },
  ],
});
const mayHold = (tree: unknown, sql: readonly string[] = []) => {
  const jsonPredicateHints = typeof tree === 'string' ? tree : JSON.stringify(tree);
  return hintTest({ predicateHints: sql, jsonPredicateHints }, 'TradeDate')(days);
};

describe('a hint', () => {
  it.each([
    ['equal', '2026-11-01', true],
    ['equal', '2026-12-01', false],
    ['lessThan', '2026-11-01', false],
    ['lessThan', '2026-11-02', true],
    ['lessThanOrEqual', '2026-11-01', true],
    ['greaterThan', '2026-11-30', false],
    ['greaterThanOrEqual', '2026-11-30', true],
    ['greaterThanOrEqual', '2026-12-01', false],
  ])('%s %s leaves in what it may hold', (op, value, isLeft) => {
    expect(mayHold(compare(op, value))).toBe(isLeft);
  });

  const out = compare('equal', '2027-01-01');
  const inside = compare('equal', '2026-11-02');

  it('made of several rules out what one of all, or all of any, rule out', () => {
    expect(mayHold({ op: 'and', children: [inside, out] })).toBe(false);
    expect(mayHold({ op: 'or', children: [inside, out] })).toBe(true);
    expect(mayHold({ op: 'or', children: [out, out] })).toBe(false);
    expect(mayHold(inside, ["TradeDate >= '2026-12-01'"])).toBe(false);
  });

  it('that is not understood rules nothing out', () => {
    let deep: unknown = out;
    for (let i = 0; i < 1000; i++) deep = { op: 'and', children: [deep] };
    const hints = [
      { op: 'not', children: [out] },
      { op: 'isNull', children: [{ op: 'column', name: 'TradeDate' }] },
      compare('equal', '2027-01-01', 'Expiry'),
      compare('equal', 20270101),
      compare('constructor', '2027-01-01'),
      { op: 'and', children: 'nothing' },
      { op: 'or', children: [] },
      ...['{', '[]', 'null', '"and"'],
      deep,
    ];
    for (const hint of hints) expect(mayHold(hint)).toBe(true);
    expect(mayHold(inside, ['Price > 3', "TradeDate = '2027-01-01' OR true"])).toBe(true);
    const unpartitioned = { predicateHints: [], jsonPredicateHints: JSON.stringify(out) };
    expect(hintTest(unpartitioned, null)(days)).toBe(true);
  });
});
