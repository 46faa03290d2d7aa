import { expect } from 'vitest';
import type { Row } from './select-rows.ts';

function isSame(one: unknown, other: unknown): boolean {
  if (!Array.isArray(one) || !Array.isArray(other)) return Object.is(one, other);
  return one.length === other.length && one.every((each, i) => isSame(each, other[i]));
}

/** As `expect(found).toEqual(due)`, which takes many times longer to find many rows to be the same. */
export function expectRows(found: readonly Row[], due: readonly Row[]): void {
  if (!isSame(found, due)) expect(found).toEqual(due);
}
