/**
 * Once for a run: the Python of the snippets, and the built console with the packages of the
 * clients.
 */
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { runToEnd } from '../../../scripts/python-environment.ts';
import { snippetPython } from './snippet-python.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The interpreter; null where there is none with the packages. */
    python: string | null;
  }
}

const BUILD = join(import.meta.dirname, '../../../scripts/build-console-if-needed.mjs');

export default async function setUp(project: TestProject): Promise<void> {
  await runToEnd(process.execPath, [BUILD, '--required']);
  project.provide('python', await snippetPython());
}
