import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LINK_SECRET_FILE } from '../base/home-layout.ts';
import { openLinkSecret } from './link-secret.ts';

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

  it('is refused where the file holds something else', async () => {
    await openLinkSecret(home, null);
    writeFileSync(join(home, LINK_SECRET_FILE), 'short\n');
    await expect(openLinkSecret(home, null)).rejects.toThrow('does not hold a secret');
  });
});
