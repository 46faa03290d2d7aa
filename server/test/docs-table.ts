/** Texts and tables of the documents, which tests compare with the code. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';

export function docsText(file: string): string {
  return readFileSync(join(import.meta.dirname, '../../docs', file), 'utf8');
}

/** The cells of the table whose header line starts with the given cells. */
export function docsTable(file: string, ...header: string[]): string[][] {
  const lines = docsText(file).split('\n');
  const start = lines.findIndex((line) => line.startsWith(`| ${header.join(' | ')} |`));
  expect(start, `no table ${header.join(', ')}`).toBeGreaterThan(0);
  const end = lines.findIndex((line, i) => i > start && !line.startsWith('|'));
  return lines.slice(start + 2, end).map((line) =>
    line
      .slice(1, -1)
      .split('|')
      .map((cell) => cell.trim()),
  );
}
