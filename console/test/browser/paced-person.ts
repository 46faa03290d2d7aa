/**
 * Somebody at a page who clicks, types and reads, and takes a person's time for it: a fixed time
 * for each act. What the machine takes is no part of it, so that the same acts are the same time
 * everywhere.
 */
import type { Locator, Page } from 'playwright-core';

/** To find what one wants to click, and to click it; or to press a key or paste a text. */
const ACT_SECONDS = 1;
/** As those type who write a name or a password that they have just made up. */
const CHARACTER_SECONDS = 0.2;
/** Pace of reading a text without studying it. */
const WORDS_PER_SECOND = 4;
/** To find a figure, or to see what kind of table or picture this is. */
const GLANCE_SECONDS = 2;

export class PacedPerson {
  readonly page: Page;
  readonly #what: string;
  #paceSeconds = 0;

  /** `what`: how the output calls them. */
  constructor(page: Page, what: string) {
    this.page = page;
    this.#what = what;
  }

  /** Acts that leave no trace in the page, such as those in a terminal. */
  act(count = 1): void {
    this.#paceSeconds += count * ACT_SECONDS;
  }

  async open(address: string): Promise<void> {
    this.act();
    await this.page.goto(address);
  }

  async click(target: Locator): Promise<void> {
    this.act();
    await target.click();
  }

  async press(key: string): Promise<void> {
    this.act();
    await this.page.keyboard.press(key);
  }

  /** Types into a field, after a click that gives it the focus. */
  async type(field: Locator, text: string): Promise<void> {
    await this.click(field);
    this.#paceSeconds += text.length * CHARACTER_SECONDS;
    await field.pressSequentially(text);
  }

  /** Opens the list of a field and clicks an option of it. */
  async choose(field: Locator, option: string): Promise<void> {
    await this.click(field);
    await this.click(this.page.getByRole('option', { name: option, exact: true }));
  }

  /** Reads all of a text, once it is there. */
  async read(text: Locator): Promise<void> {
    const words = (await text.innerText()).split(/\s+/).filter(Boolean);
    this.#paceSeconds += words.length / WORDS_PER_SECOND;
  }

  /** Looks where something is expected to be, once it is there. */
  async glance(at: Locator): Promise<void> {
    await at.waitFor();
    this.#paceSeconds += GLANCE_SECONDS;
  }

  /** Seconds of the acts since the beginning; printed with what they were for. */
  secondsUntil(moment: string): number {
    process.stdout.write(`${this.#what}, ${moment}: ${this.#paceSeconds.toFixed(1)} s\n`);
    return this.#paceSeconds;
  }
}
