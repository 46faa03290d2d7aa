/** The operators of filters as people read them. */
import type { Operator } from '@ticklake/client';

export const OPERATORS = {
  eq: { label: 'is', operand: 'value' },
  gt: { label: 'is more than', operand: 'value' },
  ge: { label: 'is at least', operand: 'value' },
  lt: { label: 'is less than', operand: 'value' },
  le: { label: 'is at most', operand: 'value' },
  in: { label: 'is one of', operand: 'list' },
  like: { label: 'matches', operand: 'pattern' },
  ilike: { label: 'matches, ignoring case', operand: 'pattern' },
} as const satisfies Record<
  Operator,
  { readonly label: string; readonly operand: 'value' | 'list' | 'pattern' }
>;

export function isOperator(name: string): name is Operator {
  return Object.hasOwn(OPERATORS, name);
}
