import { mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { tryLockFile } from '../installed.ts';
import { LifeMarks } from './process-lock.ts';

describe('life marks', () => {
  let folder: string;
  let marks: LifeMarks;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'life-marks-'));
    marks = new LifeMarks(folder, tryLockFile);
  });
  afterEach(() => {
    vi.useRealTimers();
    rmSync(folder, { recursive: true });
  });

  it('are alive for everybody until they are released, and leave no file', () => {
    const mark = marks.hold();
    expect(marks.isAlive(mark.name)).toBe(true);
    expect(new LifeMarks(folder, tryLockFile).isAlive(mark.name)).toBe(true);
    mark.release();
    expect(marks.isAlive(mark.name)).toBe(false);
    expect(readdirSync(folder)).toEqual([]);
  });

  it('tell whether anybody holds one, however many dead ones lie there', () => {
    writeFileSync(join(folder, 'dead.lock'), '');
    expect(marks.isAnyAlive()).toBe(false);
    const held = [marks.hold(), marks.hold()];
    for (const mark of held) {
      expect(new LifeMarks(folder, tryLockFile).isAnyAlive()).toBe(true);
      mark.release();
    }
    expect(marks.isAnyAlive()).toBe(false);
  });

  it.each(['', 'unknown.lock'])('of the name "%s" are dead, and asking makes no file', (name) => {
    expect(marks.isAlive(name)).toBe(false);
    expect(readdirSync(folder)).toEqual([]);
  });

  it('are swept when nobody holds them and a minute has passed', () => {
    vi.setSystemTime('2026-11-20T21:00:00Z');
    const nowSeconds = Date.now() / 1000;
    const ages = { dead: 61, young: 59, held: 61 };
    for (const [name, ageSeconds] of Object.entries(ages)) {
      writeFileSync(join(folder, name), '');
      utimesSync(join(folder, name), nowSeconds - ageSeconds, nowSeconds - ageSeconds);
    }
    const lock = tryLockFile(join(folder, 'held'));
    marks.sweep();
    expect(readdirSync(folder).toSorted()).toEqual(['held', 'young']);
    lock?.release();
  });
});
