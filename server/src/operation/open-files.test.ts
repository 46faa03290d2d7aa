import { describe, expect, it } from 'vitest';
import { affordableConnections, isOutOfFiles, openFilesMax } from './open-files.ts';

describe('affordableConnections', () => {
  it('leaves half of the open files to other things', () => {
    expect(affordableConnections(4096, 1024)).toBe(512);
    expect(affordableConnections(100, 1024)).toBe(100);
    expect(affordableConnections(4096, 1)).toBe(1);
    expect(affordableConnections(4096, Number.POSITIVE_INFINITY)).toBe(4096);
  });
});

describe('openFilesMax', () => {
  it('is what the system says, or no limit', () => {
    expect(openFilesMax()).toBeGreaterThan(20);
  });
});

describe('isOutOfFiles', () => {
  it('knows it from a code or a text, also of what caused the error', () => {
    const coded = Object.assign(new Error('open failed'), { code: 'EMFILE' });
    expect(isOutOfFiles(coded)).toBe(true);
    expect(isOutOfFiles(new Error('IO Error: Cannot open file: Too many open files'))).toBe(true);
    expect(isOutOfFiles(new Error('failed to read', { cause: coded }))).toBe(true);
  });

  it('takes nothing else for it', () => {
    for (const error of [new Error('no such file'), new Error('a', { cause: 'EMFILE' }), null, 5]) {
      expect(isOutOfFiles(error)).toBe(false);
    }
  });
});
