/** Waits for a state to come about, also outside of Vitest. Whoever waits has the limit. */
import { setTimeout as sleep } from 'node:timers/promises';

const LOOK_AGAIN_MS = 20;

/** Resolves once `holds` does; rejects when it rejects. */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  // Allowed: between two looks.
  while (!(await holds())) await sleep(LOOK_AGAIN_MS);
}

/** Resolves once a server answers at `url`, with any status; rejects if `child` has exited. */
export async function untilAnswers(
  url: string,
  child: { readonly exitCode: number | null; readonly signalCode: string | null },
): Promise<void> {
  await until(() => {
    const { exitCode, signalCode } = child;
    if (exitCode !== null || signalCode !== null) {
      throw new Error(`the server at ${url} ended with ${exitCode ?? signalCode}`);
    }
    return fetch(url).then(
      () => true,
      () => false,
    );
  });
}
