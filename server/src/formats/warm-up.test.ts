import { expect, it } from 'vitest';
import { ByteSink } from './byte-sink.ts';
import { jsonRowWriter } from './json.ts';
import { WARM_UP_COLUMNS, warmUpBatch, warmUpWriters } from './warm-up.ts';

it('writes rows with values of every kind, and a tenth of the cells of some columns missing', () => {
  const blocks: Buffer[] = [];
  const sink = new ByteSink((block) => blocks.push(block));
  const batch = warmUpBatch();
  jsonRowWriter(sink, WARM_UP_COLUMNS, 'America/New_York')(batch)(0, batch.rowCount);
  sink.flush();
  const rows: Record<string, unknown>[] = JSON.parse(
    `[${Buffer.concat(blocks).toString().slice(0, -1)}]`,
  );
  const share = (name: string, holds: (value: unknown) => boolean) =>
    rows.filter((row) => holds(row[name])).length / rows.length;
  for (const { name, dataType } of WARM_UP_COLUMNS) {
    const always = dataType === 'string' ? 0.02 : 0;
    const missing = name.startsWith('Perhaps') ? 0.1 : always;
    expect(
      share(name, (value) => value === null),
      name,
    ).toBeCloseTo(missing, 2);
  }
  // Half of the texts are of few kinds, the others are all different, and none is empty.
  const kinds = new Map<unknown, number>();
  for (const { 'Some string': text } of rows) kinds.set(text, (kinds.get(text) ?? 0) + 1);
  const once = [...kinds.values()].filter((count) => count === 1).length;
  expect([kinds.size - once, once / rows.length]).toEqual([4, expect.closeTo(0.48, 2)]);
  expect(share('Some string', (value) => value === '')).toBe(0);
  // Short integers and long ones, lists with entries and without.
  expect(share('Some integer', (value) => (value as number) < 300)).toBeCloseTo(8 / 9, 2);
  expect(share('Some array of string', (value) => (value as string[]).length === 0)).toBe(0.5);
  expect(share('Some array of string', (value) => (value as string[]).length === 2)).toBe(0.5);
  const decimals = (value: unknown) => `${value}`.split('.')[1]?.length ?? 0;
  // Prices, millionths, billionths, and what has more digits than these.
  for (const [most, least] of [
    [2, 0.24],
    [6, 0.48],
    [9, 0.72],
  ] as const) {
    expect(share('Some number', (value) => decimals(value) <= most)).toBeGreaterThan(least);
  }
  expect(share('Some number', (value) => decimals(value) > 9)).toBeGreaterThan(0.2);
});

it('lets others have their turns, and ends when it is told to', async () => {
  const stop = new AbortController();
  let isDone = false;
  let turns = 0;
  const warmUp = warmUpWriters(stop.signal).then(() => {
    isDone = true;
  });
  for (; !isDone; turns++) {
    if (turns === 10) stop.abort();
    await new Promise((resolve) => setImmediate(resolve));
  }
  await warmUp;
  expect(turns).toBeGreaterThan(10);
  expect(turns).toBeLessThan(20);
});
