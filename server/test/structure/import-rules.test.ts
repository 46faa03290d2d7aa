/** The import check of `npm run check` finds what it forbids. */
import { expect, it } from 'vitest';
import { wrongImports } from '../../../scripts/import-rules.ts';

const problemsOf = (path: string, text: string) => wrongImports([{ path, text }]);

it.each([
  ['server/src/plan/prune.ts', "import { a } from '../routes/app.ts';", 'stands below it'],
  ['server/src/plan/prune.ts', "import type { A } from '../access/a.ts';", 'stands below it'],
  ['server/src/base/errors.ts', "export { a } from '../time/a.ts';", 'stands below it'],
  ['server/src/cli/serve.ts', "const a = await import('ticklake/cli.ts');", 'stands below it'],
  [
    'server/src/catalog/a.ts',
    "import {\n  a,\n  b,\n} from '../engine/part.ts';",
    'stands below it',
  ],
  ['market/src/calendar.ts', "import { a } from 'ticklake/base/clock.ts';", 'stands below it'],
  ['client/src/csv.ts', "import { a } from '@ticklake/market/calendar.ts';", 'stands below it'],
  ['server/src/routes/app.ts', "import { a } from '@ticklake/demo/cells.ts';", 'stands below it'],
  ['server/src/lake/lake.ts', "import 'node:sqlite';", 'only server/src/store/sqlite may'],
  ['server/src/engine/engine.ts', "import type { A } from '@duckdb/node-api';", 'only'],
  ['server/src/operation/shown.ts', "import type { A } from 'fastify';", 'only'],
  ['server/src/access/a.ts', "import a from '@fastify/accept-negotiator';", 'only'],
  ['server/src/cli/init.ts', "import { a } from '../store/sqlite/a.ts';", 'only'],
  ['demo/src/demo-home.ts', "import { a } from 'ticklake/engine/duckdb/engine.ts';", 'only'],
  ['console/src/main.ts', "import { a } from 'ticklake/access/session.ts';", 'the console shares'],
  ['server/src/extra/a.ts', "import 'node:fs';", 'stands in no room'],
])('%s may not: %j', (path, text, problem) => {
  expect(problemsOf(path, text)).toEqual([expect.stringContaining(problem)]);
});

it.each([
  ['server/src/plan/prune.ts', "import { a } from '../catalog/dataset.ts';"],
  ['server/src/plan/prune.ts', "import { a } from './predicate.ts';\nimport 'node:fs';"],
  ['server/src/engine/duckdb/reader.ts', "import { A } from '@duckdb/node-api';"],
  ['server/src/engine/duckdb/a/b.ts', "import { a } from '../reader.ts';"],
  ['server/src/installed.ts', "export { a } from './store/sqlite/control-store.ts';"],
  ['demo/src/cells.ts', "import { a } from '@ticklake/market/calendar.ts';"],
  ['console/src/main.ts', "import type { A } from '@ticklake/client';"],
  ['server/src/cli/get.ts', "import { A } from '@ticklake/client';"],
  ['console/src/network/a.ts', "import { a } from 'ticklake/access/subnet.ts';"],
  ['server/src/base/errors.ts', 'const text = "import { a } from \'../routes/app.ts\'";'],
])('%s may: %j', (path, text) => {
  expect(problemsOf(path, text)).toEqual([]);
});
