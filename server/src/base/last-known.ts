/** Asks what may hang, and does not wait for it for long. */

/** The work's result, or `late` after some milliseconds. Rejects as the work does. */
export async function soon<T, L>(coming: Promise<T>, ms: number, late: L): Promise<T | L> {
  const { promise, resolve } = Promise.withResolvers<L>();
  const timer = setTimeout(() => resolve(late), ms);
  try {
    return await Promise.race([coming, promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** Whoever looks after a service, such as a probe, waits for a second. */
const ANSWER_MS = 700;

export interface LastKnown<T> {
  readonly value: T;
  /** True if the value is an earlier one: the question is still open. */
  readonly isOld: boolean;
}

/**
 * Answers with the last known answer if asking takes too long, with `first` before any answer.
 * While one question is open, everybody waits for that one.
 */
export function lastKnown<T>(
  ask: () => Promise<T>,
  first: T,
  answerMs = ANSWER_MS,
): () => Promise<LastKnown<T>> {
  let known = first;
  let underWay: Promise<void> | null = null;
  return async () => {
    underWay ??= ask()
      .then((answer) => {
        known = answer;
      })
      .finally(() => {
        underWay = null;
      });
    const answered = underWay.then(() => false);
    const isOld = await soon(answered, answerMs, true);
    return { value: known, isOld };
  };
}
