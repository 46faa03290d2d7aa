/** What an operator should know of a derivation: each text once, and no more than can be read. */

const WARNINGS_MAX = 1000;

export class Warnings {
  readonly #texts = new Set<string>();
  readonly #told: Set<string>;

  /** `told` has the texts of other datasets: what is said of ticks is said once, whatever comes from them. */
  constructor(told: Set<string>) {
    this.#told = told;
  }

  readonly add = (text: string): void => {
    if (this.#texts.size >= WARNINGS_MAX || this.#told.has(text)) return;
    this.#texts.add(text);
    this.#told.add(text);
  };

  get texts(): readonly string[] {
    return [...this.#texts];
  }
}
