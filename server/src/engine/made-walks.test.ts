import { expect, it } from 'vitest';
import { sampleDataset } from '../../test/lake/sample-dataset.ts';
import { planOver } from './conformance/tested-engine.ts';
import { MadeWalk, MadeWalks } from './made-walks.ts';

it('a page begins at the last point that is not behind it', () => {
  const walk = new MadeWalk();
  expect(walk.before(1000)).toEqual({ ordinal: 0, source: 0 });
  for (const ordinal of [10, 30, 20]) walk.add({ ordinal, source: ordinal * 7 });
  expect(walk.before(9)).toEqual({ ordinal: 0, source: 0 });
  expect(walk.before(29)).toEqual({ ordinal: 20, source: 140 });
  expect(walk.before(30)).toEqual({ ordinal: 30, source: 210 });
});

it('the last of many points stay', () => {
  const walk = new MadeWalk();
  for (let ordinal = 1; ordinal <= 100; ordinal++) walk.add({ ordinal, source: ordinal });
  expect(walk.before(36)).toEqual({ ordinal: 0, source: 0 });
  expect(walk.before(37)).toEqual({ ordinal: 37, source: 37 });
});

it('pages of one walk share their points, and no other walk has them', () => {
  const walks = new MadeWalks();
  const plan = planOver(sampleDataset(), [], { bars: { interval: '1h', firstDate: null } });
  walks.of(plan).add({ ordinal: 5, source: 50 });
  expect(walks.of({ ...plan, offset: 5, limit: 1 }).before(5).source).toBe(50);
  const other = { ...plan, bars: { interval: '2h', firstDate: null } } as const;
  expect(walks.of(other).before(5).source).toBe(0);
});
