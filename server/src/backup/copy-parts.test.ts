import { tmpdir } from 'node:os';
import { describe, expect, it } from 'vitest';
import type { KeptPart, KeptParts } from '../store/kept-parts.ts';
import { copyParts } from './copy-parts.ts';

const part = { id: 1, storedByteCount: Number.MAX_SAFE_INTEGER } as KeptPart;
const index = {
  keptTotals: async () => ({ partCount: 1, storedByteCount: part.storedByteCount }),
  keptParts: async (afterId: number) => (afterId < part.id ? [part] : []),
} as unknown as KeptParts;

describe('the room on a disk', () => {
  const copy = (diskFolder: string | null, isThere: boolean) =>
    copyParts({
      ...{ index, diskFolder, signal: new AbortController().signal, onProgress: () => undefined },
      isThere: async () => isThere,
      bring: async () => undefined,
    }).then(
      () => null,
      ({ message }: Error) => message,
    );

  it('must be enough for what is missing', async () => {
    expect(await copy(tmpdir(), false)).toMatch(/ has room for \d+ bytes, but \d+ have to be /);
    expect(await copy(tmpdir(), true)).toBe(null);
  });

  it('does not matter if parts go to no disk', async () => {
    expect(await copy(null, false)).toBe(null);
  });
});
