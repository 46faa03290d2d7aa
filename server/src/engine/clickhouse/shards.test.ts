import { describe, expect, it } from 'vitest';
import { lastReplicasWarning } from './shards.ts';

const [ONE, TWO, THREE] = ['http://ch1:8123', 'http://ch2:8123', 'http://ch3:8123'] as const;
const all = { urls: [ONE, TWO], answeringUrls: [ONE, TWO] };

describe('the warning of shards that are about to be lost', () => {
  it('names the shard, the replica that is left and those that are away', () => {
    expect(lastReplicasWarning([all, { urls: [ONE, TWO], answeringUrls: [TWO] }])).toBe(
      'shard 2 has one replica left, http://ch2:8123; http://ch1:8123 does not answer',
    );
    expect(lastReplicasWarning([{ urls: [ONE, TWO, THREE], answeringUrls: [TWO] }])).toBe(
      'shard 1 has one replica left, http://ch2:8123; http://ch1:8123 and http://ch3:8123 do not answer',
    );
  });

  it.each([
    ['all answer', all],
    ['another one is left', { urls: [ONE, TWO, THREE], answeringUrls: [ONE, TWO] }],
    ['there never was another one', { urls: [ONE], answeringUrls: [ONE] }],
    ['none is left, which is a problem', { urls: [ONE, TWO], answeringUrls: [] }],
  ])('is none where %s', (_, shard) => {
    expect(lastReplicasWarning([shard])).toBeNull();
  });
});
