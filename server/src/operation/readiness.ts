/** Whether the service can answer requests now, and if not, what keeps it from it. */
import { setTimeout as wait } from 'node:timers/promises';
import { diskWarning } from '../base/disk-problem.ts';
import type { EngineReader } from '../engine/engine.ts';
import type { Lake } from '../lake/lake.ts';
import type { UsageMeter } from '../quota/usage-meter.ts';
import type { ControlStore } from '../store/control-store.ts';
import { storageProblem } from '../store/store-errors.ts';

const ENGINE_ANSWER_MS = 2000;

export type CheckResult = 'ok' | 'failed';
export interface Readiness {
  readonly ready: boolean;
  /** `starting` before the server listens, `stopping` from the moment it is asked to end. */
  readonly server: 'starting' | 'ok' | 'stopping';
  readonly store: CheckResult;
  readonly lake: CheckResult;
  readonly engine: CheckResult;
  /** The problem of each part that is not `ok`; empty when ready. */
  readonly problems: readonly string[];
  /** What keeps nobody from being answered, and somebody should look after soon. */
  readonly warnings: readonly string[];
}

/** The parts that have to work. */
export interface ReadinessSources {
  readonly store: ControlStore;
  readonly usage: Pick<UsageMeter, 'isFull'>;
  readonly lake: Lake;
  readonly engine: Pick<EngineReader, 'check' | 'warning'>;
  readonly config: { readonly home: string };
}

/** The problem of the store, which has to be readable and writable; null if there is none. */
async function storeProblem({ store, usage }: ReadinessSources): Promise<string | null> {
  try {
    // A warning tells of it. Other servers could not do more, and nobody would be left.
    if (store.outage && !usage.isFull) return null;
    await store.identities.find(0);
    const problem = store.writes.problem();
    if (usage.isFull) return `${problem ?? 'usage cannot be saved'}; requests are refused`;
    return problem;
  } catch (error) {
    return storageProblem(error) ?? 'it cannot be read';
  }
}

async function engineAnswers({ engine }: ReadinessSources): Promise<boolean> {
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

async function lakeProblem({ lake }: ReadinessSources): Promise<string | null> {
  if (!(await lake.isReadable())) return 'its index cannot be read';
  return (await lake.movedAway()) ?? lake.damage();
}

/** Parts that only earlier versions have are missed by those alone who read the past. */
function lakeWarning({ lake }: ReadinessSources): string | null {
  const damaged = lake.damagedParts().filter(({ isCurrent }) => !isCurrent);
  const [first] = damaged;
  if (!first) return null;
  const others = damaged.length > 1 ? `, and ${damaged.length - 1} more` : '';
  return `of an earlier version, ${first.message}${others}`;
}

function outageWarning({ store: { outage } }: ReadinessSources): string | null {
  if (!outage) return null;
  const seconds = Math.ceil(outage.graceMs / 1000);
  return `${outage.reason}; requests of known callers go on for ${seconds} s, changes and sign-ins are refused`;
}

/** Of an engine that does not answer at all, the problem tells. */
async function engineWarning({ engine }: ReadinessSources): Promise<string | null> {
  return await engine.warning().catch(() => null);
}

async function warningsOf(sources: ReadinessSources): Promise<string[]> {
  const found = {
    store: outageWarning(sources),
    lake: lakeWarning(sources),
    engine: await engineWarning(sources),
    disk: diskWarning(sources.config.home),
  };
  return Object.entries(found).flatMap(([part, warning]) =>
    warning === null ? [] : [`${part}: ${warning}`],
  );
}

/** A question about readiness; those asked while one is being answered get its answer. */
export function readinessProbe(
  sources: ReadinessSources,
  serverState: () => Readiness['server'],
): () => Promise<Readiness> {
  const ask = async (): Promise<Readiness> => {
    const warnings = warningsOf(sources);
    const engine = (await engineAnswers(sources)) ? null : 'it does not answer';
    const server = serverState();
    const found = {
      server: server === 'ok' ? null : `it is ${server}`,
      store: await storeProblem(sources),
      lake: await lakeProblem(sources),
      engine,
    };
    const result = (problem: string | null): CheckResult => (problem === null ? 'ok' : 'failed');
    const problems = Object.entries(found).flatMap(([part, problem]) =>
      problem === null ? [] : [`${part}: ${problem}`],
    );
    return {
      ready: problems.length === 0,
      server,
      store: result(found.store),
      lake: result(found.lake),
      engine: result(found.engine),
      problems,
      warnings: await warnings,
    };
  };
  let underWay: Promise<Readiness> | null = null;
  return () => {
    underWay ??= ask().finally(() => {
      underWay = null;
    });
    return underWay;
  };
}
