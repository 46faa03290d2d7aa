import { expect, it } from 'vitest';
import { DAILY, planOfPath } from '../../test/plan-of-path.ts';
import type { Column } from '../catalog/dataset.ts';
import { isNaming, makePredicate, valuesOf } from './conditions.ts';

const COLUMN = planOfPath(DAILY).dataset.columnByName.get('Ticker') as Column;

it.each([
  ['ge', ['B'], { value: 'B' }, ['B'], false],
  ['eq', ['B'], { value: 'B' }, ['B'], true],
  ['in', ['B', 'A', 'B'], { values: ['B', 'A'] }, ['B', 'A'], true],
  ['like', ['B*'], { pattern: 'B*' }, ['B*'], false],
] as const)(
  'a predicate of %s has what the operator takes',
  (operator, given, operand, values, names) => {
    const predicate = makePredicate(COLUMN, operator, given);
    expect(predicate).toEqual({ column: COLUMN, operator, ...operand });
    expect(valuesOf(predicate)).toEqual(values);
    expect(isNaming(predicate)).toBe(names);
  },
);
