/** A real S3 server on a free port over its own folder, which tests may kill and restart. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../free-port.ts';
import { untilAnswers } from '../until.ts';

const PROGRAM = process.env.TICKLAKE_VERSITYGW ?? 'versitygw';
const EXTENSIONS = process.env.TICKLAKE_EXTENSIONS ?? '';
const EXTENSION = 'httpfs.duckdb_extension';

export const BUCKET = 'lake';
const CREDENTIALS = { AWS_ACCESS_KEY_ID: 'tests', AWS_SECRET_ACCESS_KEY: 'secret-of-tests' };

function missing(): string | null {
  if (spawnSync(PROGRAM, ['--version']).status !== 0) {
    return 'no program versitygw on the path; install it, or set TICKLAKE_VERSITYGW';
  }
  const places = ['', 'v1.5.5'].map((place) => join(EXTENSIONS, place, EXTENSION));
  if (EXTENSIONS !== '' && places.some((file) => existsSync(file))) return null;
  return `no ${EXTENSION}; set TICKLAKE_EXTENSIONS to its folder`;
}

/** Why there is no object store here; null if there is. Throws if TICKLAKE_S3 is `required`. */
export function objectStoreProblem(): string | null {
  const problem = missing();
  if (problem === null) return null;
  if (process.env.TICKLAKE_S3 === 'required') throw new Error(problem);
  process.stderr.write(`tests of object storage are skipped: ${problem}\n`);
  return problem;
}

export class TestObjectStore {
  readonly endpoint: string;
  /** Absolute path of the folder that is the bucket. */
  readonly bucketFolder: string;
  readonly #port: number;
  readonly #folder: string;
  #process: ChildProcess | null = null;

  private constructor(port: number) {
    this.#port = port;
    this.endpoint = `http://127.0.0.1:${port}`;
    this.#folder = mkdtempSync(join(tmpdir(), 'ticklake-objects-'));
    this.bucketFolder = join(this.#folder, 'data', BUCKET);
    mkdirSync(this.bucketFolder, { recursive: true });
  }

  /** Starts one, and puts its credentials into the environment of this process. */
  static async start(): Promise<TestObjectStore> {
    const store = new TestObjectStore(await freePort());
    Object.assign(process.env, CREDENTIALS);
    await store.run();
    return store;
  }

  /** The environment of a program whose lake lies at a prefix here. */
  environment(prefix: string): Record<string, string> {
    return {
      ...CREDENTIALS,
      TICKLAKE_LAKE: `s3://${BUCKET}/${prefix}`,
      TICKLAKE_S3_ENDPOINT: this.endpoint,
      TICKLAKE_EXTENSIONS: EXTENSIONS,
    };
  }

  /** The settings of an engine whose lake lies at a prefix here. */
  settings(prefix: string) {
    return {
      lakeAddress: { bucket: BUCKET, prefix },
      s3Endpoint: this.endpoint,
      s3Region: null,
      extensions: EXTENSIONS,
    };
  }

  async run(): Promise<void> {
    const { AWS_ACCESS_KEY_ID: ROOT_ACCESS_KEY, AWS_SECRET_ACCESS_KEY: ROOT_SECRET_KEY } =
      CREDENTIALS;
    const address = `127.0.0.1:${this.#port}`;
    this.#process = spawn(PROGRAM, ['--port', address, 'posix', join(this.#folder, 'data')], {
      env: { ...process.env, ROOT_ACCESS_KEY, ROOT_SECRET_KEY },
      stdio: 'ignore',
    });
    await untilAnswers(this.endpoint, this.#process);
  }

  async kill(): Promise<void> {
    const running = this.#process;
    if (running === null) return;
    this.#process = null;
    // Ctrl-C in a terminal ends it, too.
    if (running.exitCode !== null || running.signalCode !== null) return;
    const ended = once(running, 'exit');
    running.kill('SIGKILL');
    await ended;
  }

  /** Keeps it from doing anything, as a network does that swallows everything. */
  freeze(): void {
    this.#process?.kill('SIGSTOP');
  }

  thaw(): void {
    this.#process?.kill('SIGCONT');
  }

  async stop(): Promise<void> {
    await this.kill();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
