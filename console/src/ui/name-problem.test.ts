import { describe, expect, it } from 'vitest';
import { nameProblem } from './name-problem';

describe('a name', () => {
  it.each(['a', 'Client One', 'é'.repeat(200), '<b>x</b>'])('may be %j', (name) => {
    expect(nameProblem(name)).toBe('');
  });

  it.each(['', ' ', ' a', 'a ', 'a\u200bb', 'a\nb', 'é'.repeat(201)])('may not be %j', (name) => {
    expect(nameProblem(name)).not.toBe('');
  });
});
