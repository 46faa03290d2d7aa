/** Leaves the environment as each file found it, where files share a process. */
import { afterAll } from 'vitest';

const found = { ...process.env };

afterAll(() => {
  for (const name of Object.keys(process.env)) if (!(name in found)) delete process.env[name];
  Object.assign(process.env, found);
});
