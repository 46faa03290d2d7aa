/** Runs a snippet as somebody would who pasted it, and reads what it ended with. */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inject } from 'vitest';
import { PROGRAM } from '../../../server/test/program.ts';
import type { Snippet } from '../../src/explorer/snippets';
import type { Cell } from './expected-rows';

export interface Ran {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Final result of a program that reads rows. */
export interface Frame {
  /** Column types of the data frame; null: there is none. */
  readonly types: Readonly<Record<string, string>> | null;
  readonly rows: readonly (readonly Cell[])[];
}

interface Interpreter {
  readonly program: string;
  readonly words: readonly string[];
  readonly file: string;
  /** Appended to print the rows. */
  readonly dump: string;
}

const HERE = import.meta.dirname;
const read = (name: string) => readFileSync(join(HERE, name), 'utf8');

const DUMP_TYPESCRIPT_CLIENT = `
const dumped = (value: unknown) => (typeof value === "bigint" ? { integer: String(value) } : value);
const cells = rows.map((row) => Object.values(row).map(dumped));
console.log("\\n" + JSON.stringify({ types: null, rows: cells }));
`;

const ROOT = join(HERE, '../../..');
/** The client as it stands here. */
const PYTHON_PATH = join(ROOT, 'clients/python/src');
/** The command as somebody has it who installed it. */
const TICKLAKE = `#!/bin/sh\nexec '${process.execPath}' '${PROGRAM}' "$@"\n`;

/** How to run each kind of snippet but the address, which is no program. */
function interpreterOf(name: Snippet['name']): Interpreter {
  const python = { program: inject('python') ?? '', words: [], file: 'snippet.py' };
  const interpreters: Partial<Record<Snippet['name'], Interpreter>> = {
    curl: { program: 'sh', words: [], file: 'snippet.sh', dump: '' },
    'python-client': { ...python, dump: `\nimport polars as pl\n${read('dump_polars.py')}` },
    duckdb: { ...python, dump: read('dump_duckdb.py') },
    r: { program: 'Rscript', words: [], file: 'snippet.R', dump: read('dump_r.R') },
    'typescript-client': {
      program: process.execPath,
      words: ['--disable-warning=ExperimentalWarning'],
      file: 'snippet.mts',
      dump: DUMP_TYPESCRIPT_CLIENT,
    },
    get: { program: 'sh', words: [], file: 'snippet.sh', dump: '' },
  };
  const interpreter = interpreters[name];
  if (!interpreter) throw new Error(`nothing runs a snippet of ${name}`);
  return interpreter;
}

export async function runSnippet({ name, text }: Snippet, key: string): Promise<Ran> {
  const { program, words, file, dump } = interpreterOf(name);
  const folder = mkdtempSync(join(tmpdir(), 'ticklake-snippet-'));
  writeFileSync(join(folder, file), `${text}${dump}`);
  writeFileSync(join(folder, 'ticklake'), TICKLAKE, { mode: 0o755 });
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  const env = {
    PATH: `${folder}:${process.env.PATH}`,
    TMPDIR: folder,
    TICKLAKE_CACHE: join(folder, 'cache'),
    PYTHONPATH: PYTHON_PATH,
    // Nothing beside the sources, and what a run compiled the next one finds.
    PYTHONPYCACHEPREFIX: join(ROOT, 'node_modules/.cache/python-bytecode'),
    TICKLAKE_KEY: key,
  };
  const child = spawn(program, [...words, file], { cwd: folder, env });
  const [stdout, stderr] = [[] as Buffer[], [] as Buffer[]];
  child.stdout.on('data', (chunk) => stdout.push(chunk));
  child.stderr.on('data', (chunk) => stderr.push(chunk));
  const exitCode = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  rmSync(folder, { recursive: true });
  return { exitCode, stdout: `${Buffer.concat(stdout)}`, stderr: `${Buffer.concat(stderr)}` };
}

/** The rows that a program ended with, from the last line that it printed. */
export function frameOf({ exitCode, stdout, stderr }: Ran): Frame {
  if (exitCode !== 0) throw new Error(`exit code ${exitCode}: ${stderr}`);
  return JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '');
}
