/**
 * Runs tests in a copy of the project, in which one file at a time is changed. A process of its
 * own, started by `sandbox.ts`, because a fault may never end.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createVitest } from 'vitest/node';

/** Run one file of tests while `text` stands in `file`. */
export interface Job {
  readonly file: string;
  readonly text: string;
  readonly test: string;
}

const root = process.cwd();
const vitest = await createVitest('test', {
  root,
  config: join(root, 'vitest.config.ts'),
  // A fault may stay in modules that several files share.
  isolate: true,
  watch: false,
  bail: 1,
  maxWorkers: 1,
  reporters: [{}],
});
await vitest.standalone();

/** Files that were changed once, and may have been changed back since. */
const changedPaths = new Set<string>();

async function passes({ file, text, test }: Job): Promise<boolean> {
  const path = join(root, file);
  writeFileSync(path, text);
  changedPaths.add(path);
  for (const changed of changedPaths) vitest.invalidateFile(changed);
  const specification = vitest.getRootProject().createSpecification(join(root, test));
  const { testModules, unhandledErrors } = await vitest.runTestSpecifications([specification]);
  // The result also holds the modules of former jobs, as they were.
  const own = testModules.filter(({ moduleId }) => moduleId === specification.moduleId);
  return unhandledErrors.length === 0 && own.length === 1 && own.every((module) => module.ok());
}

process.on('message', (job: Job) => {
  passes(job).then((isPassed) => process.send?.(isPassed));
});
process.once('disconnect', () => process.exit());
process.send?.('ready');
