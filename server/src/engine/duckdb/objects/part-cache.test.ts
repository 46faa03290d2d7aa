import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { folderFiles } from '../folder-files.ts';
import { PartCache } from './part-cache.ts';

const PART_BYTES = 1000;

let folder: string;
let cache: PartCache;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ticklake-cache-'));
  cache = openCache();
});
afterEach(async () => {
  await cache.close();
  rmSync(folder, { recursive: true });
});

/** The cache of a lake in another folder, with room for four parts. */
function openCache(): PartCache {
  const opened = new PartCache(join(folder, 'cache'), 4 * PART_BYTES, folderFiles(lakeFolder()));
  opened.open();
  return opened;
}

const lakeFolder = () => join(folder, 'lake');

/** A part in the lake, of a file and two more in its folder. */
function newPart(name: string) {
  const texts = ['a', 'b', 'c'].map((each) => `${name}${each}`.padEnd(PART_BYTES / 4, each));
  const [own = '', first = '', second = ''] = texts;
  const ordered = join(lakeFolder(), 'eq_taq', `${name}.by-identifier`);
  mkdirSync(ordered, { recursive: true });
  writeFileSync(join(lakeFolder(), 'eq_taq', `${name}.parquet`), own);
  writeFileSync(join(ordered, '000000'), first);
  writeFileSync(join(ordered, '000001'), second);
  const digest = createHash('sha256').update(texts.join('')).digest('hex');
  return { location: `eq_taq/${name}.parquet`, digest, byteCount: PART_BYTES / 2 };
}

type NewPart = ReturnType<typeof newPart>;

/** The parts that a plan of these finds in the cache. */
function found(...parts: NewPart[]): string[] {
  const held = cache.hold(parts);
  held.release();
  return [...held.locations];
}

async function readTwice(part: NewPart): Promise<void> {
  found(part);
  found(part);
  await cache.settled();
}

const kept = () =>
  readdirSync(join(folder, 'cache', 'eq_taq')).filter((name) => name.endsWith('.parquet'));

it('has a part once it was read twice, with its identifier order', async () => {
  const part = newPart('one');
  expect(found(part)).toEqual([]);
  await cache.settled();
  expect(found(part)).toEqual([]);
  await cache.settled();
  expect(found(part)).toEqual([part.location]);
  const path = cache.pathOf(`${lakeFolder()}/eq_taq/one.by-identifier/000001`);
  expect(path).toBe(join(folder, 'cache/eq_taq/one.by-identifier/000001'));
});

it('never has a part whose bytes are not those of its digest', async () => {
  const part = { ...newPart('one'), digest: newPart('two').digest };
  await readTwice(part);
  await readTwice(part);
  expect(found(part)).toEqual([]);
  expect(cache.pathOf(`${lakeFolder()}/${part.location}`)).toBeNull();
});

it('checks what an earlier process left before it counts', async () => {
  const [sound, altered] = [newPart('sound'), newPart('altered')];
  await readTwice(sound);
  await readTwice(altered);
  await cache.close();
  writeFileSync(join(folder, 'cache', altered.location), 'something else');
  cache = openCache();
  expect(found(sound, altered)).toEqual([]);
  await cache.settled();
  expect(found(sound, altered)).toEqual([sound.location]);
  expect(kept()).toEqual(['sound.parquet']);
});

it('stays within its limit, except for parts that are held', async () => {
  const [first, ...others] = ['1', '2', '3', '4', '5', '6'].map(newPart) as [NewPart, ...NewPart[]];
  await readTwice(first);
  const held = cache.hold([first]);
  expect([...held.locations]).toEqual([first.location]);
  for (const part of others) await readTwice(part);
  expect(kept()).toContain('1.parquet');
  held.release();
  expect(kept().length).toBeLessThanOrEqual(5);
  expect(kept()).not.toContain('1.parquet');
  expect(found(others.at(-1) as NewPart)).toHaveLength(1);
});

it('rebuilds the cache folder if it is deleted', async () => {
  const part = newPart('one');
  await readTwice(part);
  rmSync(join(folder, 'cache'), { recursive: true });
  expect(found(part)).toEqual([]);
  await cache.settled();
  await readTwice(part);
  expect(found(part)).toEqual([part.location]);
});

it('takes over what was published here, and drops what is removed', async () => {
  const part = newPart('one');
  const written = join(folder, 'written.parquet');
  writeFileSync(written, 'the rows');
  await cache.take(written, part.location);
  expect(found(part)).toEqual([part.location]);
  cache.drop(part.location);
  expect(found(part)).toEqual([]);
  expect(kept()).toEqual([]);
});
