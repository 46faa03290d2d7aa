import { cpSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig, type Plugin } from 'vite';
import { definitionPaths, keptValues } from './src/catalog/load-catalog.ts';

const root = join(import.meta.dirname, '..');

/** Files beside the program, from their places in the repository to those in the package. */
const FILES = {
  datasets: 'datasets',
  'console/dist': 'console/dist',
  'deploy/nginx': 'deploy/nginx',
  'deploy/prometheus': 'deploy/prometheus',
  'deploy/systemd': 'deploy/systemd',
  'server/bin': 'bin',
  'server/README.md': 'README.md',
  'CHANGELOG.md': 'CHANGELOG.md',
  LICENSE: 'LICENSE',
};

/** The manifest as installing needs it: a command, and nothing that a program could import. */
function publishedManifest(): string {
  const own = JSON.parse(readFileSync(join(root, 'server/package.json'), 'utf8'));
  const { name, version, description, license, type, engines, bin } = own;
  const { dependencies, optionalDependencies } = own;
  const exports = { './package.json': './package.json' };
  const published = { name, version, description, license, type, engines, bin, exports };
  return JSON.stringify({ ...published, dependencies, optionalDependencies }, null, 2);
}

const addFiles: Plugin = {
  name: 'add-files',
  writeBundle({ dir = '' }) {
    for (const [from, to] of Object.entries(FILES)) {
      if (existsSync(join(root, from)))
        cpSync(join(root, from), join(dir, to), { recursive: true });
    }
    writeFileSync(join(dir, 'package.json'), `${publishedManifest()}\n`);
    const texts = definitionPaths(join(root, 'datasets')).map((path) => readFileSync(path, 'utf8'));
    keptValues(join(dir, 'cache/definitions.json'), texts);
  },
};

/**
 * The package as it is published, without its sources: a few files of JavaScript, because Node runs
 * no TypeScript installed as a package, and because opening 1,700 files takes longer than the rest
 * of a start.
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
      input: [
        'src/cli.ts',
        'src/engine/duckdb/reading/page-worker.ts',
        '../demo/src/generation-thread.ts',
      ],
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
