import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { clientPackages } from './client-packages.ts';
import { compressAssets } from './compress-assets.ts';
import { documentation } from './documentation/render-documentation.ts';

/** A Ticklake server that runs beside `npm run dev:console`. */
const DEVELOPMENT_SERVER = 'http://127.0.0.1:8080';

/** The console, and the pages that need nobody to be signed in. */
const DOCUMENTS = ['index.html', 'landing.html', 'documentation.html', 'reference.html'];

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
    rolldownOptions: {
      input: DOCUMENTS.map((name) => fileURLToPath(new URL(name, import.meta.url))),
    },
  },
  server: {
    proxy: { '/v1': DEVELOPMENT_SERVER, '/console/config.json': DEVELOPMENT_SERVER },
  },
});
