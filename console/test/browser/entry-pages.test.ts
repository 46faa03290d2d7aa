/** The pages that people begin at: what they load, from where, and under which policy. */
import { globSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { describe, newContext, startConsole, withSite } from './harness.ts';
import { waitForScreen, waitUntilLoaded } from './screens.ts';
import { signInByForm } from './sign-in-form.ts';
import { Watch } from './watch.ts';

const SCRIPT_BYTES_MAX = 300_000;
/** Less is no page that was loaded. */
const SCRIPT_BYTES_MIN = 10_000;
const CODE = 'window.hasRun=1';

const tested = startConsole(withSite({ public_catalogue: true }));

interface EntryPage {
  readonly name: string;
  /** The file that the build makes it of. */
  readonly document: string;
  readonly path: string;
  readonly wait: (page: Page) => Promise<unknown>;
}

const ENTRY_PAGES: readonly EntryPage[] = [
  {
    name: 'landing page',
    document: 'landing.html',
    path: '/',
    wait: (page) => page.getByRole('heading', { name: 'Datasets' }).waitFor(),
  },
  {
    name: 'documentation',
    document: 'documentation.html',
    path: '/docs',
    wait: (page) => page.getByRole('link', { name: 'Sign in', exact: true }).first().waitFor(),
  },
  {
    name: 'API reference',
    document: 'reference.html',
    path: '/reference',
    wait: (page) => page.getByRole('navigation', { name: 'Operations' }).waitFor(),
  },
  {
    name: 'console with its first screen',
    document: 'index.html',
    path: '/console/',
    wait: async (page) => {
      await page.getByRole('heading', { name: 'Sign in to Ticklake' }).waitFor();
      await signInByForm(page, tested.owner);
      await waitForScreen(page, 'Overview');
    },
  },
];

/** Counts the compressed bytes of the scripts that a page gets from now on. */
function countScriptBytes(page: Page): () => Promise<number> {
  const sizes: Promise<number>[] = [];
  page.on('requestfinished', (request) => {
    if (request.resourceType() !== 'script') return;
    sizes.push(request.sizes().then(({ responseBodySize }) => responseBodySize));
  });
  return async () => (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}

/** Tries whatever a page that was tampered with would try, until all of it has been refused. */
async function runForeignCode(page: Page): Promise<void> {
  await page.evaluate(async (code) => {
    const { promise: areRefused, resolve } = Promise.withResolvers<void>();
    let count = 0;
    document.addEventListener('securitypolicyviolation', () => {
      count += 1;
      if (count === 3) resolve();
    });
    const script = document.createElement('script');
    script.textContent = code;
    document.body.append(script);
    const image = document.createElement('div');
    image.innerHTML = `<img src="/x" onerror="${code}"><a href="javascript:${code}">go</a>`;
    document.body.append(image);
    image.querySelector('a')?.click();
    await areRefused;
  }, CODE);
}

/** Which part of the page's policy refuses what is tried. */
function refusedBy(page: Page, url: string): Promise<string> {
  return page.evaluate(
    (address) =>
      new Promise<string>((resolve) => {
        const onRefusal = ({ effectiveDirective }: SecurityPolicyViolationEvent) =>
          resolve(effectiveDirective);
        document.addEventListener('securitypolicyviolation', onRefusal);
        fetch(address).then(
          () => resolve('nothing'),
          // Violations of the policy are reported before this; failures of the network are not.
          () => requestAnimationFrame(() => requestAnimationFrame(() => resolve('no policy'))),
        );
      }),
    url,
  );
}

describe('every page that the console is built of', () => {
  it('is among those that are tried', () => {
    const built = globSync('*.html', { cwd: join(import.meta.dirname, '../..') });
    expect(ENTRY_PAGES.map(({ document }) => document).toSorted()).toEqual(built.toSorted());
  });
});

describe.each(ENTRY_PAGES)('the $name', ({ path, wait }) => {
  it('loads less than 300 kB of script, and lets none in that is not a file of this server', async () => {
    const context = await newContext();
    const page = await context.newPage();
    const watch = new Watch(page, tested.url);
    const scriptBytes = countScriptBytes(page);
    const response = await page.goto(`${tested.url}${path}`);
    const policy = response?.headers()['content-security-policy'] ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("script-src 'self'");
    expect(policy).toContain("connect-src 'self'");
    expect(policy).not.toContain('unsafe');
    expect(policy).not.toMatch(/https?:|\*/);
    await wait(page);
    await waitUntilLoaded(page);
    const total = await scriptBytes();
    process.stdout.write(`${path}: ${total} bytes of compressed script\n`);
    expect(total).toBeGreaterThan(SCRIPT_BYTES_MIN);
    expect(total).toBeLessThan(SCRIPT_BYTES_MAX);
    const sources = await page
      .locator('script')
      .evaluateAll((all) => all.map((script) => (script as HTMLScriptElement).src));
    for (const source of sources) expect(source).toMatch(new RegExp(`^${tested.url}/`));
    // Such as a request to another server.
    expect(watch.faults()).toEqual([]);
    await runForeignCode(page);
    expect(await page.evaluate('window.hasRun')).toBeUndefined();
    expect(await refusedBy(page, 'http://other.invalid/')).toBe('connect-src');
    await context.close();
  });

  // The documentation is there without its script.
  it.skipIf(path === '/docs')('is not blank while its script is on the way', async () => {
    const { page } = await tested.visit();
    const { promise: isReleased, resolve: release } = Promise.withResolvers<void>();
    await page.route('**/*.js', async (route) => {
      await isReleased;
      await route.continue();
    });
    await page.goto(`${tested.url}${path}`, { waitUntil: 'commit' });
    const starting = page.locator('.starting');
    // The landing page's own texts are there at once.
    const first = path === '/' ? page.getByText('Rows by request') : starting.getByText('Loading…');
    await first.waitFor();
    release();
    await wait(page);
    expect(await starting.isVisible()).toBe(false);
  });
});
