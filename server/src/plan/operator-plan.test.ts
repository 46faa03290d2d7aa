import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

it('is imported by nothing that answers requests', () => {
  const source = join(import.meta.dirname, '..');
  const files = globSync('**/*.ts', { cwd: source }).filter((file) => !file.endsWith('.test.ts'));
  const importing = files.filter((file) =>
    readFileSync(join(source, file), 'utf8').includes("operator-plan.ts'"),
  );
  expect(files.length).toBeGreaterThan(100);
  expect(importing).toEqual([]);
});
