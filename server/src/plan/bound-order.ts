import type { BoundValue } from '../engine/part.ts';

/** Surrogates stand for the characters after U+FFFF, so they sort after all other units. */
function utf8Rank(unit: number): number {
  if (unit < 0xd800) return unit;
  return unit < 0xe000 ? unit + 0x2000 : unit - 0x800;
}

function compareText(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const left = a.charCodeAt(i);
    const right = b.charCodeAt(i);
    if (left !== right) return utf8Rank(left) - utf8Rank(right);
  }
  return a.length - b.length;
}

/**
 * Negative, zero or positive as `a` is less than, equal to or greater than `b` of the same type.
 * Text is in the order of its UTF-8 bytes, which is not that of JavaScript's `<`.
 */
export function compareBounds(a: BoundValue, b: BoundValue): number {
  if (typeof a === 'string') return compareText(a, b as string);
  if (a === b) return 0;
  return a < (b as typeof a) ? -1 : 1;
}
