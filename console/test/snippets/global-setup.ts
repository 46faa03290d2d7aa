/** Once for a run: the Python of the snippets. */
import type { TestProject } from 'vitest/node';
import { snippetPython } from './snippet-python.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The interpreter; null where there is none with the packages. */
    python: string | null;
  }
}

export default function setUp(project: TestProject): void {
  project.provide('python', snippetPython());
}
