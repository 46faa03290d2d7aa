import * as v from 'valibot';
import { expect, it } from 'vitest';
import { valueOfText } from './text-value.ts';

it.each(['constructor', 'toString', '__proto__', 'TRUE', ''])(
  'a text that is no boolean stays a text: %j',
  (text) => {
    expect(valueOfText(v.boolean(), text)).toBe(text);
  },
);

it('reads booleans by their words', () => {
  expect(['true', 'false'].map((text) => valueOfText(v.boolean(), text))).toEqual([true, false]);
});
