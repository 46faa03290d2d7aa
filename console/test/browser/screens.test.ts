/** Each screen in light and dark, wide and narrow: accessible and within the window. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { sampleOf } from '../../../server/test/repetitions.ts';
import { type Furnished, furnish } from './furnish.ts';
import { describe, NARROW, startConsole } from './harness.ts';
import { inspectLooks, NARROW_ONLY } from './looks.ts';
import { ACCOUNT_SCREENS, OWNER_SCREENS, SIGNED_OUT_SCREENS, waitForScreen } from './screens.ts';

const tested = startConsole();

const SCREENS = join(import.meta.dirname, '../../src/screens.ts');

let furnished: Furnished;
beforeAll(async () => {
  if (tested.isRunning) furnished = await furnish(tested);
});

/** Paths of all routes, with `$name` for what varies. */
function routePaths(): readonly string[] {
  const source = readFileSync(SCREENS, 'utf8');
  const paths = [...source.matchAll(/^ +'(\/[^']*)': /gm)].map(([, path]) => path!);
  const lazyScreens = source.match(/import\('\.\//g)?.length ?? 0;
  expect(paths.length, 'every screen has a path').toBe(lazyScreens);
  return ['/sign-in', ...paths];
}

/** True if a screen's address matches a route. */
function isOf(route: string, path: string): boolean {
  const pattern = route.replaceAll(/\$\w+/g, '[^/]+');
  return new RegExp(`^${pattern}$`).test(path.replace(/\?.*$/, ''));
}

describe('every route', () => {
  it('is among the screens that are inspected', () => {
    const screens = [...SIGNED_OUT_SCREENS, ...ACCOUNT_SCREENS, ...OWNER_SCREENS];
    const missing = routePaths().filter((route) => !screens.some(({ path }) => isOf(route, path)));
    expect(missing).toEqual([]);
  });
});

describe('without a grave fault of accessibility, within the window, light and dark', () => {
  it.each(sampleOf(SIGNED_OUT_SCREENS))('is the screen $name', async ({ name, path, title }) => {
    const { page, open } = await tested.visit();
    await open(`${path}${new URL(furnished.link).hash}`);
    await waitForScreen(page, title);
    await inspectLooks(page, name);
  });

  it.each(sampleOf([...ACCOUNT_SCREENS, ...OWNER_SCREENS]))(
    'is the screen $name',
    async ({ name, path, title }) => {
      const { page, open } = await tested.visit({ person: tested.owner });
      await open(path);
      await waitForScreen(page, title);
      await inspectLooks(page, name);
    },
  );

  it('is the open navigation of a phone', async () => {
    const { page, open } = await tested.visit({ person: tested.owner, viewport: NARROW });
    await open('/access');
    await waitForScreen(page, 'Data access');
    await page.getByRole('button', { name: 'Menu' }).click();
    await inspectLooks(page, 'navigation', NARROW_ONLY);
  });
});
