/** Loads a service's uploads in this process, by the command that a separate process would run. */

import { loadInProcess, type RunProgram } from '../../src/ingest/uploads/load-in-process.ts';
import { Uploads } from '../../src/ingest/uploads/uploads.ts';
import { runWithSettings } from '../command-line/run-command.ts';
import type { TestService } from '../harness.ts';

const LONGEST_MS = 600_000;

/** One at a time: each runs in the program's folder, so that reports show plain file names. */
const runHere: RunProgram = async ({ words, folder }, { home }) => {
  const settings = process.env as Readonly<Record<string, string>>;
  const before = process.cwd();
  process.chdir(folder);
  try {
    const { exitCode, stdout } = await runWithSettings(home, settings, ...words);
    return { exitCode, output: stdout };
  } finally {
    process.chdir(before);
  }
};

/** Has the answer of an upload wait until it is loaded, however long that takes. */
export function waitForLoads({ services: { uploads } }: TestService): void {
  const wait = uploads.waitForEnd.bind(uploads);
  uploads.waitForEnd = (upload) => wait(upload, LONGEST_MS);
}

export function loadUploadsHere({ services }: TestService): void {
  const { config, clock } = services;
  const load = loadInProcess(config, runHere);
  const uploads = new Uploads({ ...config, clock, load, derive: null });
  Object.assign(services, { uploads });
}
