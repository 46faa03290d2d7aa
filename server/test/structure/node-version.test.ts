/** That the Node.js which the package brings is the one that its launcher asks for. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const SERVER = join(import.meta.dirname, '../..');
const manifest = JSON.parse(readFileSync(join(SERVER, 'package.json'), 'utf8'));
const launcher = readFileSync(join(SERVER, 'bin/ticklake.js'), 'utf8');
const leastMajor = Number(/LEAST_MAJOR = (\d+)/.exec(launcher)?.[1]);

it('is a dependency for each platform that the launcher knows, of one version', () => {
  const brought = [...launcher.matchAll(/: '(node-[\w-]+)'/g)].map(([, name]) => name);
  expect(brought.length).toBeGreaterThan(0);
  expect(Object.keys(manifest.optionalDependencies).toSorted()).toEqual(brought.toSorted());
  const versions = new Set<string>(Object.values(manifest.optionalDependencies));
  expect([...versions].map((version) => Number(version.split('.')[0]))).toEqual([leastMajor]);
});

it('runs these tests, too, while the launcher starts on any that npm runs on', () => {
  expect(Number(process.versions.node.split('.')[0])).toBeGreaterThanOrEqual(leastMajor);
  expect(manifest.engines.node).toBe('>=20');
});
