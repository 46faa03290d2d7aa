/**
 * Once for a run: the console is built when a source is newer than the last build, and one small
 * demo market is generated, of which each test file gets a copy.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { prepareDemo } from '@ticklake/demo/prepare-demo.ts';
import type { DemoSize } from '@ticklake/demo/timeline.ts';
import { Passwords } from 'ticklake/access/passwords.ts';
import { systemClock } from 'ticklake/base/clock.ts';
import { openServices } from 'ticklake/open-services.ts';
import { readConfig } from 'ticklake/settings/config.ts';
import type { TestProject } from 'vitest/node';
import { CHEAP_PASSWORDS } from '../../../server/test/harness.ts';
import { findChromium, HOW_TO_GET_IT } from './find-chromium.ts';
import { findFirefox, HOW_TO_GET_FIREFOX } from './find-firefox.ts';

const ROOT = join(import.meta.dirname, '../../..');

/** Daily prices fill several pages, and minute bars of quotes more than a socket's buffers. */
const SIZE: DemoSize = {
  dailyDays: 1300,
  minuteDays: 10,
  tickDays: 3,
  quoteBarDays: 12,
  activity: 0.1,
};

declare module 'vitest' {
  interface ProvidedContext {
    /** Home that holds the demo market and its account. */
    demoHome: string;
  }
}

function buildConsole(): void {
  const words = ['scripts/build-console-if-needed.mjs', '--required'];
  const { status } = spawnSync(process.execPath, words, {
    cwd: ROOT,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  if (status !== 0) throw new Error('the console could not be built');
}

async function generateHome(home: string): Promise<void> {
  const opened = await openServices({ ...readConfig({}), home }, systemClock);
  const services = { ...opened, passwords: new Passwords(CHEAP_PASSWORDS) };
  const { finish } = await prepareDemo(services, { report: () => undefined, size: SIZE });
  await finish?.();
  await services.close();
}

/**
 * Says which tests are skipped without a browser; with `TICKLAKE_BROWSER=required` that is an
 * error.
 */
function tellMissing(message: string): void {
  if (process.env.TICKLAKE_BROWSER === 'required') throw new Error(message);
  process.stderr.write(`SKIPPED: ${message}\n`);
}

export default async function setUp(project: TestProject): Promise<() => void> {
  if (findChromium() === null) {
    tellMissing(`no browser for the tests of the console: ${HOW_TO_GET_IT}`);
    return () => undefined;
  }
  if (findFirefox() === null) tellMissing(`no Firefox for its tests: ${HOW_TO_GET_FIREFOX}`);
  buildConsole();
  const home = mkdtempSync(join(tmpdir(), 'ticklake-console-market-'));
  await generateHome(home);
  project.provide('demoHome', home);
  return () => rmSync(home, { recursive: true, force: true });
}
