import { expect, it } from 'vitest';
import { KeptSamples } from './public-samples.ts';

it('reads once for all who ask for a state, and again for another one', async () => {
  const samples = new KeptSamples<number>();
  let reads = 0;
  const read = async () => ++reads;
  const together = ['a', 'a'].map((tag) => samples.get('US1', tag, read));
  expect(await Promise.all(together)).toEqual([1, 1]);
  expect(await samples.get('US1', 'a', read)).toBe(1);
  expect(await samples.get('US2', 'a', read)).toBe(2);
  expect(await samples.get('US1', 'b', read)).toBe(3);
});

it('keeps no failure', async () => {
  const samples = new KeptSamples<number>();
  const failing = samples.get('US1', 'a', async () => {
    throw new Error('away');
  });
  await expect(failing).rejects.toThrow('away');
  expect(await samples.get('US1', 'a', async () => 1)).toBe(1);
});
