import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { chunkGroups } from './chunk-groups.ts';
import { clientPackages } from './client-packages.ts';
import { compressAssets } from './compress-assets.ts';
import { documentation } from './documentation/render-documentation.ts';

/** A Ticklake server that runs beside `npm run dev:console`. */
const DEVELOPMENT_SERVER = 'http://127.0.0.1:8080';

const document = (name: string) => fileURLToPath(new URL(`${name}.html`, import.meta.url));

/** The console, and the pages that need nobody to be signed in. */
const DOCUMENTS = {
  console: document('index'),
  reference: document('reference'),
  landing: document('landing'),
  documentation: document('documentation'),
};

export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  base: '/console/',
  plugins: [react(), documentation(), clientPackages(), compressAssets()],
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
      input: Object.values(DOCUMENTS),
      output: {
        codeSplitting: { groups: chunkGroups(DOCUMENTS) },
        // The names of merged files list who needs them.
        chunkFileNames: ({ name }) => `assets/${name.replace(/~.*/, '')}-[hash].js`,
      },
    },
  },
  server: {
    proxy: { '/v1': DEVELOPMENT_SERVER, '/console/config.json': DEVELOPMENT_SERVER },
  },
});
