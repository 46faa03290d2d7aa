import { tmpdir } from 'node:os';
import { describe, expect, it } from 'vitest';
import type { KeptPart, KeptParts } from '../store/kept-parts.ts';
import { requireRoom } from './copy-parts.ts';

const part = { id: 1, storedByteCount: Number.MAX_SAFE_INTEGER } as KeptPart;
const index = {
  keptParts: async (afterId: number) => (afterId < part.id ? [part] : []),
} as unknown as KeptParts;

describe('the room on a disk', () => {
  const refusal = (folder: string | null, isThere: boolean) =>
    requireRoom(folder, { index, isThere: async () => isThere }).then(
      () => null,
      ({ message }: Error) => message,
    );

  it('has to be enough for what is not there yet', async () => {
    expect(await refusal(tmpdir(), false)).toMatch(/ has room for \d+ bytes, but \d+ have to be /);
    expect(await refusal(tmpdir(), true)).toBe(null);
  });

  it('does not matter where parts go to no disk', async () => {
    expect(await refusal(null, false)).toBe(null);
  });
});
