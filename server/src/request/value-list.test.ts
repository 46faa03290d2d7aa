import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { joinValueList, splitValueList } from './query-string.ts';

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

describe('joinValueList', () => {
  it.each([
    [['A', 'B'], 'A,B'],
    [['A,B', 'C'], '"A,B",C'],
    [['"', 'say "hi"'], '"""",say "hi"'],
    [['', ''], ','],
  ])('quotes of %j only what it has to', (values, text) => {
    expect(joinValueList(values)).toBe(text);
  });

  it('makes the list of which the values are read back', () => {
    const anyValue = fc.oneof(
      fc.string(),
      fc.string({ unit: fc.constantFrom('"', ',', 'A', ' ') }),
    );
    fc.assert(
      fc.property(fc.array(anyValue, { minLength: 1 }), (values) => {
        expect(splitValueList(joinValueList(values))).toEqual(values);
      }),
    );
  });
});
