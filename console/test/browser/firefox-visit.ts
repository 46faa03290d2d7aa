/**
 * A visit in Firefox, by WebDriver BiDi, which every Firefox speaks: cookies and storage of its
 * own, and elements by the role and the name that Firefox itself tells a screen reader.
 */
import type { Browser, BrowserContext, HTTPResponse, Locator, Page } from 'puppeteer-core';
import { WAIT_MS, WIDE } from './harness.ts';

/** Addresses for which nothing is sent. */
const SENT_NOTHING = /^data:|^blob:|^about:/;

export class FirefoxVisit {
  readonly page: Page;
  readonly #context: BrowserContext;
  readonly #url: string;
  readonly #faults: string[] = [];
  clicks = 0;

  private constructor(context: BrowserContext, page: Page, url: string) {
    this.#context = context;
    this.page = page;
    this.#url = url;
    page.on('console', (message) => {
      if (message.type() === 'error') this.#faults.push(`console error: ${message.text()}`);
    });
    page.on('pageerror', (error) => this.#faults.push(`page error: ${error}`));
    page.on('request', (request) => this.#onRequest(request.url()));
    page.on('response', (response) => this.#onResponse(response));
  }

  static async begin(browser: Browser, url: string): Promise<FirefoxVisit> {
    const context = await browser.createBrowserContext();
    const page = await context.newPage();
    page.setDefaultTimeout(WAIT_MS);
    await page.setViewport(WIDE);
    return new FirefoxVisit(context, page, url);
  }

  #onRequest(address: string): void {
    if (SENT_NOTHING.test(address) || address.startsWith(`${this.#url}/`)) return;
    this.#faults.push(`request to another host: ${address}`);
  }

  #onResponse(response: HTTPResponse): void {
    if (response.status() >= 400)
      this.#faults.push(`answer ${response.status()}: ${response.url()}`);
  }

  /** Opens a path of the server, or an address of it. */
  async open(address: string): Promise<void> {
    await this.page.goto(new URL(address, this.#url).href);
  }

  /** Waits for an element of a role and a name, as a person would who is told both. */
  see(role: string, name: string): Promise<void> {
    return this.#find(named(role, name), (found) => found.wait());
  }

  /** Waits for a text, within whatever a selector finds. */
  read(text: string, within = ''): Promise<void> {
    return this.#find(`${within} ::-p-text(${text})`, (found) => found.wait());
  }

  click(role: string, name: string): Promise<void> {
    return this.clickOn(named(role, name));
  }

  /** Clicks what a selector finds that has no name of its own. */
  clickOn(selector: string): Promise<void> {
    this.clicks += 1;
    return this.#find(selector, (found) => found.click());
  }

  async type(role: string, name: string, text: string): Promise<void> {
    await this.click(role, name);
    await this.page.keyboard.type(text);
  }

  /** Types into a field of a form, by its name there; passwords have no role. */
  async fill(field: string, text: string): Promise<void> {
    await this.clickOn(`input[name="${field}"]`);
    await this.page.keyboard.type(text);
  }

  /** Acts on what a selector finds; the failure names it, which Puppeteer's own does not. */
  async #find(selector: string, act: (found: Locator<Element>) => Promise<unknown>): Promise<void> {
    try {
      await act(this.page.locator(selector) as Locator<Element>);
    } catch (error) {
      throw new Error(`${selector} on ${this.page.url()}: ${error}`, { cause: error });
    }
  }

  /** Ends the visit, and throws what went wrong in it. */
  async end(): Promise<void> {
    await this.#context.close();
    if (this.#faults.length > 0)
      throw new Error(`the visit was not clean:\n  ${this.#faults.join('\n  ')}`);
  }
}

function named(role: string, name: string): string {
  return `::-p-aria([name="${name}"][role="${role}"])`;
}
