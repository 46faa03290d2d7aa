/** Tests that the writers of every engine have to pass. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sampleDataset, typedDataset } from '../../../test/lake/sample-dataset.ts';
import { batchOfRows } from '../columns.ts';
import { digestOfRows, sumOfDigests } from '../content-digest.ts';
import type { RemovedRows } from '../engine.ts';
import { indexedColumns } from '../indexed-columns.ts';
import { comparedRows } from './compared-rows.ts';
import { anyRows } from './random-plans.ts';
import { compareValues, inNaturalOrder, type Row } from './select-rows.ts';
import { type NewPart, planOver, type TestedEngine } from './tested-engine.ts';

/** The middle two of the four days of `anyRows`. */
const SOME_DATES = { start: '2026-11-14', end: '2026-11-15' };
const daily = sampleDataset('day');
const typed = typedDataset('whole');

function isRemoved(row: Row, added: readonly Row[], { dates, identifiers }: RemovedRows): boolean {
  const [date, ticker, , , asid] = row;
  const isStaged = () => date !== null && added.some((other) => other[0] === date);
  const isDated =
    dates === 'staged'
      ? isStaged()
      : !dates || (date !== null && `${date}` >= dates.start && `${date}` <= dates.end);
  if (!isDated || identifiers === null) return isDated;
  if (identifiers === 'staged')
    return ticker !== null && added.some((other) => other[1] === ticker);
  const texts = [ticker, asid].flatMap((cell) => (cell === null ? [] : [String(cell)]));
  return texts.some((text) => identifiers.includes(text));
}

export function describeWrittenParts(tested: TestedEngine): void {
  describe('writer', () => {
    it.each(['day', 'month', 'year', 'whole'] as const)(
      'writes any batches as a stable sort of their rows, in parts by %s',
      async (unit) => {
        const dataset = typedDataset(unit);
        await fc.assert(
          fc.asyncProperty(
            fc.array(anyRows, { maxLength: 3 }),
            fc.boolean(),
            async (any, isInOrder) => {
              const batches = isInOrder ? [inNaturalOrder({ dataset }, any.flat())] : any;
              const parts = await tested.writeParts(dataset, batches);
              const expected = inNaturalOrder({ dataset }, batches.flat());
              expect(await tested.scan(planOver(dataset, parts))).toEqual(expected);
              const length = { day: 10, month: 7, year: 4, whole: 0 }[unit];
              const keys = expected.map(([date]) => String(date).slice(0, length) || 'all');
              expect(parts.map(({ key }) => key)).toEqual([...new Set(keys)]);
            },
          ),
          { numRuns: tested.runs(6) },
        );
      },
    );

    it('puts the rows of an existing part first among equal keys, which stays as it is', async () => {
      await fc.assert(
        fc.asyncProperty(anyRows, anyRows, async (old, added) => {
          const before = await tested.writeParts(typed, [old]);
          const after = await tested.writeParts(typed, [added], before);
          const expected = added.length > 0 ? [...old, ...added] : [];
          expect(await tested.scan(planOver(typed, after))).toEqual(
            inNaturalOrder({ dataset: typed }, expected),
          );
          expect(await tested.scan(planOver(typed, before))).toEqual(
            inNaturalOrder({ dataset: typed }, old),
          );
        }),
        { numRuns: tested.runs(3) },
      );
    });

    it('keeps every value of every type', async () => {
      const text = 'q"\n, \u{1F600} and more than twelve bytes';
      const rows: Row[] = [
        ['1900-01-01', '', -(2n ** 62n), -1.5e300, -(2n ** 63n), [], false, [], [], -1n],
        [
          ...['2026-11-18', text, 1n, 5e-324, 2n ** 63n - 1n, ['', text], true],
          ...[[2n ** 63n - 1n, -1n], [5e-324, 1e300], 10n ** 30n - 1n],
        ],
        ['2199-12-31', null, null, null, null, null, null, null, null, null],
      ];
      const parts = await tested.writeParts(typed, [rows]);
      expect(await tested.scan(planOver(typed, parts))).toEqual(rows);
    });
  });
}

