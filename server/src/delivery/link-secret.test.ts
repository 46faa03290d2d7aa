import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LINK_SECRET_FILE } from '../base/home-layout.ts';
import type { SharedSecrets } from '../store/shared.ts';
import { openLinkSecret } from './ticket.ts';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'ticklake-links-'));
});
afterEach(() => rmSync(home, { recursive: true }));

describe('the secret of links', () => {
  it('is made by the first use, for its owner alone, and then stays', async () => {
    const secret = await openLinkSecret(home, null);
    expect(secret).toHaveLength(32);
    expect(await openLinkSecret(home, null)).toEqual(secret);
    expect(statSync(join(home, LINK_SECRET_FILE)).mode & 0o777).toBe(0o600);
  });

  it('is another one in every home, and after its file was removed', async () => {
    const secret = await openLinkSecret(home, null);
    rmSync(join(home, LINK_SECRET_FILE));
    expect(await openLinkSecret(home, null)).not.toEqual(secret);
  });

  it('lies alone in its folder', async () => {
    await openLinkSecret(home, null);
    expect(readdirSync(join(home, 'links'))).toEqual(['secret']);
  });

  it('is made in a folder that is there, and leaves a name alone that somebody has taken', async () => {
    mkdirSync(join(home, 'links'));
    symlinkSync('nowhere', join(home, LINK_SECRET_FILE));
    await expect(openLinkSecret(home, null)).rejects.toThrow('does not hold a secret');
    expect(readdirSync(join(home, 'links'))).toEqual(['secret']);
  });

  it('is the one of all servers where they share a store, which the first one makes', async () => {
    const texts = new Map<string, string | null>();
    const shared: SharedSecrets = {
      read: async (name) => texts.get(name) ?? null,
      change: async (name, make) => {
        const made = make(texts.get(name) ?? null);
        texts.set(name, made);
        return made;
      },
    };
    const secret = await openLinkSecret(home, shared);
    expect(secret).toHaveLength(32);
    expect(await openLinkSecret(join(home, 'another'), shared)).toEqual(secret);
    expect([...texts]).toEqual([['links', secret.toString('base64url')]]);
    expect(readdirSync(home)).toEqual([]);
  });

  it('is refused where the file holds something else', async () => {
    await openLinkSecret(home, null);
    writeFileSync(join(home, LINK_SECRET_FILE), 'short\n');
    await expect(openLinkSecret(home, null)).rejects.toThrow('does not hold a secret');
  });
});
