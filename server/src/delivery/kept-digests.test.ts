import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { KeptDigests } from './delivered-files.ts';

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ticklake-digests-'));
  path = join(folder, 'links', 'digests');
});
afterEach(() => rmSync(folder, { recursive: true }));

const placeOf = (n: number) => `${n}`.padStart(43, 'p');
const digestOf = (n: number) => n.toString(16).padStart(64, '0');
const linesIn = () => readFileSync(path, 'utf8').trim().split('\n');

describe('kept digests', () => {
  it('are known after a start, and no others', async () => {
    const digests = new KeptDigests(path);
    for (const n of [1, 2]) await digests.add(placeOf(n), digestOf(n));
    const restarted = new KeptDigests(path);
    const known = [1, 2, 3].map((n) => restarted.get(placeOf(n)));
    expect(known).toEqual([digestOf(1), digestOf(2), null]);
  });

  it('leave out what a crash has left half written, and what is none', async () => {
    await new KeptDigests(path).add(placeOf(1), digestOf(1));
    appendFileSync(path, `${placeOf(2)} ${digestOf(2).slice(0, 40)}`);
    const digests = new KeptDigests(path);
    expect(digests.get(placeOf(1))).toBe(digestOf(1));
    expect(digests.get(placeOf(2))).toBeNull();
    // The torn line takes this one with it.
    await digests.add(placeOf(3), digestOf(3));
    await digests.add(placeOf(4), digestOf(4));
    appendFileSync(path, `${placeOf(5)} ${digestOf(5)}0\n ${placeOf(6)} ${digestOf(6)}\n`);
    const restarted = new KeptDigests(path);
    const known = [1, 2, 3, 4, 5, 6].map((n) => restarted.get(placeOf(n)));
    expect(known).toEqual([digestOf(1), null, null, digestOf(4), null, null]);
  });

  it('take a bounded file: the newest stay when it is written anew', async () => {
    const lines = Array.from({ length: 39_998 }, (_, n) => `${placeOf(n)} ${digestOf(n)}\n`);
    await new KeptDigests(path).add(placeOf(1), digestOf(1));
    writeFileSync(path, lines.join(''));
    const digests = new KeptDigests(path);
    await digests.add(placeOf(40_000), digestOf(40_000));
    expect(linesIn()).toHaveLength(39_999);
    await digests.add(placeOf(40_001), digestOf(40_001));
    expect(linesIn()).toHaveLength(20_000);
    await digests.add(placeOf(40_002), digestOf(40_002));
    expect(linesIn()).toHaveLength(20_001);
    const restarted = new KeptDigests(path);
    expect(restarted.get(placeOf(40_001))).toBe(digestOf(40_001));
    expect(restarted.get(placeOf(39_997))).toBe(digestOf(39_997));
    expect(restarted.get(placeOf(19_000))).toBeNull();
  });

  it('are known until the end where the file cannot be written', async () => {
    writeFileSync(join(folder, 'links'), '');
    const digests = new KeptDigests(path);
    await digests.add(placeOf(1), digestOf(1));
    expect(digests.get(placeOf(1))).toBe(digestOf(1));
    expect(new KeptDigests(path).get(placeOf(1))).toBeNull();
  });
});
