import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { ProgressBar } from './progress-bar.ts';

test('the bar shows the share of a step, seldom, and is cleared once, in the end', () => {
  const terminal = new PassThrough({ encoding: 'utf8' });
  let nowMs = 0;
  const bar = new ProgressBar(terminal, () => nowMs);
  bar.update('loading', 0);
  nowMs = 99;
  bar.update('loading', 0.4);
  nowMs = 100;
  bar.update('loading', 0.5);
  bar.update('writing', 1.2);
  bar.clear();
  bar.clear();
  expect((terminal.read() as string).split('\r\u001b[2K')).toEqual([
    '',
    `[${'.'.repeat(30)}]   0% loading`,
    `[${'#'.repeat(15)}${'.'.repeat(15)}]  50% loading`,
    `[${'#'.repeat(30)}] 100% writing`,
    '',
  ]);
});
