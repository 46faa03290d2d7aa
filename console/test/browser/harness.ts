/**
 * The console as people meet it: a server on a home of its own for each test file, and visits in a
 * real browser, each with cookies and storage of its own; the browser and its page are those of the
 * visit before. A visit in which anything went wrong that its test did not announce fails the test.
 */
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { demoKeyFile } from '@ticklake/demo/demo-home.ts';
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Page,
} from 'playwright-core';
import { Passwords } from 'ticklake/access/passwords.ts';
import { systemClock } from 'ticklake/base/clock.ts';
import { stopServing } from 'ticklake/cli/serve.ts';
import { openServices } from 'ticklake/open-services.ts';
import { buildApp } from 'ticklake/routes/app.ts';
import { readConfig } from 'ticklake/settings/config.ts';
import { afterAll, afterEach, beforeAll, inject, describe as vitestDescribe } from 'vitest';
import { freePort, isFree } from '../../../server/test/free-port.ts';
import { CHEAP_PASSWORDS } from '../../../server/test/harness.ts';
import { demoSignIn } from './demo-sign-in.ts';
import { findChromium } from './find-chromium.ts';
import { type SignedInPerson, type SignIn, signInPerson } from './person.ts';
import { Watch } from './watch.ts';

export const SCREENSHOTS = join(import.meta.dirname, '../../screenshots');

/** After so long, what is waited for does not come. A busy machine takes minutes for a chart. */
export const WAIT_MS = 600_000;
export const WIDE = { width: 1280, height: 800 };
export const NARROW = { width: 360, height: 740 };

type Theme = 'light' | 'dark';

export interface VisitOptions {
  /** Who is signed in when the visit begins; nobody without it. */
  readonly person?: SignIn;
  readonly theme?: Theme;
  readonly viewport?: { readonly width: number; readonly height: number };
}

export interface Visit {
  readonly page: Page;
  readonly context: BrowserContext;
  readonly watch: Watch;
  /** Opens a path below `/console`. */
  open(path: string): Promise<void>;
}

export interface TestedConsole {
  /** False where there is no browser to test with. */
  readonly isRunning: boolean;
  readonly url: string;
  /** Folder that the server keeps everything in. */
  readonly home: string;
  readonly browser: Browser;
  /** Sign-in of the demo's owner, who belongs to the demo account. */
  readonly owner: SignIn;
  /** The demo account's key, which reads everything. */
  readonly key: string;
  signIn(person: SignIn): Promise<SignedInPerson>;
  visit(options?: VisitOptions): Promise<Visit>;
  /** Makes a person of the demo account or of another one. */
  addPerson(email: string, role: string, identityId?: number): Promise<SignIn>;
  stop(): Promise<void>;
  /** Starts the server again where it was. */
  restart(): Promise<void>;
}

/** Tests of the console, which are skipped where no browser is. */
export const describe = vitestDescribe.skipIf(findChromium() === null);

/** How the landing page presents the service: the fields of `site.yaml`. */
export function withSite(fields: object): PrepareHome {
  return async (home) => writeFileSync(join(home, 'site.yaml'), JSON.stringify(fields));
}

let launched: Promise<Browser> | undefined;

/** The browser of all files that a worker runs; it ends with the worker. */
function sharedBrowser(): Promise<Browser> {
  const executablePath = findChromium();
  if (executablePath === null) throw new Error('no browser');
  launched ??= chromium.launch({
    executablePath,
    args: ['--no-sandbox'],
    timeout: WAIT_MS,
  });
  return launched;
}

/** For pages that nobody watches, and that no visit has left anything in. */
export async function newContext(options: BrowserContextOptions = {}): Promise<BrowserContext> {
  const browser = await sharedBrowser();
  const context = await browser.newContext(options);
  context.setDefaultTimeout(WAIT_MS);
  return context;
}

/** Left by a visit: a screen opens in it in less than half of the time of a new page. */
let idlePage: Page | null = null;

async function newPage(): Promise<Page> {
  const context = await newContext({ acceptDownloads: true });
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  return context.newPage();
}

/** A page without cookies and storage; what it has loaded may be cached. */
async function emptyPage(): Promise<Page> {
  if (idlePage === null) return newPage();
  const page = idlePage;
  idlePage = null;
  return page;
}

let chosenPort: number | undefined;

/**
 * The port of all files that a worker runs, so that the browser keeps what it has loaded from file
 * to file; another one if something has taken it between two files.
 */
async function sharedPort(): Promise<number> {
  if (chosenPort !== undefined && (await isFree(chosenPort))) return chosenPort;
  chosenPort = await freePort();
  await idlePage?.context().close();
  idlePage = null;
  return chosenPort;
}

/** A document of the server's that runs nothing. */
const QUIET_PATH = '/console/config.json';

/** Takes out of a page what a visit has left in it; false where that cannot be done. */
async function empty(page: Page, serverUrl: string): Promise<boolean> {
  try {
    page.removeAllListeners();
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    await page.mouse.move(0, 0);
    // A page of another site would have another process, which compiles the console anew.
    await page.goto(`${serverUrl}${QUIET_PATH}`);
    await page.evaluate(() => {
      localStorage.clear();
      sessionStorage.clear();
    });
    await page.context().clearCookies();
    return true;
  } catch {
    // Such as a page that the browser shows in place of one that it could not load.
    return false;
  }
}

