import { expect, it } from 'vitest';
import type { Dataset } from '../catalog/dataset.ts';
import type { PartWriter } from '../engine/engine.ts';
import { OpenPublication, type PublicationContext } from './publication.ts';

it('lets others publish also where its life mark cannot be removed', async () => {
  let isLocked = false;
  const context = {
    clock: { now: () => 0 },
    storage: {},
    index: {
      versions: {
        dataset: async () => null,
        version: async () => null,
        staged: async () => null,
      },
      commit: async () => undefined,
    },
    lifeMark: { name: 'mark', release: () => Promise.reject(new Error('not removed')) },
    lock: async () => {
      isLocked = true;
      return {
        release: async () => {
          isLocked = false;
        },
      };
    },
  } as unknown as PublicationContext;
  const publication = new OpenPublication(1, context);
  const writer = { partitionKeys: async () => [] } as unknown as PartWriter;
  const partitioning = { unit: 'all', column: null } as const;
  const dataset = { datasetId: 'X', checks: [] as const, partitioning } as unknown as Dataset;
  await publication.write({ dataset, mode: 'replace' }, writer);
  expect(isLocked).toBe(true);
  await expect(publication.commit()).rejects.toThrow('not removed');
  expect(isLocked).toBe(false);
});
