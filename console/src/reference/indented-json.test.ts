import { expect, it } from 'vitest';
import { indentedJson } from './indented-json';

it('puts JSON into lines and changes no digit of its numbers', () => {
  expect(indentedJson('{"ASID":9007199254740993123,"Price":12.50,"Text":"1"}')).toBe(
    '{\n  "ASID": 9007199254740993123,\n  "Price": 12.50,\n  "Text": "1"\n}',
  );
});

it('leaves any other text as it is', () => {
  expect(indentedJson('{"a":1}\n{"a":2}')).toBe('{"a":1}\n{"a":2}');
});
