/**
 * The looks of a page, in light and dark, wide and narrow: accessible, within the window, and
 * pictured if all are wanted.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { graveFaults } from './accessibility.ts';
import { SCREENSHOTS } from './harness.ts';
import { elementsBeyond, overflowOf } from './screens.ts';

const WIDE = { width: 1440, height: 900 };
const NARROW = { width: 390, height: 844 };
/** The narrowest phone that pages have to fit. */
const NARROWEST = { width: 360, height: 740 };

interface Look {
  readonly theme: 'light' | 'dark';
  readonly width: 'wide' | 'narrow';
}

const VIEWPORTS = { wide: WIDE, narrow: NARROW };

const ALL: readonly Look[] = [
  { theme: 'light', width: 'wide' },
  { theme: 'dark', width: 'wide' },
  { theme: 'dark', width: 'narrow' },
  { theme: 'light', width: 'narrow' },
];

/** Each theme and each width once, for what differs little between the others. */
export const FEW: readonly Look[] = [
  { theme: 'light', width: 'wide' },
  { theme: 'dark', width: 'narrow' },
];

/** With it, each page is inspected in all its looks, and pictures of all are kept. */
const IS_WHOLE = process.env.TICKLAKE_LOOKS === 'all';

/** One of several looks that differ little, which the letters of the name choose. */
function chosenFor(name: string, looks: readonly Look[]): readonly Look[] {
  const sum = [...name].reduce((all, letter) => all + letter.charCodeAt(0), 0);
  return looks.length < FEW.length ? looks : FEW.filter((_, i) => i === sum % FEW.length);
}

export const NARROW_ONLY: readonly Look[] = [{ theme: 'light', width: 'narrow' }];

async function expectInWindow(page: Page, what: string): Promise<void> {
  if ((await overflowOf(page)) > 0) expect(await elementsBeyond(page), what).toEqual([]);
  expect(await overflowOf(page), `${what} is too wide`).toBeLessThanOrEqual(0);
}

async function picture(page: Page, folder: string, name: string): Promise<void> {
  mkdirSync(folder, { recursive: true });
  await page.screenshot({ path: join(folder, `${name}.png`), fullPage: true });
}

/** Inspects what a visit shows; it has to follow a change of theme and of width. */
export async function inspectLooks(page: Page, name: string, looks = ALL): Promise<void> {
  for (const { theme, width } of IS_WHOLE ? looks : chosenFor(name, looks)) {
    await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' });
    await page.setViewportSize(VIEWPORTS[width]);
    if (IS_WHOLE) await picture(page, join(SCREENSHOTS, `${theme}-${width}`), name);
    expect(await graveFaults(page), `${theme}-${width}/${name}`).toEqual([]);
    await expectInWindow(page, `${theme}-${width}/${name}`);
  }
  await page.setViewportSize(NARROWEST);
  await expectInWindow(page, `${name} at ${NARROWEST.width} pixels`);
}
