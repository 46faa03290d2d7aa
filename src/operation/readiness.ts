/** Whether the service can answer requests now, and if not, what keeps it from it. */
import { setTimeout as wait } from 'node:timers/promises';
import type { Services } from '../routes/endpoint.ts';

const ENGINE_ANSWER_MS = 2000;

export type CheckResult = 'ok' | 'failed';
export interface Readiness {
  readonly ready: boolean;
  /** `starting` before the server listens, `stopping` from the moment it is asked to end. */
  readonly server: 'starting' | 'ok' | 'stopping';
  readonly store: CheckResult;
  readonly lake: CheckResult;
  readonly engine: CheckResult;
}

/** It can be read, and takes what is counted: without that, every caller is refused. */
function storeAnswers({ store, usage }: Services): boolean {
  try {
    store.identities.find(0);
    return !usage.isFull;
  } catch {
    return false;
  }
}

async function engineAnswers({ engine }: Services): Promise<boolean> {
  const giveUp = new AbortController();
  try {
    return await Promise.race([
      engine.check().then(() => true),
      wait(ENGINE_ANSWER_MS, false, { signal: giveUp.signal, ref: false }),
    ]);
  } catch {
    return false;
  } finally {
    giveUp.abort();
  }
}

/** A question about readiness; those asked while one is being answered get its answer. */
export function readinessProbe(
  services: Services,
  serverState: () => Readiness['server'],
): () => Promise<Readiness> {
  const result = (isOk: boolean): CheckResult => (isOk ? 'ok' : 'failed');
  const ask = async (): Promise<Readiness> => {
    const engine = result(await engineAnswers(services));
    const store = result(storeAnswers(services));
    const lake = result(services.lake.isReadable());
    const server = serverState();
    const ready = [engine, store, lake, server].every((part) => part === 'ok');
    return { ready, server, store, lake, engine };
  };
  let underWay: Promise<Readiness> | null = null;
  return () => {
    underWay ??= ask().finally(() => {
      underWay = null;
    });
    return underWay;
  };
}
