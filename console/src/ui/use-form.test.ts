import { describe, expect, it } from 'vitest';
import { shownProblems } from './use-form';

const NONE: ReadonlySet<string> = new Set();

describe('the problems that a form shows', () => {
  it('leaves a field alone that nobody has touched yet', () => {
    expect(shownProblems({ name: 'is needed' }, {}, NONE, NONE, false)).toEqual({
      name: undefined,
    });
  });

  it('tells what is wrong with a field as it is typed', () => {
    const shown = shownProblems({ name: 'is too long' }, {}, new Set(['name']), NONE, false);
    expect(shown).toEqual({ name: 'is too long' });
  });

  it('tells all that is wrong once sending was tried', () => {
    const own = { name: 'is needed', size: 'is no number' };
    expect(shownProblems(own, {}, NONE, NONE, true)).toEqual(own);
  });

  it('shows what the service refused until the field is changed', () => {
    const refused = { name: 'is taken', '': 'Something else' };
    expect(shownProblems({}, refused, NONE, NONE, true)).toEqual(refused);
    expect(shownProblems({}, refused, NONE, new Set(['name']), true)).toEqual({
      name: undefined,
      '': 'Something else',
    });
  });
});
