import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig, type Plugin } from 'vite';

const root = join(import.meta.dirname, '..');
const dist = join(import.meta.dirname, 'dist');

/** Files that the program finds beside its sources, so beside what is built from them, too. */
const FILES = ['datasets', 'console/dist', 'server/package.json'];

const copyFiles: Plugin = {
  name: 'copy-files',
  closeBundle() {
    for (const file of FILES) cpSync(join(root, file), join(dist, file), { recursive: true });
  },
};

/**
 * The server as its package ships it: each source file as JavaScript, in the folders of the
 * repository, because Node runs no TypeScript that is installed as a package.
 */
export default defineConfig({
  root: import.meta.dirname,
  plugins: [copyFiles],
  ssr: { noExternal: [/^@ticklake\//] },
  build: {
    ssr: 'src/cli.ts',
    outDir: dist,
    target: 'node26',
    minify: false,
    rolldownOptions: {
      output: {
        preserveModules: true,
        preserveModulesRoot: root,
        entryFileNames: '[name].js',
      },
    },
  },
});
