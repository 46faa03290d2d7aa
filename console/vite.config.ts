import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { chunkGroups } from './chunk-groups.ts';
import { clientPackages } from './client-packages.ts';
import { compressAssets } from './compress-assets.ts';
import { documentation } from './documentation/render-documentation.ts';
import { preloadConsole } from './preload-console.ts';

/** A Ticklake server that runs beside `npm run dev:console`. */
const DEVELOPMENT_SERVER = 'http://127.0.0.1:8080';

const file = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** The first module that the console's document needs but does not wait for. */
const CONSOLE = file('src/console.tsx');

/** The pages that need nobody to be signed in. */
const PUBLIC = {
  reference: file('reference.html'),
  landing: file('landing.html'),
  documentation: file('documentation.html'),
};

const FIELDS = ['form', 'select-field', 'combobox-field', 'action-menu', 'date-field'].map((name) =>
  file(`src/ui/${name}.tsx`),
);

export default defineConfig({
  root: file('.'),
  base: '/console/',
  plugins: [react(), documentation(), clientPackages(), preloadConsole(CONSOLE), compressAssets()],
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    target: 'es2023',
    // Inlined files would need `data:` in the security policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // All styles are 11 kB, and each further file would cost a slow connection a round trip.
    cssCodeSplit: false,
    rolldownOptions: {
      input: [file('index.html'), ...Object.values(PUBLIC)],
      output: {
        codeSplitting: { groups: chunkGroups({ console: CONSOLE, ...PUBLIC }, FIELDS) },
        // The names of merged files list who needs them.
        chunkFileNames: ({ name }) => `assets/${name.replace(/~.*/, '')}-[hash].js`,
      },
    },
  },
  server: {
    proxy: { '/v1': DEVELOPMENT_SERVER, '/console/config.json': DEVELOPMENT_SERVER },
  },
});
