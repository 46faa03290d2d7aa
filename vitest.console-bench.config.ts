import { defineConfig, mergeConfig } from 'vitest/config';
import console from './vitest.console.config.ts';

/** How long the console holds up the page, in a real browser: `npm run bench:console`. */
export default defineConfig(
  mergeConfig(
    { ...console, test: { ...console.test, include: [] } },
    {
      test: { include: ['console/bench/{chart,load,table}.ts'], maxWorkers: 1 },
    },
  ),
);
