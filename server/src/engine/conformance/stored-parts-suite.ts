/** Tests that the storage of every engine has to pass when parts are copied and compared. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sampleDataset, typedDataset } from '../../../test/lake/sample-dataset.ts';
import { UnreadablePartError } from '../engine.ts';
import { storedColumnsOf } from '../stored-columns.ts';
import { anyRows } from './random-plans.ts';
import type { Row } from './select-rows.ts';
import { type NewPart, never, planOver, type TestedEngine } from './tested-engine.ts';

const daily = sampleDataset('day');
const rowsOf = (date: string): Row[] => [
  [date, 'A', 1n, 1, 1n, null],
  [date, 'B', 2n, 2.5, null, ['x']],
];
const DATES = ['2026-11-18', '2026-11-19'];

const writeDays = (tested: TestedEngine) =>
  tested.writeParts(daily, [DATES.flatMap(rowsOf)]) as Promise<[NewPart, NewPart]>;

export function describeStoredParts(tested: TestedEngine): void {
  describe('stored data of parts', () => {
    const write = () => writeDays(tested);

    it('is found where it lies, until it is removed', async () => {
      const locations = (await write()).map(({ location }) => location);
      const [gone = '', stays = ''] = locations;
      expect(await Array.fromAsync(tested.storage.locations())).toEqual(
        expect.arrayContaining(locations),
      );
      await tested.storage.remove([gone]);
      const left = await Array.fromAsync(tested.storage.locations());
      expect([left.includes(gone), left.includes(stays)]).toEqual([false, true]);
    });

    it('has the digest that was told of the part, and none once it is gone', async () => {
      const [first, second] = await write();
      expect(await tested.storage.digestOf(first.location)).toBe(first.digest);
      expect(await tested.storage.digestOf(second.location)).toBe(second.digest);
      await tested.storage.remove([first.location]);
      await expect(tested.storage.digestOf(first.location)).rejects.toThrow();
      const reason = new Error('enough');
      await expect(
        tested.storage.digestOf(second.location, AbortSignal.abort(reason)),
      ).rejects.toThrow(reason);
    });

    it('is the same part in another home, whatever lay there, once it was copied', async () => {
      const { copyTo } = tested.storage;
      if (!copyTo) return;
      const parts = await write();
      const [first, second] = parts;
      await tested.withOther(async (other) => {
        expect(await Array.fromAsync(other.storage.locations())).toEqual([]);
        expect(await other.storage.findDamage(first)).not.toBeNull();
        for (const part of [first, first, second]) await copyTo(part, other.home);
        const copied = await Array.fromAsync(other.storage.locations());
        expect(copied.sort()).toEqual(parts.map(({ location }) => location).sort());
        for (const part of parts) {
          expect(await other.storage.findDamage(part)).toBeNull();
          expect(await other.storage.digestOf(part.location)).toBe(part.digest);
        }
        expect(await other.scan(planOver(daily, parts))).toEqual(DATES.flatMap(rowsOf));
        // A copy of its own: what becomes of one is nothing to the other.
        await tested.storage.remove([first.location]);
        expect(await other.storage.digestOf(first.location)).toBe(first.digest);
      });
    });

    it('is not copied where it is not what the part was, nor where it is gone', async () => {
      const { copyTo } = tested.storage;
      if (!copyTo) return;
      const [first, second] = await write();
      await tested.withOther(async (other) => {
        const altered = { location: first.location, digest: second.digest };
        await expect(copyTo(altered, other.home)).rejects.toThrow(UnreadablePartError);
        await tested.storage.remove([second.location]);
        await expect(copyTo(second, other.home)).rejects.toThrow();
        expect(await Array.fromAsync(other.storage.locations())).toEqual([]);
      });
    });
  });
}

export function describeEmptyParts(tested: TestedEngine): void {
  describe('a part of which no row has stayed', () => {
    it('is a part like any other', async () => {
      const [old] = (await tested.writeParts(daily, [rowsOf('2026-11-18')])) as [NewPart];
      await tested.withWriter(daily, [], async (writer) => {
        const location = tested.storage.newLocation(daily, old.key);
        const removed = { dates: null, identifiers: null };
        const written = await writer.write(old.key, location, { ...old, removed });
        expect(written.rowCount).toBe(0);
        const part: NewPart = { id: 9, key: old.key, location, ...written };
        expect(await tested.scan(planOver(daily, [part, old]))).toEqual(rowsOf('2026-11-18'));
        expect(await tested.scan(planOver(daily, [part]))).toEqual([]);
        expect(await tested.storage.findDamage(part)).toBeNull();
        expect(await tested.storage.digestOf(location)).toBe(part.digest);
        const reader = await tested.storage.openRowsReader();
        const { rows } = await reader.read(
          { location, storedColumns: storedColumnsOf(daily) },
          never,
        );
        await reader.close();
        expect(rows).toEqual({ rowCount: 0, contentDigest: part.contentDigest });
        await tested.withOther(async (other) => {
          const { copyTo } = tested.storage;
          if (!copyTo) return;
          await copyTo(part, other.home);
          expect(await other.storage.digestOf(location)).toBe(part.digest);
        });
        await tested.storage.remove([location]);
        expect(await tested.storage.findDamage(part)).not.toBeNull();
      });
    });
  });
}

export function describeRowsReadAgain(tested: TestedEngine): void {
  describe('the rows of its parts, read again,', () => {
    it('are those that were written, by the columns that they were written with', async () => {
      const identified = { ...typedDataset('year'), alsoStoredBy: 'Ticker' };
      const reader = await tested.storage.openRowsReader();
      try {
        for (const dataset of [daily, typedDataset('whole'), identified]) {
          const storedColumns = storedColumnsOf(dataset);
          const batches = dataset === daily ? [DATES.flatMap(rowsOf)] : fc.sample(anyRows, 5);
          for (const part of await tested.writeParts(dataset, batches)) {
            const read = await reader.read({ location: part.location, storedColumns }, never);
            const { rowCount, contentDigest } = part;
            expect(read.rows).toEqual({ rowCount, contentDigest });
            expect(read.identifierOrder).toEqual(
              part.identifierOrder ? { rowCount, contentDigest } : null,
            );
          }
        }
      } finally {
        await reader.close();
      }
    });

    it('are not found once the part is gone, nor for longer than is wanted', async () => {
      const [gone, stays] = await writeDays(tested);
      const reader = await tested.storage.openRowsReader();
      const storedColumns = storedColumnsOf(daily);
      await tested.storage.remove([gone.location]);
      await expect(reader.read({ ...gone, storedColumns }, never)).rejects.toThrow();
      const reason = new Error('enough');
      await expect(
        reader.read({ ...stays, storedColumns }, AbortSignal.abort(reason)),
      ).rejects.toThrow(reason);
      await reader.close();
    });
  });
}
