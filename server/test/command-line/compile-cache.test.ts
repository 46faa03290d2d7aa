import { execFileSync } from 'node:child_process';
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '../../..');
const PROGRAM = join(ROOT, 'server/src/cli.ts');
const FOLDER = join(ROOT, 'node_modules/.cache/ticklake');

it('keeps what the runtime made of the sources beside the dependencies', () => {
  rmSync(FOLDER, { recursive: true, force: true });
  const { PATH } = process.env;
  const answer = execFileSync(process.execPath, [PROGRAM, '--version'], { env: { PATH } });
  expect(answer.toString()).toMatch(/^\d+\.\d+\.\d+\n$/);
  const [version = ''] = readdirSync(FOLDER);
  expect(readdirSync(join(FOLDER, version)).length).toBeGreaterThan(100);
});
