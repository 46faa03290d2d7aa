import { expect, it } from 'vitest';
import { sentenceCase } from './words';

it.each([
  ['active', 'Active'],
  ['rolled_back', 'Rolled back'],
  ['OK (200)', 'OK (200)'],
  ['', ''],
])('writes %j as a label', (text, label) => {
  expect(sentenceCase(text)).toBe(label);
});
