import { expect, it } from 'vitest';
import { releaseProblem } from './claim-cluster.ts';

it('takes the current release with long support and later ones', () => {
  for (const version of ['26.8.1.1', '26.9', '27.1.2']) expect(releaseProblem(version)).toBeNull();
  for (const version of ['26.3.9', '18.16.1', 'unknown']) {
    expect(releaseProblem(version)).toBe(`is ClickHouse ${version}; use 26.8 or a later release`);
  }
});