export function describeReplacements(tested: TestedEngine): void {
  describe('writer', () => {
    async function expectTakenOver(
      old: readonly Row[],
      added: readonly Row[],
      removed: RemovedRows,
    ): Promise<void> {
      const before = await tested.writeParts(typed, [old]);
      const taken = before.map((part) => ({ ...part, removed }));
      const after = await tested.writeParts(typed, [added], taken);
      const stays = old.filter((row) => !isRemoved(row, added, removed));
      const expected = added.length > 0 ? [...stays, ...added] : [];
      expect(await tested.scan(planOver(typed, after))).toEqual(
        inNaturalOrder({ dataset: typed }, expected),
      );
    }

    it('takes over the rows of an existing part that stay, and no others', async () => {
      const removals = fc.record({
        dates: fc.constantFrom(null, SOME_DATES, 'staged' as const),
        identifiers: fc.constantFrom(null, 'staged' as const, ['A'], ['2', 'nobody'], []),
      });
      await fc.assert(
        fc.asyncProperty(anyRows, anyRows, removals, async (old, added, removed) => {
          await expectTakenOver(old, added, removed);
        }),
        { numRuns: tested.runs(9) },
      );
    });

    it('puts rows that came in order where those of their dates were, before and behind any others', async () => {
      const removed = { dates: SOME_DATES, identifiers: null };
      await fc.assert(
        fc.asyncProperty(anyRows, anyRows, async (old, others) => {
          const isOnDates = (row: Row) => isRemoved(row, [], removed);
          const added = inNaturalOrder({ dataset: typed }, others.filter(isOnDates));
          await expectTakenOver(old, added, removed);
        }),
        { numRuns: tested.runs(6) },
      );
    });

    it('replaces the dates of its rows, in order or not, and leaves the others where they were', async () => {
      const removed = { dates: 'staged', identifiers: null } as const;
      await fc.assert(
        fc.asyncProperty(anyRows, anyRows, fc.boolean(), async (old, others, isInOrder) => {
          const added = isInOrder ? inNaturalOrder({ dataset: typed }, others) : others;
          await expectTakenOver(old, added, removed);
        }),
        { numRuns: tested.runs(9) },
      );
    });
  });
}

/** Counts rows by their dates, without those that have none. */
function countByDate(rows: readonly Row[]) {
  const dated = rows.filter(([date]) => date !== null);
  return [...Map.groupBy(dated, ([date]) => `${date}`)]
    .map(([date, { length }]) => ({ date, rowCount: length, missing: [] }))
    .sort((a, b) => (a.date < b.date ? -1 : 1));
}

export function describeLosses(tested: TestedEngine): void {
  describe('writer', () => {
    it('gives the rows of an evening another date', async () => {
      const time = typed.columns.findIndex(({ name }) => name === 'EventDateTime');
      let movedCount = 0;
      await fc.assert(
        fc.asyncProperty(anyRows, fc.nat(), async (rows, place) => {
          const chosen = rows[place % Math.max(1, rows.length)];
          const [date, startNanos] = [chosen?.[0] ?? null, chosen?.[time] ?? null];
          if (date === null || startNanos === null) return;
          const isOfEvening = (row: Row) =>
            row[0] === date &&
            row[time] !== null &&
            (row[time] as bigint) >= (startNanos as bigint);
          const evening = { date: `${date}`, startNanos: startNanos as bigint };
          await tested.withWriter(typed, [rows], async (writer) => {
            const moved = { ...evening, timeColumn: 'EventDateTime', newDate: '2026-12-01' };
            const count = await writer.redate(moved);
            expect(count).toBe(rows.filter(isOfEvening).length);
            const expected = rows.map((row) =>
              isOfEvening(row) ? row.with(0, '2026-12-01') : row,
            );
            expect(await writer.dates()).toEqual(countByDate(expected));
            movedCount += count;
          });
        }),
        { numRuns: tested.runs(9) },
      );
      expect(movedCount).toBeGreaterThan(0);
    });

    it('tells what a part would lose to its rows', async () => {
      const removals = fc.constantFrom<RemovedRows | null>(
        null,
        { dates: 'staged', identifiers: null },
        { dates: null, identifiers: 'staged' },
        { dates: null, identifiers: [] },
      );
      await fc.assert(
        fc.asyncProperty(
          anyRows,
          anyRows,
          removals,
          fc.nat(),
          async (old, others, removed, cut) => {
            // Some or all of the same rows, every other time.
            const added = cut % 2 === 0 ? others : old.slice(Math.floor(cut / 2) % 3).toReversed();
            const [part] = await tested.writeParts(typed, [old]);
            if (!part) return;
            const cells = (rows: readonly Row[]) =>
              rows.map((row) => {
                const [date, identifier] = row as (string | null)[];
                return { date, identifier, text: row.map(String).join('|') } as never;
              });
            const gone = old.filter((row) => removed === null || isRemoved(row, added, removed));
            await tested.withWriter(typed, [added], async (writer) => {
              const dated = added.filter(([date]) => date !== null);
              const dates = Map.groupBy(dated, ([date]) => `${date}`);
              const names = ['A', 'nobody'];
              expect(await writer.dates(names)).toEqual(
                [...dates].sort().map(([date, rows]) => {
                  const missing = names.filter((name) => !rows.some(([, found]) => found === name));
                  return { date, rowCount: rows.length, missing };
                }),
              );
              expect(await writer.compare(part.key, part, removed)).toEqual(
                comparedRows(cells(old), cells(gone), cells(added), removed),
              );
            });
          },
        ),
        { numRuns: tested.runs(9) },
      );
    });
  });
}

