/** Runs command lines as the program does, in this process, and keeps what they print. */
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Readable, Writable } from 'node:stream';
import { type Clock, fixedClock, systemClock } from '../../src/base/clock.ts';
import { COMMANDS } from '../../src/cli/commands.ts';
import { runCommandLine } from '../../src/cli/run-command-line.ts';
import { openLake } from '../../src/open-home.ts';
import { connectToDuckDB } from '../duckdb-connection.ts';
import { partFiles } from '../part-files.ts';
import { placeEnvironment } from '../place-of-tests.ts';

export interface CommandOutput {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

class Kept extends Writable {
  text = '';
  onText: () => void = () => {};
  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.text += chunk.toString();
    this.onText();
    done();
  }
}

/** Runs a command whose standard output is a terminal, as that of a person is. */
export function runCommand(home: string, ...words: string[]): Promise<CommandOutput> {
  return run(home, words, Object.assign(new Kept(), { isTTY: true }));
}

/** Like `runCommand` by the real clock, to agree with a server in another process. */
export function runCommandNow(home: string, ...words: string[]): Promise<CommandOutput> {
  return runByClock(systemClock, home, ...words);
}

export function runByClock(clock: Clock, home: string, ...words: string[]): Promise<CommandOutput> {
  return run(home, words, Object.assign(new Kept(), { isTTY: true }), clock);
}

/** Runs a command whose standard output is a pipe, as that of a script is. */
export function runPiped(home: string, ...words: string[]): Promise<CommandOutput> {
  return run(home, words, new Kept());
}

/** Like `runPiped`, with settings by the names of their variables. */
export function runWithSettings(
  home: string,
  settings: Readonly<Record<string, string>>,
  ...words: string[]
): Promise<CommandOutput> {
  return run(home, words, new Kept(), undefined, undefined, settings);
}

/** Runs a command that is given standard input, and interrupted when the signal aborts. */
export function runUntil(
  signal: AbortSignal,
  home: string,
  chunks: Iterable<string>,
  ...words: string[]
): Promise<CommandOutput> {
  return run(home, words, new Kept(), undefined, Readable.from(chunks), {}, signal);
}

/** Runs a command that is given standard input, in these chunks. */
export function runWithStdin(
  home: string,
  chunks: readonly (string | Buffer)[],
  ...words: string[]
): Promise<CommandOutput> {
  return run(home, words, new Kept(), undefined, Readable.from(chunks));
}

/** Runs a command at a terminal and answers its prompts. `isPiped`: standard output is piped. */
export function runTyping(
  home: string,
  replies: readonly (readonly [prompt: string, typed: string])[],
  isPiped: boolean,
  ...words: string[]
): Promise<CommandOutput> {
  const stdin = Object.assign(new PassThrough(), { isTTY: true });
  const stderr = Object.assign(new Kept(), { isTTY: true });
  const waiting = [...replies];
  stderr.onText = () => {
    if (!stderr.text.includes(waiting[0]?.[0] ?? '\0')) return;
    stdin.write(waiting.shift()?.[1]);
  };
  const stdout = Object.assign(new Kept(), { isTTY: !isPiped });
  return run(home, words, stdout, undefined, stdin, {}, undefined, stderr);
}

/** Commands that load into a home, which they do not make themselves. */
const LOADING = ['import', 'ingest', 'night', 'recipe', 'watch'];

async function run(
  home: string,
  words: string[],
  stdout: Kept,
  clock: Clock = fixedClock('2025-06-20T16:00:00Z'),
  stdin: NodeJS.ReadableStream = Readable.from([]),
  settings: Readonly<Record<string, string>> = {},
  signal: AbortSignal = new AbortController().signal,
  stderr: Kept = new Kept(),
): Promise<CommandOutput> {
  if (LOADING.includes(words[0] ?? '')) mkdirSync(home, { recursive: true });
  const exitCode = await runCommandLine(
    {
      words,
      env: { TICKLAKE_HOME: home, ...placeEnvironment(), ...settings },
      stdin,
      stdout,
      stderr,
      clock,
      signal,
    },
    COMMANDS,
  );
  return { exitCode, stdout: stdout.text, stderr: stderr.text };
}

/** A new folder with room for a home and files. */
export function newFolder(): { readonly path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), 'ticklake-command-'));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

/** The published rows of a dataset, in natural order, as the texts of the given SQL expressions. */
export async function publishedRows(
  home: string,
  datasetId: string,
  expressions: readonly string[],
): Promise<(string | null)[][]> {
  const clock = fixedClock('2025-06-20T16:00:00Z');
  const lake = await openLake({ home }, clock);
  const files = await partFiles(lake, datasetId);
  await lake.close();
  if (files.length === 0) return [];
  const connection = await connectToDuckDB();
  const rows: (string | null)[][] = [];
  for (const file of files) {
    const texts = expressions.map((expression) => `CAST(${expression} AS VARCHAR)`);
    const reader = await connection.runAndReadAll(
      `SELECT ${texts.join(', ')} FROM read_parquet('${file}')`,
    );
    rows.push(...(reader.getRows() as (string | null)[][]));
  }
  connection.closeSync();
  return rows;
}

/** Names of what stages left in the lake of a home. */
export function leftovers(home: string): string[] {
  const files = readdirSync(join(home, 'lake'), { recursive: true, encoding: 'utf8' });
  return files.filter((name) => /stage-|spill|block/.test(name));
}
