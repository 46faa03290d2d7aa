import { expect, it } from 'vitest';
import { releaseProblem } from './claim-cluster.ts';

it('takes the release of Debian and later ones', () => {
  for (const version of ['18.16.1', '19.1', '26.9.1.1']) expect(releaseProblem(version)).toBeNull();
  for (const version of ['18.14.9', '1.1.54390', 'unknown']) {
    expect(releaseProblem(version)).toBe(`is ClickHouse ${version}; use 18.16 or a later release`);
  }
});
