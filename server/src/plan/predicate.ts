/** Predicates as the table of operators describes them. */
import type { Column } from '../catalog/dataset.ts';
import { OPERATORS, type Operator, takes } from '../engine/operators.ts';
import type { BoundValue } from '../engine/part.ts';
import type { Predicate } from '../engine/query-plan.ts';

/** `values` are as many as the operator takes. */
export function makePredicate(
  column: Column,
  operator: Operator,
  values: readonly BoundValue[],
): Predicate {
  if (takes(operator, 'list')) return { column, operator, values: [...new Set(values)] };
  const value = values[0] as BoundValue;
  if (takes(operator, 'pattern')) return { column, operator, pattern: String(value) };
  return { column, operator, value };
}

/** The values that a predicate compares with: those of its list, or its only one. */
export function valuesOf(predicate: Predicate): readonly BoundValue[] {
  if ('values' in predicate) return predicate.values;
  return ['pattern' in predicate ? predicate.pattern : predicate.value];
}

/** Whether no row passes but those with one of the values. */
export function isNaming({ operator }: Predicate): boolean {
  return OPERATORS[operator].isNaming;
}
