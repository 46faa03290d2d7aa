import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { splitValueList } from './value-list.ts';

describe('splitValueList', () => {
  it.each([
    ['', ['']],
    ['A', ['A']],
    ['A,B', ['A', 'B']],
    ['A,', ['A', '']],
    [',', ['', '']],
    [' A, B', [' A', ' B']],
    ['"A,B",C', ['A,B', 'C']],
    ['C,"say ""hi"""', ['C', 'say "hi"']],
    ['""', ['']],
    ['"",""', ['', '']],
    ['6" pipe,B"C"', ['6" pipe', 'B"C"']],
  ])('splits %j', (text, expected) => {
    expect(splitValueList(text)).toEqual(expected);
  });

  it.each(['"', '"A', 'A,"B', '"A"B', '"A" ,B', '"A""', '"""'])('refuses %j', (text) => {
    expect(splitValueList(text)).toBeNull();
  });

  it('reads back any list whose values are quoted', () => {
    fc.assert(
      fc.property(fc.array(fc.string(), { minLength: 1 }), (values) => {
        const text = values.map((value) => `"${value.replaceAll('"', '""')}"`).join(',');
        expect(splitValueList(text)).toEqual(values);
      }),
    );
  });
});
