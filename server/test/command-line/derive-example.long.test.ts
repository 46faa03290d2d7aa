/**
 * Runs the example of docs/derive.md as printed: the program, in a fresh home, beside its server.
 */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { makeDemoAccount } from '@ticklake/demo/prepare-demo.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import { openServices } from '../../src/open-services.ts';
import { readConfig } from '../../src/settings/config.ts';
import { docsText } from '../docs-table.ts';
import { type ServerProcess, startServer } from '../operation/server-process.ts';
import { PROGRAM } from '../program.ts';

const folder = mkdtempSync(join(tmpdir(), 'ticklake-example-'));
const home = { path: join(folder, 'home'), remove: () => {} };
let server: ServerProcess;

interface Step {
  readonly commands: string;
  /** Lines that they print, others may be between them; none: they are not shown. */
  readonly printed: readonly string[];
}

/** The blocks of commands of the example, each with the block of what they print. */
function stepsOf(): Step[] {
  const [, section = ''] = /^## An example\n(.*?)^## /ms.exec(docsText('derive.md')) ?? [];
  const blocks = [...section.matchAll(/^```(sh)?\n(.*?)^```$/gms)];
  return blocks.flatMap(([, language, text = ''], i) => {
    if (language !== 'sh') return [];
    const [, after, printed = ''] = blocks[i + 1] ?? [];
    return [{ commands: text, printed: after ? [] : printed.trimEnd().split('\n') }];
  });
}

/** The program by the name that it has in the documents, for any shell in the folder. */
function writeProgram(): void {
  const words = [process.execPath, PROGRAM].map((word) => `'${word}'`).join(' ');
  writeFileSync(join(folder, 'ticklake'), `#!/bin/sh\nexec ${words} "$@"\n`, { mode: 0o755 });
}

async function run(commands: string): Promise<string[]> {
  const env = {
    PATH: `${folder}:${process.env.PATH}`,
    TICKLAKE_HOME: home.path,
    TICKLAKE_URL: server.url,
    TICKLAKE_KEY: server.key,
  };
  const ran = await promisify(execFile)('sh', ['-euc', commands], { cwd: folder, env });
  return ran.stdout.trimEnd().split('\n');
}

beforeAll(async () => {
  writeProgram();
  const services = await openServices({ ...readConfig({}), home: home.path }, systemClock);
  await makeDemoAccount(services);
  await services.close();
  server = await startServer(home);
});

afterAll(async () => {
  server.child.kill('SIGTERM');
  await server.ended;
  rmSync(folder, { recursive: true });
});

test('the example of docs/derive.md prints what the page says, line by line', async () => {
  const steps = stepsOf();
  expect(steps.map(({ printed }) => printed.length > 0)).toEqual([true, true, true]);
  for (const { commands, printed } of steps) {
    const lines = await run(commands);
    expect(lines.filter((line) => printed.includes(line))).toEqual(printed);
  }
});
