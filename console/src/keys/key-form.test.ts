import { describe, expect, it } from 'vitest';
import {
  keyBody,
  keyProblems,
  lifetimeOf,
  lifetimeText,
  newKeyValues,
  periodOptions,
  UNTIL_DATE,
} from './key-form';

const NOW_MS = Date.parse('2026-11-21T10:00:00Z');
const TIMES = { nowMs: NOW_MS, contractEndsAt: null };

function lifetimeBetween(created_at: string, expires_at: string): string {
  return lifetimeOf({ created_at, expires_at });
}

describe('the lifetime of a key', () => {
  it('is the one it was made with, whatever part of a second it began in', () => {
    expect(lifetimeBetween('2026-11-21T10:00:00Z', '2027-02-19T10:00:01Z')).toBe('90d');
    expect(lifetimeBetween('2026-11-21T10:00:00Z', '2026-11-21T22:00:01Z')).toBe('12h');
    expect(lifetimeBetween('2026-11-21T10:00:00Z', '2026-11-21T10:05:00Z')).toBe('5m');
    expect(lifetimeBetween('2026-11-21T10:00:00Z', '2026-11-21T10:00:01Z')).toBe('1s');
  });

  it('stays one that the service takes', () => {
    expect(lifetimeBetween('2026-11-21T10:00:00Z', '2199-12-31T00:00:00Z')).toBe('36500d');
  });

  it('is told in words', () => {
    expect(lifetimeText('1d')).toBe('1 day');
    expect(lifetimeText('36500d')).toBe('36,500 days');
  });

  it('is offered among the usual ones, in their order', () => {
    const values = periodOptions('100d').map(({ value }) => value);
    expect(values).toEqual(['30d', '90d', '100d', '180d', '365d', UNTIL_DATE]);
    expect(periodOptions('90d')).toHaveLength(5);
    expect(periodOptions(UNTIL_DATE)).toHaveLength(5);
  });
});

describe('the form of a key', () => {
  it('asks for a name', () => {
    const values = { name: '', expires_in: '30d', expires_at: '' };
    expect(keyProblems(values, TIMES).name).not.toBe('');
    expect(keyProblems({ ...values, name: 'laptop' }, TIMES).name).toBe('');
  });

  it('asks for a day to come, and only where a date was chosen', () => {
    const values = { name: 'laptop', expires_in: UNTIL_DATE, expires_at: '' };
    expect(keyProblems(values, TIMES).expires_at).toBe('Choose a date');
    const today = { ...values, expires_at: '2026-11-21' };
    expect(keyProblems(today, TIMES).expires_at).toBe('Choose a day after today');
    expect(keyProblems({ ...values, expires_at: '2026-11-22' }, TIMES).expires_at).toBe('');
    expect(keyProblems({ ...today, expires_in: '30d' }, TIMES).expires_at).toBe('');
  });

  it('offers no key that outlives the contract of its account', () => {
    const times = { nowMs: NOW_MS, contractEndsAt: '2026-12-31T00:00:00Z' };
    const values = { name: 'laptop', expires_in: '90d', expires_at: '' };
    expect(keyProblems(values, times).expires_in).toMatch('2026-12-31 00:00 UTC');
    expect(keyProblems({ ...values, expires_in: '30d' }, times).expires_in).toBe('');
    const until = { ...values, expires_in: UNTIL_DATE, expires_at: '2027-01-01' };
    expect(keyProblems(until, times).expires_at).toMatch('2026-12-31 00:00 UTC');
    const first = newKeyValues(times);
    expect(first).toEqual({ name: '', expires_in: UNTIL_DATE, expires_at: '2026-12-31' });
    expect(keyProblems({ ...first, name: 'laptop' }, times).expires_at).toBe('');
    expect(newKeyValues(TIMES)).toEqual({ name: '', expires_in: '90d', expires_at: '' });
  });

  it('sends a period or a date, never both', () => {
    const values = { name: 'laptop', expires_in: '30d', expires_at: '2026-12-24' };
    expect(keyBody(values)).toEqual({ name: 'laptop', expires_in: '30d' });
    expect(keyBody({ ...values, expires_in: UNTIL_DATE })).toEqual({
      name: 'laptop',
      expires_at: '2026-12-24',
    });
  });
});
