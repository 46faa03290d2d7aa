import { expect, test } from 'vitest';
import { printableJson, printableText } from './printed.ts';

test('text keeps its letters and lines, and cannot steer a terminal', () => {
  expect(printableText('é \u{1F600}\n\u001b[2J\r\t\u009b\u202e')).toBe(
    'é \u{1F600}\n\\u001b[2J\\u000d\\u0009\\u009b\\u202e',
  );
});

test('JSON has snake case keys at every depth, and values as they are', () => {
  const value = { rowCount: 1, badValues: [{ displayName: 'aB', inner: null }], list: ['xY'] };
  expect(printableJson(value)).toBe(
    '{"row_count":1,"bad_values":[{"display_name":"aB","inner":null}],"list":["xY"]}\n',
  );
});
