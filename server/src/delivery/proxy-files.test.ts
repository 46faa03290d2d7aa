import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { StoredBytes } from '../base/stored-bytes.ts';
import { ProxyFiles } from './proxy-files.ts';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'ticklake-proxy-'));
});
afterEach(() => rmSync(home, { recursive: true }));

const file = (sha256: string, byteCount = 10) => ({
  ...{ sha256, rowCount: 1 },
  bytes: new StoredBytes([{ bytes: Buffer.alloc(byteCount, sha256) }]),
});

function open(folder = join(home, 'files')) {
  return { folder, files: new ProxyFiles({ folder, bulkDiskBytesMax: 10 }) };
}

it('has each file whole, once for all who ask for it', async () => {
  const { folder, files } = open();
  const [one, other] = await Promise.all([files.nameOf(file('a')), files.nameOf(file('a'))]);
  expect(one).toBe(other);
  expect(readdirSync(folder)).toEqual([one]);
  expect(readFileSync(join(folder, one ?? ''), 'utf8')).toBe('aaaaaaaaaa');
});

it('takes no file that is larger than its room', async () => {
  const { folder, files } = open();
  expect(await files.nameOf(file('a', 11))).toBeNull();
  await files.nameOf(file('b'));
  expect(readdirSync(folder)).toHaveLength(1);
});

it('never takes more than its room twice, with files that are about to go', async () => {
  const { folder, files } = open();
  const names = [];
  for (const sha256 of ['a', 'b', 'c']) names.push(await files.nameOf(file(sha256)));
  expect(names.map((name) => name !== null)).toEqual([true, true, false]);
  expect(readdirSync(folder)).toHaveLength(2);
});

it('tells whoever asks that a file cannot be made, and makes it when it can', async () => {
  const folder = join(home, 'files');
  const { files } = open(folder);
  writeFileSync(folder, 'in the way');
  await expect(files.nameOf(file('a'))).rejects.toThrow();
  rmSync(folder);
  expect(await files.nameOf(file('a'))).toMatch(/^a-/);
});

it('leaves nothing of a file that cannot be read, and its room to others', async () => {
  const { folder, files } = open();
  const gone = { file: join(home, 'gone'), start: 0, end: 10 };
  const unreadable = { ...file('a'), bytes: new StoredBytes([gone]) };
  for (let n = 0; n < 4; n++) await expect(files.nameOf(unreadable)).rejects.toThrow('ENOENT');
  expect(readdirSync(folder)).toEqual([]);
  expect(await files.nameOf(file('b'))).toMatch(/^b-/);
});
