/** A copy of the project in a temporary folder, where a fault can be put in without touching the sources. */
import { type ChildProcess, execFile, fork } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { setInterval as ticks, setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { Job } from './worker.ts';

/** `timed out`: it was killed because it took too long, or too much memory. */
export type Verdict = 'passed' | 'failed' | 'timed out';

/** A fault may write for ever; others need the machine's memory too. */
const MEMORY_KIB_MAX = 4 * 1024 * 1024;
const MEMORY_LOOK_MS = 1000;

const list = promisify(execFile);

/** Memory of a group of processes; 0 where there is no `ps`. */
async function memoryKib(group: number): Promise<number> {
  const { stdout } = await list('ps', ['-A', '-o', 'pgid=,rss=']).catch(() => ({ stdout: '' }));
  const rows = stdout.split('\n').map((line) => line.trim().split(/\s+/).map(Number));
  return rows.reduce((sum, [id, kib = 0]) => (id === group ? sum + kib : sum), 0);
}

/** Resolves when a group of processes has too much memory; rejects when the signal is aborted. */
async function memoryUsedUp(group: number, signal: AbortSignal): Promise<void> {
  for await (const _ of ticks(MEMORY_LOOK_MS, undefined, { signal })) {
    if ((await memoryKib(group)) > MEMORY_KIB_MAX) return;
  }
}

const NOT_COPIED = new Set(['node_modules', '.git', '.ticklake', 'dist', 'images']);

/** The project's own packages, which `node_modules` links to, and the scope that most of them have. */
const OWN_PACKAGES = ['ticklake', '@ticklake'];

/** Links what is installed, and the project's own packages to their copies. */
function linkModules(from: string, to: string): void {
  mkdirSync(to);
  for (const name of readdirSync(from)) {
    if (!OWN_PACKAGES.includes(name)) symlinkSync(join(from, name), join(to, name));
    else cpSync(join(from, name), join(to, name), { recursive: true, verbatimSymlinks: true });
  }
}

/** Links what a workspace alone has installed. */
function linkOwnModules(root: string, copy: string): void {
  for (const path of globSync('*/node_modules', { cwd: root })) {
    symlinkSync(join(root, path), join(copy, path));
  }
}

export class Sandbox {
  readonly #folder: string;
  #worker: ChildProcess | undefined;

  constructor(root: string) {
    this.#folder = mkdtempSync(join(tmpdir(), 'ticklake-mutants-'));
    const filter = (path: string) => !NOT_COPIED.has(basename(path));
    const copy = join(this.#folder, 'project');
    cpSync(root, copy, { recursive: true, filter });
    linkModules(join(root, 'node_modules'), join(copy, 'node_modules'));
    linkOwnModules(root, copy);
    mkdirSync(join(this.#folder, 'tmp'));
    process.once('exit', this.#remove);
  }

  /** Runs a file of tests; after the limit, or with too much memory, its processes are killed. */
  async run(job: Job, limitMs: number): Promise<Verdict> {
    const worker = await this.#running();
    worker.send(job);
    const decided = new AbortController();
    const { signal } = decided;
    const verdict = await Promise.race([
      once(worker, 'message', { signal }).then(([ok]): Verdict => (ok ? 'passed' : 'failed')),
      once(worker, 'exit', { signal }).then((): Verdict => 'failed'),
      wait(limitMs, 'timed out' as const, { signal }),
      memoryUsedUp(worker.pid as number, signal).then(() => 'timed out' as const),
    ]);
    decided.abort();
    if (verdict === 'timed out') await this.#stop();
    return verdict;
  }

  restore(file: string, text: string): void {
    writeFileSync(join(this.#folder, 'project', file), text);
  }

  async close(): Promise<void> {
    await this.#stop();
    this.#remove();
    process.off('exit', this.#remove);
  }

  readonly #remove = (): void => {
    this.#kill();
    rmSync(this.#folder, { recursive: true, force: true, maxRetries: 5 });
  };

  async #running(): Promise<ChildProcess> {
    if (this.#isRunning) return this.#worker as ChildProcess;
    this.#worker = fork(join(import.meta.dirname, 'worker.ts'), {
      cwd: join(this.#folder, 'project'),
      env: { ...process.env, TMPDIR: join(this.#folder, 'tmp'), NO_COLOR: '1' },
      detached: true,
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    await once(this.#worker, 'message');
    return this.#worker;
  }

  get #isRunning(): boolean {
    return this.#worker?.exitCode === null && this.#worker.signalCode === null;
  }

  /** With all that the tests have started: they are one group of processes. */
  #kill(): void {
    if (this.#isRunning) process.kill(-(this.#worker?.pid as number), 'SIGKILL');
  }

  async #stop(): Promise<void> {
    if (!this.#isRunning) return;
    const ended = once(this.#worker as ChildProcess, 'exit');
    this.#kill();
    await ended;
  }
}
