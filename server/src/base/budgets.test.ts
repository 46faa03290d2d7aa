import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readConfig } from '../settings/config.ts';
import { bufferLimits } from './budgets.ts';

const MEBIBYTE = 1024 * 1024;
const DOCS = join(import.meta.dirname, '../../../docs/operation.md');

it('adds up to what the documents say', () => {
  const sum = Object.values(bufferLimits(readConfig({}))).reduce((total, each) => total + each, 0);
  const [, told] = /take up at most (\d+) MiB/.exec(readFileSync(DOCS, 'utf8')) ?? [];
  expect(sum).toBe(Number(told) * MEBIBYTE);
});
