import { expect, test } from 'vitest';
import { printableJson } from './text.ts';

test('JSON has snake case keys at every depth, and values as they are', () => {
  const value = { rowCount: 1, badValues: [{ displayName: 'aB', inner: null }], list: ['xY'] };
  expect(printableJson(value)).toBe(
    '{"row_count":1,"bad_values":[{"display_name":"aB","inner":null}],"list":["xY"]}\n',
  );
});

test('JSON keeps every value and cannot steer a terminal', () => {
  const value = { file: 'é\n\u001b[2J\u009b31m\u202e\u007f' };
  const text = printableJson(value);
  expect(text).toBe('{"file":"é\\n\\u001b[2J\\u009b31m\\u202e\\u007f"}\n');
  expect(JSON.parse(text)).toEqual(value);
});
