import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '../../..');
const PROGRAM = join(ROOT, 'server/src/cli.ts');
const FOLDER = join(ROOT, 'node_modules/.cache/ticklake');

it('keeps what the runtime made of the sources beside the dependencies', () => {
  const { PATH } = process.env;
  // The runtime tells where it keeps what: the folder may be there from an earlier start.
  const env = { PATH, NODE_DEBUG_NATIVE: 'COMPILE_CACHE' };
  const { stdout, stderr } = spawnSync(process.execPath, [PROGRAM, '--version'], { env });
  expect(stdout.toString()).toMatch(/^\d+\.\d+\.\d+\n$/m);
  const told = `${stdout}${stderr}`;
  expect(told).toContain(`[compile cache] resolved path ${FOLDER} `);
  expect(told).toContain(join(ROOT, 'server/src/cli/commands.ts'));
  const [version = ''] = readdirSync(FOLDER);
  expect(readdirSync(join(FOLDER, version)).length).toBeGreaterThan(0);
});
