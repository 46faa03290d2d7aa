import { describe, expect, it } from 'vitest';
import { WalkPoints, WalkPositions } from './walk-positions.ts';

const pointAt = (ordinal: number) => ({ ordinal, file: 0, row: 3 * ordinal });

describe('the points of a walk', () => {
  it('give the last point that is not behind a row, and the one before it', () => {
    const points = new WalkPoints();
    for (const ordinal of [200, 0, 100, 100]) points.add(pointAt(ordinal));
    expect(points.before(199)).toEqual({ point: pointAt(100), previous: pointAt(0) });
    expect(points.before(200)).toEqual({ point: pointAt(200), previous: pointAt(100) });
    expect(points.before(0)).toEqual({ point: pointAt(0) });
    expect(new WalkPoints().before(5)).toEqual({ point: pointAt(0) });
  });

  it('are bounded in number, spread over the walk, and keep the last', () => {
    const points = new WalkPoints();
    for (let i = 0; i < 100_000; i++) points.add(pointAt(i));
    expect(points.before(1e9).point).toEqual(pointAt(99_999));
    for (const ordinal of [10_000, 50_000, 90_000]) {
      const { point } = points.before(ordinal);
      expect(ordinal - (point?.ordinal ?? 0)).toBeLessThan(1000);
    }
    const known = Array.from({ length: 100_000 }, (_, i) => points.at(i)).filter(Boolean);
    expect(known.length).toBeLessThanOrEqual(512);
  });

  it('know the last place that was told of a row', () => {
    const points = new WalkPoints();
    for (const row of [5, 70]) points.add({ ordinal: 4, file: 0, row });
    expect(points.before(9).point).toEqual({ ordinal: 4, file: 0, row: 70 });
  });

  it('keep the least end that was met', () => {
    const points = new WalkPoints();
    expect(points.end).toBe(Number.POSITIVE_INFINITY);
    for (const ordinal of [70, 50, 60]) points.endAt(ordinal);
    expect(points.end).toBe(50);
  });
});

describe('the positions of walks', () => {
  it('forget the walk that was asked for least recently', () => {
    const positions = new WalkPositions();
    positions.of('first').add(pointAt(1));
    positions.of('second').add(pointAt(2));
    for (let i = 0; i < 1022; i++) positions.of(`other ${i}`);
    expect(positions.of('first').at(1)).toEqual(pointAt(1));
    positions.of('one more');
    expect(positions.of('first').at(1)).toEqual(pointAt(1));
    expect(positions.of('second').at(2)).toBeNull();
  });
});
