/** Deno and Bun, which npm installs for tests alone; kept for the next run. */
import { execFileSync } from 'node:child_process';
import { globSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const FOLDER = join(import.meta.dirname, '../../../node_modules/.cache/ticklake-runtimes');
const PACKAGES = ['deno@^2.9', 'bun@^1.4'];
/** A script of Bun's package makes its command; this program exists without the script. */
const PROGRAMS = { deno: '.bin/deno', bun: '@oven/*/bin/bun' };

export interface Runtime {
  readonly name: string;
  readonly program: string;
  /** Words before the program's path. */
  readonly words: readonly string[];
}

function install(): void {
  mkdirSync(FOLDER, { recursive: true });
  writeFileSync(join(FOLDER, 'package.json'), '{"private":true}');
  const words = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--no-save'];
  execFileSync('npm', [...words, ...PACKAGES], { cwd: FOLDER, stdio: 'pipe' });
}

function programOf(name: keyof typeof PROGRAMS): string {
  const [program] = globSync(join(FOLDER, 'node_modules', PROGRAMS[name]));
  if (!program) throw new Error(`there is no ${name} for this machine`);
  return program;
}

/** Node, Deno and Bun; Node alone where npm cannot install the others, unless they are required. */
export function installedRuntimes(): readonly Runtime[] {
  const node = { name: 'Node', program: process.execPath, words: [] };
  try {
    install();
    return [
      node,
      { name: 'Deno', program: programOf('deno'), words: ['run', '--allow-all', '--no-lock'] },
      { name: 'Bun', program: programOf('bun'), words: ['run'] },
    ];
  } catch (error) {
    if (process.env.TICKLAKE_RUNTIMES === 'required') throw error;
    process.stderr.write(`SKIPPED: the client in Deno and Bun: ${error}\n`);
    return [node];
  }
}
