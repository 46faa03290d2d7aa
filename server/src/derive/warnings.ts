/** What an operator should know of a derivation: each text once, and no more than can be read. */

const WARNINGS_MAX = 1000;

export class Warnings {
  readonly #texts = new Set<string>();

  readonly add = (text: string): void => {
    if (this.#texts.size < WARNINGS_MAX) this.#texts.add(text);
  };

  get texts(): readonly string[] {
    return [...this.#texts];
  }
}
