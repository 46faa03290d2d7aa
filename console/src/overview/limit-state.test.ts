import { describe, expect, it } from 'vitest';
import { limitState, limitStateText } from './limit-state';

function textOf(used: number, limit: number | null): string {
  return limitStateText(limitState(used, limit));
}

describe('the state of a limit', () => {
  it('says that there is none, however much was used', () => {
    expect(textOf(10 ** 15, null)).toBe('No limit');
  });

  it('is reached at the limit itself and beyond, as the service refuses from there on', () => {
    expect(limitState(99, 100).kind).toBe('near');
    expect(limitState(100, 100)).toEqual({ kind: 'reached', fraction: 1 });
    expect(limitState(250, 100)).toEqual({ kind: 'reached', fraction: 1 });
  });

  it('is reached from the start where the limit is nothing', () => {
    expect(limitState(0, 0).kind).toBe('reached');
  });

  it('is near from four fifths on', () => {
    expect(limitState(79, 100).kind).toBe('within');
    expect(textOf(80, 100)).toBe('80% used, near the limit');
  });

  it('never rounds to nothing or to everything', () => {
    expect(textOf(0, 100)).toBe('Nothing used');
    expect(textOf(1, 1000)).toBe('Less than 1% used');
    expect(textOf(999_999, 1_000_000)).toBe('99% used, near the limit');
  });
});
