import { globSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { expect, it } from 'vitest';

const SOURCE = join(import.meta.dirname, '..');
const IMPORT = /from '(\.[^']+)'/g;

/** All files that a file imports, itself or through others. Paths are those below the sources. */
function reachedFrom(files: readonly string[]): ReadonlySet<string> {
  const reached = new Set(files);
  for (const file of reached) {
    for (const [, specifier] of readFileSync(join(SOURCE, file), 'utf8').matchAll(IMPORT)) {
      reached.add(posix.join(posix.dirname(file), specifier as string));
    }
  }
  return reached;
}

it('is reached by nothing that answers requests', () => {
  const answering = globSync('{routes,request,response}/**/*.ts', { cwd: SOURCE });
  const sources = answering.filter((file) => !file.endsWith('.test.ts'));
  const reached = reachedFrom(sources.map((file) => file.replaceAll('\\', '/')));
  expect(reached).toContain('plan/plan-query.ts');
  expect(reached).not.toContain('plan/operator-plan.ts');
});