export function describeTellingOfParts(tested: TestedEngine): void {
  describe('parts', () => {
    it('tells the rows, the bounds and a digest of each part', async () => {
      const rows = Array.from({ length: 3000 }, (_, i): Row => {
        const asid = i % 7 === 0 ? null : BigInt((i * 7919) % 1009);
        const fee = i % 5 === 0 ? null : BigInt(i % 11) - 10n ** 29n;
        return ['2026-11-18', `T${i % 5}`, BigInt(i), i / 4, asid, null, i > 9, null, null, fee];
      });
      const [part, other] = await Promise.all([
        tested.writeParts(typed, [rows]),
        tested.writeParts(typed, [rows.slice(1)]),
      ]).then((parts) => parts.map(([each]) => each as NewPart) as [NewPart, NewPart]);
      expect(part.digest).toMatch(/^[0-9a-f]{64}$/);
      expect(part.digest).not.toBe(other.digest);
      expect(part.contentDigest).toBe(digestOfRows(typed.columns, rows));
      expect([part.rowCount, other.rowCount]).toEqual([3000, 2999]);
      const stored = await tested.scan(planOver(typed, [part]));
      let start = 0;
      for (const { rowCount, byteCount, bounds } of part.rowGroups) {
        expect(byteCount).toBeGreaterThan(0);
        expect(Object.keys(bounds)).toEqual(indexedColumns(typed));
        const group = stored.slice(start, start + rowCount);
        for (const [name, { min, max }] of Object.entries(bounds)) {
          const c = typed.columns.findIndex((column) => column.name === name);
          const values = group.map((row) => row[c] ?? null).filter((cell) => cell !== null);
          const sorted = values.toSorted(compareValues);
          expect([name, min, max]).toEqual([name, sorted[0] ?? null, sorted.at(-1) ?? null]);
        }
        start += rowCount;
      }
      expect(start).toBe(part.rowCount);
      const bytes = part.rowGroups.reduce((sum, { byteCount }) => sum + byteCount, 0);
      expect(part.byteCount).toBe(bytes);
    });
  });
}

/** Doubles with up to 17 digits, and short decimals, mostly of a size that needs no exponent. */
const ordinaryNumber = fc
  .tuple(
    fc.oneof(
      fc.double({ min: 1e-4, max: 1e15, noNaN: true }),
      fc
        .tuple(fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }), fc.nat(9))
        .map(([digits, scale]) => digits / 10 ** scale),
    ),
    fc.boolean(),
  )
  .map(([size, isNegative]) => (isNegative ? -size : size));

