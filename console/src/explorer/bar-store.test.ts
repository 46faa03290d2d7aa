import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { barsOfRows } from '../../test/fixtures/bars';
import { Halted } from '../api/store';
import { addDays, daysBetween } from '../format/dates';
import { BarStore } from './bar-store';
import type { BarsBySymbol } from './bars';

const LAST = '2026-11-20';
const FLOOR = '2016-01-04';

function barsOn(days: readonly string[]): BarsBySymbol {
  return barsOfRows(...days.map((day) => `${day} AVQX 00:00 1`));
}

/** A store over bars of some days, and the spans that it asked for. */
function storeOf(days: readonly string[], stepDays: number, barsMax = 1_000_000) {
  const asked: (readonly [string, string])[] = [];
  const read = async (first: string, last: string) => {
    asked.push([first, last]);
    return barsOn(days.filter((day) => day >= first && day <= last));
  };
  return {
    store: new BarStore(read, { floor: FLOOR, last: LAST, stepDays, stepBars: 5, barsMax }),
    asked,
  };
}

function settled(store: BarStore): Promise<void> {
  return new Promise((resolve) => {
    const look = () => store.state().isSettled && resolve();
    store.subscribe(look);
    look();
  });
}

const daysHere = (store: BarStore) =>
  [...(store.state().bars.get('AVQX')?.time ?? [])].map((time) =>
    new Date(time * 1000).toISOString().slice(0, 10),
  );

describe('bars of a chart', () => {
  it('are read from the newest on, each day once, up to the day that is wanted', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(fc.integer({ min: 0, max: 3000 }), { minLength: 1, maxLength: 30 }),
        fc.integer({ min: 1, max: 400 }),
        fc.integer({ min: 0, max: 3500 }),
        async (ages, stepDays, wantedAge) => {
          const days = ages.map((age) => addDays(LAST, -age)).toSorted();
          const { store, asked } = storeOf(days, stepDays);
          const wanted = addDays(LAST, -wantedAge);
          store.want(wanted);
          await settled(store);
          const here = daysHere(store);
          const from = asked.at(-1)![0];
          expect(here).toEqual(days.filter((day) => day >= from));
          expect(here.length).toBeGreaterThan(0);
          expect(from <= wanted || from === FLOOR).toBe(true);
          // No gap between two spans, and nothing twice.
          expect(asked[0]![1]).toBe(LAST);
          for (const [index, [, last]] of asked.slice(1).entries()) {
            expect(daysBetween(last, asked[index]![0])).toBe(2);
          }
        },
      ),
    );
  });

  it('end where there are no earlier ones, and where there are enough', async () => {
    const few = storeOf(['2026-11-20'], 30);
    few.store.want('1990-01-01');
    await settled(few.store);
    expect(few.store.state().end).toBe('reached');
    expect(few.asked.at(-1)![0]).toBe(FLOOR);
    const many = storeOf(['2026-08-03', '2026-11-18', '2026-11-19', '2026-11-20'], 1, 2);
    many.store.want('1990-01-01');
    await settled(many.store);
    expect(many.store.state().end).toBe('capped');
    expect(daysHere(many.store)).toEqual(['2026-11-18', '2026-11-19', '2026-11-20']);
  });

  it('are read to the floor in short steps, though a step without bars asks for a longer one', async () => {
    const { store, asked } = storeOf([LAST], 5);
    store.want(LAST);
    for (let step = 0; step < 40; step++) {
      await settled(store);
      store.wantEarlier(1);
    }
    await settled(store);
    store.wantEarlier(1_000_000_000);
    await settled(store);
    expect(store.state()).toMatchObject({ end: 'reached', error: null });
    expect(asked.at(-1)?.[0]).toBe(FLOOR);
  });

  it('stay when earlier ones cannot be read, and are read on when that is tried again', async () => {
    let isBroken = false;
    const read = async (first: string) => {
      if (isBroken) throw new Error('gone');
      return barsOn([first]);
    };
    const store = new BarStore(read, {
      floor: FLOOR,
      last: LAST,
      stepDays: 5,
      stepBars: 1,
      barsMax: 99,
    });
    store.want('2026-11-16');
    await settled(store);
    isBroken = true;
    store.wantEarlier(5);
    await settled(store);
    expect(store.state().error).toEqual(new Error('gone'));
    expect(daysHere(store)).toEqual(['2026-11-16']);
    isBroken = false;
    store.retry();
    await settled(store);
    expect(daysHere(store)).toEqual(['2026-11-11', '2026-11-16']);
  });

  it('are no longer read once that is stopped, though what was on its way still comes', async () => {
    const asked: string[] = [];
    const read = async (first: string) => {
      asked.push(first);
      if (asked.length === 1) store.halt();
      return barsOn([first]);
    };
    const limits = { floor: FLOOR, last: LAST, stepDays: 5, stepBars: 1, barsMax: 99 };
    const store: BarStore = new BarStore(read, limits);
    store.want('2026-11-11');
    await settled(store);
    expect(asked).toEqual(['2026-11-16']);
    expect(store.state().error).toBeInstanceOf(Halted);
    expect(daysHere(store)).toEqual(['2026-11-16']);
    store.retry();
    await settled(store);
    expect(daysHere(store)).toEqual(['2026-11-11', '2026-11-16']);
  });
});
