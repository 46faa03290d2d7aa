import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { eventually } from '../../test/eventually.ts';
import type { PartStorage } from '../engine/engine.ts';
import { INSTALLED_ENGINE, tryLockFile } from '../installed.ts';
import { DamagedParts, type ReadParts, type WatchedPart } from './damaged-parts.ts';

const BYTES = 10;

let home: string;
let directory: string;
let storage: PartStorage;
let damaged: DamagedParts;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'ticklake-damaged-'));
  directory = join(home, 'lake');
  storage = INSTALLED_ENGINE.openStorage({ home }, tryLockFile);
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
});
afterEach(() => {
  damaged.close();
  vi.useRealTimers();
  rmSync(home, { recursive: true });
});

const published = (file: string, number: number): WatchedPart => ({
  ...{ id: number + 1, datasetId: 'US1032' },
  ...{ location: file, storedByteCount: BYTES, isCurrent: number % 2 === 0 },
});

function write(file: string, byteCount = BYTES): void {
  writeFileSync(join(directory, file), 'x'.repeat(byteCount));
}

/** Gives the files as the index does, a few at a time. */
function reading(files: readonly string[]): ReadParts {
  return async (lastId, count) =>
    files.slice(lastId, lastId + count).map((file, i) => published(file, lastId + i));
}

/** The damage that a first look finds. */
async function found(files: readonly string[]): Promise<string[]> {
  damaged = new DamagedParts(storage, reading(files));
  await damaged.watch();
  return damaged.list().map(({ message }) => message);
}

it('damaged parts are those that are gone or shorter than they were', async () => {
  write('whole');
  write('longer', BYTES + 1);
  write('shorter', BYTES - 1);
  expect(await found(['whole', 'gone', 'shorter', 'whole/no-folder', 'longer'])).toEqual([
    'the file lake/gone is missing',
    'the file lake/shorter is cut off',
    'the file lake/whole/no-folder is missing',
  ]);
  expect(damaged.list().map(({ datasetId, isCurrent }) => [datasetId, isCurrent])).toEqual([
    ['US1032', false],
    ['US1032', true],
    ['US1032', false],
  ]);
});

it('damaged parts are named with the reason if they cannot be looked at', async () => {
  symlinkSync('loop', join(directory, 'loop'));
  const long = 'x'.repeat(300);
  expect(await found(['loop', long])).toEqual([
    'the file lake/loop cannot be read: it is a link that leads to itself',
    `the file lake/${long} cannot be read: its name is too long`,
  ]);
});

it('damaged parts are found among more files than are looked at together', async () => {
  const files = Array.from({ length: 100 }, (_, i) => `file ${i}`);
  for (const file of files) if (file !== 'file 77') write(file);
  expect(await found(files)).toEqual(['the file lake/file 77 is missing']);
});

it('damaged parts are looked for beside a start behind the first thousand', async () => {
  const files = Array.from({ length: 1100 }, (_, i) => `file ${i}`);
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  vi.spyOn(storage, 'findDamage').mockImplementation(async ({ location }) => {
    if (location === 'file 1099') await released;
    return ['file 5', 'file 1099'].includes(location) ? `${location} is gone` : null;
  });
  expect(await found(files)).toEqual(['file 5 is gone']);
  expect(damaged.hasLooked).toBe(false);
  release();
  await eventually(() => expect(damaged.hasLooked).toBe(true));
  expect(damaged.list().map(({ message }) => message)).toEqual([
    'file 5 is gone',
    'file 1099 is gone',
  ]);
});

it('damaged parts are looked for every minute', async () => {
  write('file');
  expect(await found(['file'])).toEqual([]);
  rmSync(join(directory, 'file'));
  await vi.advanceTimersByTimeAsync(59_999);
  expect(damaged.list()).toEqual([]);
  vi.advanceTimersByTime(1);
  await eventually(() => expect(damaged.list()).toHaveLength(1));
});

it('damaged parts are looked for less often the more there are', async () => {
  const files = Array.from({ length: 14_000 }, (_, i) => `file ${i}`);
  const look = vi.spyOn(storage, 'findDamage').mockResolvedValue(null);
  await found(files);
  await eventually(() => expect(damaged.hasLooked).toBe(true));
  look.mockClear();
  await vi.advanceTimersByTimeAsync(65_000);
  expect(look).not.toHaveBeenCalled();
  vi.advanceTimersByTime(5000);
  await eventually(() => expect(look).toHaveBeenCalled());
});

it('damaged parts are looked for every minute while there are any, however many parts there are', async () => {
  const files = Array.from({ length: 14_000 }, (_, i) => `file ${i}`);
  const look = vi.spyOn(storage, 'findDamage').mockResolvedValue('a file is gone');
  await found(files);
  await eventually(() => expect(damaged.hasLooked).toBe(true));
  look.mockReset().mockResolvedValue(null);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(look).toHaveBeenCalled();
});

it('damaged parts stay known after a first look that could not be ended', async () => {
  let failures = 0;
  const files = Array.from({ length: 1100 }, (_, i) => `file ${i}`);
  const read = reading(files);
  damaged = new DamagedParts(storage, (lastId, count) => {
    if (lastId < 1056) return read(lastId, count);
    failures += 1;
    throw new Error('locked');
  });
  const { promise: released, resolve: release } = Promise.withResolvers<null>();
  await damaged.watch();
  await eventually(() => expect(failures).toBe(1));
  expect(damaged.list()).toHaveLength(1056);
  const look = vi.spyOn(storage, 'findDamage').mockReturnValue(released);
  vi.advanceTimersByTime(60_000);
  await eventually(() => expect(look).toHaveBeenCalled());
  expect(damaged.list()).toHaveLength(1056);
  expect(damaged.hasLooked).toBe(false);
  release(null);
});

it('damaged parts stay known while the index cannot be read', async () => {
  let isReadable = true;
  const read = reading(['gone']);
  damaged = new DamagedParts(storage, (lastId, count) => {
    if (!isReadable) throw new Error('locked');
    return read(lastId, count);
  });
  await damaged.watch();
  isReadable = false;
  await damaged.watch();
  expect(damaged.list()).toHaveLength(1);
});

it('damaged parts are looked for no more after closing, even if a look is under way', async () => {
  let looks = 0;
  const counted: ReadParts = async (...asked) => {
    looks += 1;
    return reading(['gone'])(...asked);
  };
  damaged = new DamagedParts(storage, counted);
  await damaged.watch();
  damaged.close();
  const before = looks;
  await vi.advanceTimersByTimeAsync(600_000);
  expect(looks).toBe(before);
  damaged = new DamagedParts(storage, counted);
  const look = damaged.watch();
  damaged.close();
  await look;
  expect(damaged.hasLooked).toBe(false);
  const after = looks;
  await vi.advanceTimersByTimeAsync(600_000);
  expect(looks).toBe(after);
});

it('damaged parts stay known while the storage is away, which is asked again a minute later', async () => {
  expect(await found(['gone'])).toHaveLength(1);
  vi.spyOn(storage, 'findDamage').mockRejectedValueOnce(new Error('out of reach'));
  await damaged.watch();
  expect(damaged.list()).toHaveLength(1);
  write('gone');
  vi.advanceTimersByTime(60_000);
  await eventually(() => expect(damaged.list()).toEqual([]));
});
