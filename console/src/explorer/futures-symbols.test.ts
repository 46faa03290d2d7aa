import { describe, expect, it } from 'vitest';
import { continuousName, deliveryOf, isRoot, namesOfRoot, rootOfText } from './futures-symbols';

describe('names of futures', () => {
  it.each([
    ['ES', true],
    ['6E', true],
    ['ESZ6', false],
    ['CLF27', false],
    ['ES.c.0', false],
    ['ES,NQ', false],
    ['', false],
  ])('tell roots from contracts: %s', (text, expected) => {
    expect(isRoot(text)).toBe(expected);
  });

  it.each([
    ['ESZ6', 'ES'],
    ['es.c.0', 'ES'],
    ['es', 'ES'],
    [' CLF27 ', 'CL'],
    ['', null],
    ['a b', null],
  ])('have the root that they begin with: %s', (text, root) => {
    expect(rootOfText(text)).toBe(root);
  });

  it.each([
    ['xqi.c.0', 'XQI.c.0'],
    ['XQI.V.1', 'XQI.v.1'],
    ['xqi', 'xqi'],
    ['esz6', 'esz6'],
    ['xqi.x.0', 'xqi.x.0'],
  ])('that are continuous have one spelling: %s', (text, name) => {
    expect(continuousName(text)).toBe(name);
  });

  it('tell the month of delivery, in the nearest year that they may mean', () => {
    expect(deliveryOf('ESZ6', 2026)).toBe('December 2026');
    expect(deliveryOf('ESH1', 2029)).toBe('March 2031');
    expect(deliveryOf('CLF27', 2026)).toBe('January 2027');
    expect(deliveryOf('ES', 2026)).toBeNull();
  });

  it('are offered by their beginning: the root, its continuous contracts, and its contracts', () => {
    const names = (begin: string) => namesOfRoot('ES', ['ESZ6', 'ESH7'], 2026, begin);
    expect(names('').map(({ name }) => name)).toEqual([
      ...['ES', 'ES.c.0', 'ES.v.0', 'ES.n.0', 'ESZ6', 'ESH7'],
    ]);
    expect(names('es.').map(({ name }) => name)).toEqual(['ES.c.0', 'ES.v.0', 'ES.n.0']);
    expect(names('ESZ')).toEqual([{ name: 'ESZ6', hint: 'December 2026' }]);
  });
});
