/**
 * Tasks as people do them, in Chromium, in Firefox and on a phone by the same words. Clicks are
 * counted; typing, signing in and opening a phone's menu are not.
 */
import type { Page } from 'playwright-core';
import puppeteer, { type Browser, type KeyInput } from 'puppeteer-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { findFirefox } from './find-firefox.ts';
import { FirefoxVisit } from './firefox-visit.ts';
import { type TestedConsole, WAIT_MS } from './harness.ts';
import type { SignIn } from './person.ts';
import { overflowOf } from './screens.ts';

export interface TaskVisit {
  /** So far. */
  clicks: number;
  open(path: string): Promise<void>;
  /** Waits for an element of a role and a whole name. */
  see(role: string, name: string): Promise<void>;
  /** Waits for a text. */
  read(text: string): Promise<void>;
  /** Waits for a picture with this part of a name. */
  seePicture(part: string): Promise<void>;
  /** Types into the field of this name in its form. */
  fill(field: string, text: string): Promise<void>;
  click(role: string, name: string): Promise<void>;
  /** Types into what has the focus. */
  type(text: string): Promise<void>;
  press(key: string): Promise<void>;
  evaluate<T>(read: () => T): Promise<T>;
}

type Role = Parameters<Page['getByRole']>[0];

const pictureOf = (part: string) => `[role="img"][aria-label*="${part}"]`;
const fieldOf = (name: string) => `input:is([name="${name}"], [aria-label="${name}"])`;

class ChromiumVisit implements TaskVisit {
  readonly #page: Page;
  readonly #url: string;
  readonly #hasMenu: boolean;
  clicks = 0;

  constructor(page: Page, url: string, hasMenu: boolean) {
    this.#page = page;
    this.#url = url;
    this.#hasMenu = hasMenu;
  }

  /** Opens the menu if the link is in there. */
  async #reach(name: string): Promise<void> {
    const link = this.#page.getByRole('link', { name, exact: true, includeHidden: true }).first();
    await link.waitFor({ state: 'attached' });
    const isInMenu = await link.evaluate((each) => each.closest('#navigation') !== null);
    if (isInMenu) await this.#page.getByRole('button', { name: 'Menu' }).click();
  }

  #find(role: string, name: string) {
    return this.#page.getByRole(role as Role, { name, exact: true }).first();
  }

  async open(path: string): Promise<void> {
    await this.#page.goto(new URL(path, this.#url).href);
  }

  see(role: string, name: string): Promise<void> {
    return this.#find(role, name).waitFor();
  }

  read(text: string): Promise<void> {
    return this.#page.getByText(text).first().waitFor();
  }

  seePicture(part: string): Promise<void> {
    return this.#page.locator(pictureOf(part)).first().waitFor();
  }

  fill(field: string, text: string): Promise<void> {
    return this.#page.locator(fieldOf(field)).fill(text);
  }

  async click(role: string, name: string): Promise<void> {
    this.clicks += 1;
    if (this.#hasMenu && role === 'link') await this.#reach(name);
    await this.#find(role, name).click();
  }

  type(text: string): Promise<void> {
    return this.#page.keyboard.type(text);
  }

  press(key: string): Promise<void> {
    return this.#page.keyboard.press(key);
  }

  evaluate<T>(read: () => T): Promise<T> {
    return this.#page.evaluate(read);
  }
}

class FirefoxTask implements TaskVisit {
  readonly #visit: FirefoxVisit;
  readonly see: TaskVisit['see'];
  readonly read: TaskVisit['read'];
  readonly open: TaskVisit['open'];
  readonly click: TaskVisit['click'];

  constructor(visit: FirefoxVisit) {
    this.#visit = visit;
    this.see = visit.see.bind(visit);
    this.read = (text) => visit.read(text);
    this.open = visit.open.bind(visit);
    this.click = visit.click.bind(visit);
  }

  get clicks(): number {
    return this.#visit.clicks;
  }

  set clicks(count: number) {
    this.#visit.clicks = count;
  }

  async seePicture(part: string): Promise<void> {
    await this.#visit.page.locator(pictureOf(part)).wait();
  }

  async fill(field: string, text: string): Promise<void> {
    await this.#visit.page.focus(fieldOf(field));
    await this.type(text);
  }

  type(text: string): Promise<void> {
    return this.#visit.page.keyboard.type(text);
  }

  async press(keys: string): Promise<void> {
    const { keyboard } = this.#visit.page;
    const held = keys.split('+') as KeyInput[];
    const key = held.pop();
    for (const each of held) await keyboard.down(each);
    if (key) await keyboard.press(key);
    for (const each of held) await keyboard.up(each);
  }

  evaluate<T>(read: () => T): Promise<T> {
    return this.#visit.page.evaluate(read) as Promise<T>;
  }
}

const PHONE = { width: 390, height: 844 };

type Act = (visit: TaskVisit) => Promise<void>;
type Visiting = (person: SignIn | null, act: Act) => Promise<void>;
type Task = (visiting: Visiting, browserName: string) => Promise<void>;

/** To be called once in a file: gives what has each task done in both browsers. */
export function tasksOf(tested: TestedConsole): (name: string, task: Task) => void {
  const firefox = findFirefox();
  let browser: Browser;
  beforeAll(async () => {
    if (firefox === null || !tested.isRunning) return;
    const timeouts = { timeout: WAIT_MS, protocolTimeout: WAIT_MS };
    browser = await puppeteer.launch({ browser: 'firefox', executablePath: firefox, ...timeouts });
  });
  afterAll(() => browser?.close());

  const inChromium =
    (viewport?: typeof PHONE): Visiting =>
    async (person, act) => {
      const { page } = await tested.visit({
        ...(person && { person }),
        ...(viewport && { viewport }),
      });
      await act(new ChromiumVisit(page, tested.url, viewport === PHONE));
      if (viewport) expect(await overflowOf(page)).toBe(0);
    };
  const inFirefox: Visiting = async (person, act) => {
    const visit = await FirefoxVisit.begin(browser, tested.url);
    try {
      if (person) {
        const { cookie } = await tested.signIn(person);
        const { hostname: domain } = new URL(tested.url);
        const kept = { ...cookie, domain, path: '/', httpOnly: true, sameSite: 'Strict' } as const;
        await visit.page.browserContext().setCookie({ ...kept, secure: false, expires: -1 });
      }
      await act(new FirefoxTask(visit));
    } catch (error) {
      await visit.end().catch(() => undefined);
      throw error;
    }
    await visit.end();
  };
  return (name, task) => {
    it(`${name}, in Chromium`, () => task(inChromium(), 'chromium'));
    it(`${name}, on a phone`, () => task(inChromium(PHONE), 'phone'));
    it.skipIf(firefox === null)(`${name}, in Firefox`, () => task(inFirefox, 'firefox'));
  };
}