export function describeContentDigests(tested: TestedEngine): void {
  describe('the digest of the rows of its parts', () => {
    it('is that of the canonical text of any rows, in parts of any size', async () => {
      await fc.assert(
        fc.asyncProperty(anyRows, async (rows) => {
          const expected = digestOfRows(typed.columns, rows);
          for (const unit of ['day', 'whole'] as const) {
            const parts = await tested.writeParts(typedDataset(unit), [rows]);
            expect(sumOfDigests(parts.map((part) => part.contentDigest))).toBe(expected);
          }
        }),
        { numRuns: tested.runs(3) },
      );
    });

    it('is the same for both zeros, whatever rows are next to them', async () => {
      const rowOf = (n: number): Row => {
        return ['2026-11-18', 'A', 1n, n, 1n, null, null, null, [n], null];
      };
      const digestsOf = async (rows: Row[]) => {
        const parts = await tested.writeParts(typed, [rows]);
        const more = await tested.writeParts(typed, [[rowOf(1)]], parts);
        return [...parts, ...more].map(({ contentDigest }) => contentDigest);
      };
      const expected = [[rowOf(0)], [rowOf(0), rowOf(1)]].map((rows) =>
        digestOfRows(typed.columns, rows),
      );
      expect(await digestsOf([rowOf(-0)])).toEqual(expected);
      expect(await digestsOf([rowOf(0)])).toEqual(expected);
    });

    it('has numbers as JSON has them', async () => {
      const numbers = [1e15, 9_999_999_999_999_998, 1e16, 1e-4, 1e-5, 0.1, -1.5e300, 5e-324, 1e22];
      const more = [123_456_789.125, -0.5, 0, -7, 1.2345678901234568e17, 2 ** 53, 1 / 3];
      const edges = [-1e-5, 9.999e-5, -1e-4, 1e-7, 1.5e15, -1e16, 999_999_999_999_999.9, 10.00001];
      edges.push(Number.NaN, Infinity, -Infinity, 123.00001234567891, 1e21);
      const drawn = fc.sample(ordinaryNumber, 3000);
      const rows = [...numbers, ...more, ...edges, ...edges, ...drawn].map(
        (n): Row => ['2026-11-18', 'A', 1n, n, 1n, null, null, null, null, null],
      );
      const [part] = await tested.writeParts(typed, [rows]);
      expect(part?.contentDigest).toBe(digestOfRows(typed.columns, rows));
    });
  });
}

export function describeRefusals(tested: TestedEngine): void {
  describe('writer', () => {
    it('refuses rows that have no partition, and batches of other columns', async () => {
      const row = (date: string | null): Row => [date, 'A', 1n, 1, 1n, null];
      await tested.withWriter(daily, [[row(null)]], async (writer) => {
        await expect(writer.partitionKeys()).rejects.toThrow(
          /^TradeDate is null in 1 of the rows, but .+ is partitioned by its day$/,
        );
      });
      await tested.withWriter(daily, [], async (writer) => {
        const { columns } = batchOfRows(daily.columns, [row('2026-11-18')]);
        await expect(writer.append({ rowCount: 1, columns: columns.slice(1) })).rejects.toThrow();
        expect(await writer.partitionKeys()).toEqual([]);
      });
    });

    it('never writes where a part is, and leaves nothing that it was not told to write', async () => {
      const rows: Row[] = [['2026-11-18', 'A', 1n, 1, 1n, null]];
      const [part] = (await tested.writeParts(daily, [rows])) as [NewPart];
      const abandoned = tested.storage.newLocation(daily, part.key);
      expect(abandoned).not.toBe(part.location);
      await tested.withWriter(daily, [rows], async (writer) => {
        await expect(writer.write(part.key, part.location, null)).rejects.toThrow('exists');
      });
      await tested.storage.sweep();
      expect(
        await tested.storage.findDamage({ location: abandoned, storedByteCount: 0 }),
      ).not.toBeNull();
      expect(await tested.storage.findDamage(part)).toBeNull();
      expect(await tested.scan(planOver(daily, [part]))).toEqual(rows);
    });

    it('stops for good when it is told to, and a sweep leaves living ones alone', async () => {
      const abort = new AbortController();
      const stopped = await tested.storage.openWriter(daily, abort.signal);
      const rows: Row[] = [['2026-11-18', 'A', 1n, 1, 1n, null]];
      await tested.withWriter(daily, [rows], async (living) => {
        abort.abort(new Error('enough'));
        await expect(stopped.partitionKeys()).rejects.toThrow('enough');
        await expect(stopped.write('2026-11-18', 'nowhere', null)).rejects.toThrow('enough');
        await stopped.close();
        await tested.storage.sweep();
        expect(await living.partitionKeys()).toEqual(['2026-11-18']);
      });
    });
  });
}
