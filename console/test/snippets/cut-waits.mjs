// Loaded before a program, where a test asks for it: notes how long the program would wait, and does
// not wait.
import { appendFileSync } from 'node:fs';

const file = process.env.WAITS_FILE;
if (file !== undefined) {
  const { setTimeout } = globalThis;
  globalThis.setTimeout = (callback, delayMs, ...rest) => {
    // The runtime's `fetch` sets timers of its own.
    const isSnippet = new Error().stack?.includes('snippet.mts');
    if (!isSnippet) return setTimeout(callback, delayMs, ...rest);
    appendFileSync(file, `${delayMs / 1000}\n`);
    return setTimeout(callback, 0, ...rest);
  };
}
