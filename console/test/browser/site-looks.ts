/** The looks of pages that need nobody to be signed in. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { graveFaults } from './accessibility.ts';
import { SCREENSHOTS } from './harness.ts';
import { elementsBeyond, overflowOf } from './screens.ts';

const WIDE = { width: 1366, height: 768 };
const NARROW = { width: 390, height: 844 };

const LOOKS = [
  { theme: 'light', width: 'wide', viewport: WIDE },
  { theme: 'dark', width: 'wide', viewport: WIDE },
  { theme: 'dark', width: 'narrow', viewport: NARROW },
  { theme: 'light', width: 'narrow', viewport: NARROW },
] as const;

/** Pictures a page in all looks; fails where one is too wide or has a grave fault of accessibility. */
export async function inspectSite(page: Page, name: string): Promise<void> {
  for (const { theme, width, viewport } of LOOKS) {
    await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' });
    await page.setViewportSize(viewport);
    const folder = join(SCREENSHOTS, `${theme}-${width}`);
    mkdirSync(folder, { recursive: true });
    await page.screenshot({ path: join(folder, `${name}.png`), fullPage: true });
    expect(await graveFaults(page), `${theme}-${width}/${name}`).toEqual([]);
    if ((await overflowOf(page)) > 0) expect(await elementsBeyond(page), name).toEqual([]);
    expect(await overflowOf(page), `${theme}-${width}/${name} is too wide`).toBe(0);
  }
}