/** Keeps a page for another visit. */
async function putAway(page: Page, serverUrl: string): Promise<void> {
  const context = page.context();
  const isAlone = idlePage === null && context.pages().length === 1;
  if (isAlone && (await empty(page, serverUrl))) idlePage = page;
  else await context.close();
}

/** Serves a home in this process; resolves to what stops that, breaking off what is answered. */
async function serve(home: string, port: number): Promise<() => Promise<void>> {
  const config = { ...readConfig({ TICKLAKE_LOG_LEVEL: 'silent' }), home };
  const opened = await openServices(config, systemClock);
  const services = { ...opened, passwords: new Passwords(CHEAP_PASSWORDS) };
  const app = buildApp(services);
  await app.listen({ host: '127.0.0.1', port });
  return async () => {
    services.uploads.stopWaiting();
    await stopServing(app, services.connections, services.gate, 0);
    await services.close();
  };
}

/** Changes a home before its server starts. */
type PrepareHome = (home: string) => Promise<void>;

/** The server and the visits of one test file. */
class ConsoleOfFile implements TestedConsole {
  readonly #prepare: PrepareHome | undefined;
  readonly #visits: Visit[] = [];
  #home = '';
  #port = 0;
  #stop: (() => Promise<void>) | undefined;
  #browser: Browser | undefined;
  #owner: SignIn | undefined;

  constructor(prepare?: PrepareHome) {
    this.#prepare = prepare;
  }

  get isRunning(): boolean {
    return this.#browser !== undefined;
  }

  get browser(): Browser {
    if (!this.#browser) throw new Error('the browser has not been started');
    return this.#browser;
  }

  get owner(): SignIn {
    if (!this.#owner) throw new Error('the server has not been started');
    return this.#owner;
  }

  get home(): string {
    return this.#home;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  get key(): string {
    return readFileSync(demoKeyFile(this.#home), 'utf8').trim();
  }

  async begin(): Promise<void> {
    this.#home = mkdtempSync(join(tmpdir(), 'ticklake-console-'));
    cpSync(inject('demoHome'), this.#home, { recursive: true });
    await this.#prepare?.(this.#home);
    this.#port = await sharedPort();
    await this.restart();
    this.#owner = demoSignIn(this.#home);
    this.#browser = await sharedBrowser();
  }

  async restart(): Promise<void> {
    this.#stop = await serve(this.#home, this.#port);
  }

  async stop(): Promise<void> {
    await this.#stop?.();
    this.#stop = undefined;
  }

  async end(): Promise<void> {
    await this.stop();
    rmSync(this.#home, { recursive: true, force: true });
  }

  signIn(person: SignIn): Promise<SignedInPerson> {
    return signInPerson(this.url, person);
  }

  async addPerson(email: string, role: string, identityId?: number): Promise<SignIn> {
    const owner = await this.signIn(this.owner);
    const own = async () => (await owner.get('/session')).body.identity.identity_id;
    const body = { email, role, identity_id: identityId ?? (await own()) };
    const { password } = await owner.post('/people', body);
    return { email, password };
  }

  async visit(options: VisitOptions = {}): Promise<Visit> {
    const { person, theme = 'light', viewport = WIDE } = options;
    const page = await emptyPage();
    const context = page.context();
    await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' });
    await page.setViewportSize(viewport);
    if (person) {
      const { cookie } = await this.signIn(person);
      await context.addCookies([{ ...cookie, url: this.url, httpOnly: true, sameSite: 'Strict' }]);
    }
    const visit: Visit = {
      page,
      context,
      watch: new Watch(page, this.url),
      open: async (path) => {
        await page.goto(`${this.url}/console${path}`);
      },
    };
    this.#visits.push(visit);
    return visit;
  }

  /** Ends the visits of a test and throws what nobody announced. */
  async endVisits(failedTest: string | null): Promise<void> {
    const visits = this.#visits.splice(0);
    for (const [at, { page }] of visits.entries()) {
      if (failedTest === null || page.isClosed()) continue;
      const folder = join(SCREENSHOTS, 'failed');
      mkdirSync(folder, { recursive: true });
      const name = failedTest.replaceAll(/[^\w]+/g, '-').slice(0, 120);
      await page.screenshot({ path: join(folder, `${name}-${at}.png`) }).catch(() => undefined);
    }
    const faults = visits.flatMap(({ watch }) => watch.faults());
    const isKept = failedTest === null && faults.length === 0;
    for (const { page, context } of visits)
      await (isKept ? putAway(page, this.url) : context.close());
    if (faults.length > 0) throw new Error(`the visit was not clean:\n  ${faults.join('\n  ')}`);
  }
}

/** To be called once at the top of a test file. */
export function startConsole(prepare?: PrepareHome): TestedConsole {
  const tested = new ConsoleOfFile(prepare);
  if (findChromium() === null) return tested;
  beforeAll(() => tested.begin());
  afterAll(() => tested.end());
  afterEach(({ task }) =>
    tested.endVisits(task.result?.state === 'fail' ? `${task.file.name} ${task.name}` : null),
  );
  return tested;
}
