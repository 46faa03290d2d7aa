import { beforeEach, describe, expect, it, vi } from 'vitest';
import { planOfPath, TICKS } from '../../../../test/plan-of-path.ts';
import { LentBytes } from '../../../base/stored-bytes.ts';
import type { WrittenPage } from '../../../formats/format.ts';
import type { FolderPlan } from './folder-plan.ts';
import { AHEAD_MS, PageAhead, type Wanted } from './page-ahead.ts';

/** A page that was begun; the test ends it. */
interface Made extends PromiseWithResolvers<WrittenPage> {
  readonly wanted: Wanted;
  readonly signal: AbortSignal;
}
let made: Made[] = [];
let givenBack = 0;
beforeEach(() => {
  made = [];
  givenBack = 0;
});

const pagesAhead = () =>
  new PageAhead((wanted, signal) => {
    made.push({ wanted, signal, ...Promise.withResolvers<WrittenPage>() });
    return (made.at(-1) as Made).promise;
  });

const wantedAt = (offset: number, path = `${TICKS}/AAA`): Wanted => {
  const plan: FolderPlan = { ...planOfPath(path), parts: [], root: '/none', limit: 10, offset };
  return { plan, format: 'csv' };
};
const pageOf = () => ({
  body: new LentBytes([Buffer.from('page')], () => givenBack++),
  ...{ rowCount: 1, nextOffset: null },
});

describe('a page ahead', () => {
  it('is given to whoever asks for exactly that page, once', async () => {
    const ahead = pagesAhead();
    ahead.begin(wantedAt(10));
    const { page } = ahead.take(structuredClone(wantedAt(10)));
    made[0]?.resolve(pageOf());
    expect((await page).rowCount).toBe(1);
    ahead.take(wantedAt(10));
    expect([made.length, made[0]?.signal.aborted, givenBack]).toEqual([2, false, 0]);
  });

  it.each<[string, Wanted]>([
    ['offset', wantedAt(20)],
    ['size', { ...wantedAt(10), plan: { ...wantedAt(10).plan, limit: 11 } }],
    ['format', { ...wantedAt(10), format: 'json' }],
    ['condition', wantedAt(10, `${TICKS}/BBB`)],
    ['grant', { ...wantedAt(10), plan: { ...wantedAt(10).plan, grants: [] } }],
    ['column', { ...wantedAt(10), plan: { ...wantedAt(10).plan, columns: [] } }],
  ])('makes way for one of another %s, and its memory goes back', async (_, other) => {
    const ahead = pagesAhead();
    ahead.begin(wantedAt(10));
    ahead.take(other);
    expect(made.map(({ signal }) => signal.aborted)).toEqual([true, false]);
    expect(made[1]?.wanted.plan).toBe(other.plan);
    made[0]?.resolve(pageOf());
    await ahead.ended;
    expect(givenBack).toBe(1);
  });

  it('is begun again by whoever asks for it after it failed', async () => {
    const ahead = pagesAhead();
    ahead.begin(wantedAt(10));
    made[0]?.reject(new Error('the file was gone'));
    await ahead.ended;
    ahead.take(wantedAt(10));
    expect(made).toHaveLength(2);
  });

  it('goes when nobody has asked for it in time', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const ahead = pagesAhead();
    ahead.begin(wantedAt(10));
    made[0]?.resolve(pageOf());
    await ahead.ended;
    vi.advanceTimersByTime(AHEAD_MS - 1);
    expect(givenBack).toBe(0);
    vi.advanceTimersByTime(1);
    vi.useRealTimers();
    await vi.waitFor(() => expect(givenBack).toBe(1));
  });
});
