import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { PROGRAM } from '../program.ts';

const ROOT = join(import.meta.dirname, '../../..');
const SOURCE = join(ROOT, 'server/src/cli.ts');

it.each([
  ['the sources', SOURCE, join(ROOT, 'node_modules/.cache/ticklake'), 'cli/commands.ts'],
  ['what is built of them', PROGRAM, join(PROGRAM, '../../cache'), 'program/commands.js'],
])('keeps what the runtime made of %s', (_, program, folder, compiled) => {
  const { PATH } = process.env;
  // The runtime tells where it keeps what: the folder may be there from an earlier start.
  const env = { PATH, NODE_DEBUG_NATIVE: 'COMPILE_CACHE' };
  const { stdout, stderr } = spawnSync(process.execPath, [program, '--version'], { env });
  expect(stdout.toString()).toMatch(/^\d+\.\d+\.\d+\n$/m);
  const told = `${stdout}${stderr}`;
  expect(told).toContain(`[compile cache] resolved path ${folder} `);
  expect(told).toContain(compiled);
  const version = readdirSync(folder).find((name) => name.startsWith('v')) ?? '';
  expect(readdirSync(join(folder, version)).length).toBeGreaterThan(0);
});
