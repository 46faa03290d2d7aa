/** What an operator should know of a derivation: each text once, and no more than can be read. */

const WARNINGS_MAX = 1000;
/** Of a dataset: some of them are left out, because another one has told them. */
const GATHERED_MAX = 10_000;

export class Warnings {
  readonly #texts = new Set<string>();

  readonly add = (text: string): void => {
    if (this.#texts.size < GATHERED_MAX) this.#texts.add(text);
  };

  get texts(): readonly string[] {
    return [...this.#texts];
  }
}

/** The reports as they are told: what is said of ticks is said once, whatever comes from them. */
export function withoutTold<T extends { readonly warnings: readonly string[] }>(
  reports: readonly T[],
): T[] {
  const told = new Set<string>();
  return reports.map((report) => {
    const own = report.warnings.filter((text) => !told.has(text));
    const warnings = own.slice(0, WARNINGS_MAX);
    for (const text of warnings) told.add(text);
    return { ...report, warnings };
  });
}
