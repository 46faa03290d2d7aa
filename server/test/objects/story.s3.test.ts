/** The story of accounts, with the lake in object storage. */
import { afterAll, it } from 'vitest';
import { objectStoreProblem, TestObjectStore } from './start-object-store.ts';

if (objectStoreProblem() === null) {
  const store = await TestObjectStore.start();
  Object.assign(process.env, store.environment('stories/accounts'));
  afterAll(() => store.stop());
  await import('../story/story.test.ts');
} else it.skip('is told where there is an object store');
