import { expect, test } from 'vitest';
import { printableLine, printableText } from './printable.ts';

test('text keeps its letters and lines, and cannot steer a terminal', () => {
  expect(printableText('é \u{1F600}\n\u001b[2J\r\t\u009b\u202e')).toBe(
    'é \u{1F600}\n\\u001b[2J\\r\\t\\u009b\\u202e',
  );
});

test('a line is one line', () => {
  expect(printableLine('a\nb\r\n\u2028c')).toBe('a\\nb\\r\\n\\u2028c');
});
