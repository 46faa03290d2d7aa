import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { planOfPath, TICKS } from '../../../../test/plan-of-path.ts';
import { OpenScan, OpenScans, SCANS_MAX } from './open-scans.ts';

const NANOS = { type: 'integer', nulls: null } as const;

/** Chunks of so many rows: the value of each is its ordinal, and its place ten times that. */
async function* chunksOf(sizes: readonly number[], signal: AbortSignal) {
  let first = 0;
  for (const rowCount of sizes) {
    signal.throwIfAborted();
    const start = first;
    const values = BigInt64Array.from({ length: rowCount }, (_, row) => BigInt(start + row));
    const placeOf = (row: number) => ({ file: 0, row: 10 * (start + row) });
    yield { batch: { rowCount, columns: [{ ...NANOS, values }] }, placeOf };
    first += rowCount;
  }
}

const never = new AbortController().signal;

async function valuesOf(scan: OpenScan, limit: number): Promise<number[]> {
  const batches = await Array.fromAsync(scan.page({ limit }, never));
  return batches.flatMap(({ columns }) => Array.from(columns[0]?.values ?? [], Number));
}

describe('an open scan', () => {
  it('gives each page the rows after the one before it, however its chunks are cut', async () => {
    const sizes = fc.array(fc.integer({ min: 1, max: 9 }), { maxLength: 9 });
    await fc.assert(
      fc.asyncProperty(sizes, fc.integer({ min: 1, max: 12 }), async (cut, limit) => {
        const rowCount = cut.reduce((sum, size) => sum + size, 0);
        const scan = new OpenScan((signal) => chunksOf(cut, signal));
        for (let offset = 0; ; offset += limit) {
          const end = Math.min(offset + limit + 1, rowCount);
          const page = await valuesOf(scan, limit);
          expect(page).toEqual(Array.from({ length: end - offset }, (_, row) => offset + row));
          const next = { file: 0, row: 10 * (offset + limit) };
          const behind = { file: 0, row: 10 * (rowCount - 1) + 1 };
          if (rowCount > 0) expect(scan.place).toEqual(page.length > limit ? next : behind);
          if (page.length <= limit) return;
        }
      }),
    );
  });
});

const planAt = (offset: number, ticker = 'AAA') => ({
  ...planOfPath(`${TICKS}/${ticker}`),
  ...{ offset, limit: 10 },
});

describe('the open scans', () => {
  const closed: AbortSignal[] = [];
  const scan = (signal: AbortSignal) => {
    signal.addEventListener('abort', () => closed.push(signal));
    return chunksOf([20], signal);
  };

  const goneOn = (scans: OpenScans) => {
    scans.expectNext({ ...planAt(0), limit: 0 });
    return scans.take(planAt(0), scan);
  };

  it('begin one where a page goes on with a walk', async () => {
    const scans = new OpenScans();
    expect(scans.take(planAt(10), scan)).toBeNull();
    scans.expectNext(planAt(0));
    expect(scans.take(planAt(10, 'BBB'), scan)).toBeNull();
    expect(scans.take(planAt(10), scan)).not.toBeNull();
    expect(scans.take(planAt(10), scan)).toBeNull();
    await scans.close();
  });

  it('have one for the page after that which left it, once', async () => {
    const scans = new OpenScans();
    const first = goneOn(scans) as OpenScan;
    closed.length = 0;
    await scans.giveBack(planAt(0), first, true);
    const others = [planAt(0), planAt(10, 'BBB')].map((plan) => scans.take(plan, scan));
    expect(others).toEqual([null, null]);
    expect([scans.has(planAt(10)), scans.take(planAt(10), scan)]).toEqual([true, first]);
    expect([scans.has(planAt(10)), scans.take(planAt(10), scan)]).toEqual([false, null]);
    expect(closed).toEqual([]);
    await scans.close();
    expect(closed).toHaveLength(1);
  });

  it('are bounded in number, be they in use or not', async () => {
    const scans = new OpenScans();
    const all = Array.from({ length: SCANS_MAX }, () => goneOn(scans));
    const [first, second] = all as [OpenScan, OpenScan];
    closed.length = 0;
    expect(goneOn(scans)).toBeNull();
    await scans.giveBack(planAt(0), first, true);
    expect(goneOn(scans)).toBeNull();
    // Two for the same page are one too many.
    await scans.giveBack(planAt(0), second, true);
    expect(closed).toHaveLength(1);
    // One that is being closed takes its place until it has ended.
    let third: OpenScan | null = null;
    await expect.poll(() => (third ??= goneOn(scans))).not.toBeNull();
    await scans.giveBack(planAt(0), third as unknown as OpenScan, false);
    expect(closed).toHaveLength(2);
    await scans.close();
    expect(closed).toHaveLength(SCANS_MAX + 1);
  });
});
