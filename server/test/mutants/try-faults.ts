/** Tries faults in sandboxes, side by side: each until a test fails or no test is left. */
import type { Mutant } from './mutants.ts';
import { Sandbox, type Verdict } from './sandbox.ts';

/** A mutant, and the files of tests that have to notice it. */
export interface Fault extends Mutant {
  readonly tests: readonly string[];
}

export interface Outcome extends Fault {
  readonly verdict: 'killed' | 'timed out' | 'survived';
  /** The file of tests that noticed it. */
  readonly by: string | null;
}

/** Time that a test is assumed to need before it has passed once. */
const UNKNOWN_MS = 15_000;

/**
 * Far above what a test takes on a busy machine, and no longer: a fault that never ends costs it
 * twice.
 */
const limitMs = (usualMs = UNKNOWN_MS): number => 30_000 + 5 * usualMs;

/** Takes the items one by one, in each of the sandboxes. */
async function share<T>(
  sandboxes: readonly Sandbox[],
  items: readonly T[],
  work: (sandbox: Sandbox, item: T) => Promise<void>,
): Promise<void> {
  const left = items[Symbol.iterator]();
  await Promise.all(
    sandboxes.map(async (sandbox) => {
      for (const item of left) await work(sandbox, item);
    }),
  );
}

/** The test beside the file first, then what has killed most in that file, then the quick ones. */
class TestOrder {
  /** How long each took when it passed first. */
  readonly #usualMs = new Map<string, number>();
  /** Those that fail without any fault. */
  readonly #broken = new Set<string>();
  readonly #kills = new Map<string, number>();

  /** Runs the test, with the fault or without it. */
  async run(sandbox: Sandbox, test: string, file: string, text: string): Promise<Verdict> {
    const startedAtMs = performance.now();
    const verdict = await sandbox.run({ file, text, test }, limitMs(this.#usualMs.get(test)));
    if (verdict === 'passed' && !this.#usualMs.has(test)) {
      this.#usualMs.set(test, performance.now() - startedAtMs);
    }
    return verdict;
  }

  /** A test that has never passed is left out from now on, any other for this fault alone. */
  failedWithoutFault(test: string, verdict: Verdict): void {
    const hasPassed = this.#usualMs.has(test);
    if (!hasPassed) this.#broken.add(test);
    const span = hasPassed ? 'for this fault' : 'from now on';
    process.stderr.write(`${test} ${verdict} without any fault, and is left out ${span}\n`);
  }

  killed(file: string, test: string): void {
    const key = `${file} ${test}`;
    this.#kills.set(key, (this.#kills.get(key) ?? 0) + 1);
  }

  of({ file, tests }: Fault): string[] {
    const beside = file.replace(/\.ts$/, '.test.ts');
    const rank = (test: string) => (test === beside ? -1 : 0);
    const kills = (test: string) => this.#kills.get(`${file} ${test}`) ?? 0;
    const usualMs = (test: string) => this.#usualMs.get(test) ?? UNKNOWN_MS;
    return tests
      .filter((test) => !this.#broken.has(test))
      .toSorted((a, b) => rank(a) - rank(b) || kills(b) - kills(a) || usualMs(a) - usualMs(b));
  }
}

/**
 * A test that fails counts if it passes without the fault and fails with it again: on a busy machine
 * one may fail, or run out of time, by itself.
 */
async function tryFault(sandbox: Sandbox, fault: Fault, order: TestOrder): Promise<Outcome> {
  const { file, text, source } = fault;
  for (const test of order.of(fault)) {
    const runWith = (content: string) => order.run(sandbox, test, file, content);
    if ((await runWith(text)) === 'passed') continue;
    const usual = await runWith(source);
    if (usual !== 'passed') {
      order.failedWithoutFault(test, usual);
      continue;
    }
    const verdict = await runWith(text);
    if (verdict === 'passed') continue;
    order.killed(file, test);
    return { ...fault, verdict: verdict === 'failed' ? 'killed' : verdict, by: test };
  }
  return { ...fault, verdict: 'survived', by: null };
}

/** Their outcomes, in the order in which they are known; `tell` hears of each at once. */
export async function tryFaults(
  root: string,
  faults: readonly Fault[],
  workers: number,
  tell: (outcome: Outcome) => void,
): Promise<Outcome[]> {
  const sandboxes = Array.from({ length: workers }, () => new Sandbox(root));
  const outcomes: Outcome[] = [];
  try {
    const order = new TestOrder();
    await share(sandboxes, faults, async (sandbox, fault) => {
      const outcome = await tryFault(sandbox, fault, order);
      sandbox.restore(fault.file, fault.source);
      outcomes.push(outcome);
      tell(outcome);
    });
  } finally {
    await Promise.all(sandboxes.map((sandbox) => sandbox.close()));
  }
  return outcomes;
}
