/** The clients as customers get them: installed from the server by the line in the snippets. */
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { runToEnd } from '../../../scripts/python-environment.ts';
import type { TestService } from '../../../server/test/harness.ts';
import {
  CLIENT_PACKAGES,
  installPython,
  installTypescript,
} from '../../src/format/client-packages';
import { openSnippetService } from './snippet-data';

const PROJECT = join(import.meta.dirname, '../../../clients/python/pyproject.toml');
const folder = mkdtempSync(join(tmpdir(), 'ticklake-clients-'));

let service: TestService;
let base = '';
beforeAll(async () => {
  service = await openSnippetService();
  base = `${await service.app.listen({ host: '127.0.0.1', port: 0 })}/v1`;
});
afterAll(async () => {
  await service?.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Output of a program, while this process goes on serving. */
async function output(program: string, words: readonly string[], cwd: string): Promise<string> {
  const { stdout } = await promisify(execFile)(program, words, { cwd });
  return stdout.trim();
}

it('is named by the version that each client has', () => {
  const [, version] = /^version = "(.*)"$/m.exec(readFileSync(PROJECT, 'utf8')) ?? [];
  expect(CLIENT_PACKAGES.python).toBe(`clients/ticklake-${version}.tar.gz`);
});

describe('a client of the server itself', () => {
  it.skipIf(inject('python') === null)('is what pip installs', async () => {
    const target = join(folder, 'python');
    // The libraries are there; what builds the client comes from the registry.
    const line = installPython(base, 'polars').replace(
      'pip install',
      `'${inject('python')}' -m pip install --quiet --no-deps --target '${target}'`,
    );
    await output('sh', ['-c', line], folder);
    const program = `import sys; sys.path.insert(0, ${JSON.stringify(target)}); import ticklake; print(ticklake.__file__)`;
    const file = await runToEnd(inject('python') ?? '', ['-c', program]);
    expect(file).toBe(join(target, 'ticklake/__init__.py'));
  });

  it('is what npm installs', async () => {
    await output('sh', ['-c', `npm init -y && ${installTypescript(base)} --no-audit`], folder);
    const program =
      "import('@ticklake/client').then(({ Ticklake }) => console.log(typeof Ticklake))";
    expect(await output(process.execPath, ['-e', program], folder)).toBe('function');
  });
});
