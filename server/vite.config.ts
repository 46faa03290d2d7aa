import { cpSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig, type Plugin } from 'vite';
import { definitionPaths, keptValues } from './src/catalog/load-catalog.ts';

const root = join(import.meta.dirname, '..');

/** Files that the program finds by their place in the repository, so the build keeps that place. */
const FILES = ['datasets', 'console/dist', 'server/package.json'];

const addFiles: Plugin = {
  name: 'add-files',
  writeBundle({ dir = '' }) {
    for (const file of FILES.filter((path) => existsSync(join(root, path)))) {
      cpSync(join(root, file), join(dir, file), { recursive: true });
    }
    const texts = definitionPaths(join(root, 'datasets')).map((path) => readFileSync(path, 'utf8'));
    keptValues(join(dir, 'cache/definitions.json'), texts);
  },
};

/**
 * The server as its package ships it: a few files of JavaScript, because Node runs no TypeScript
 * installed as a package, and because opening 1,700 files takes longer than the rest of a start.
 */
export default defineConfig({
  root: import.meta.dirname,
  plugins: [addFiles],
  // Native code cannot be built in.
  ssr: { noExternal: true, external: ['@duckdb/node-api'] },
  build: {
    ssr: true,
    outDir: 'dist',
    target: 'node26',
    minify: false,
    license: { fileName: 'licenses.md' },
    rolldownOptions: {
      // A worker is a program of its own, and stands beside the one that begins it.
      input: ['src/cli.ts', 'src/engine/duckdb/reading/page-worker.ts'],
      // Either would leave out a call that is made to see whether it throws.
      treeshake: false,
      output: {
        minify: false,
        entryFileNames: 'program/[name].js',
        chunkFileNames: 'program/[name].js',
      },
    },
  },
});
