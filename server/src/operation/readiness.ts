/** Readiness of the service, and the problems that keep it from answering. */
import { diskWarning } from '../base/disk-problem.ts';
import { lastKnown, soon } from '../base/last-known.ts';
import type { EngineReader } from '../engine/engine.ts';
import type { Lake } from '../lake/lake.ts';
import type { UsageMeter } from '../quota/usage-meter.ts';
import type { ControlStore } from '../store/control-store.ts';
import { storageProblem } from '../store/store-errors.ts';

const ENGINE_ANSWER_MS = 2000;
const SILENT = 'it does not answer';

const PARTS = ['server', 'store', 'lake', 'engine', 'disk'] as const;
/** Parts that have warnings. */
export const WARNED_PARTS = ['store', 'lake', 'engine', 'disk'] as const;

/** A problem of a part. */
export interface PartProblem {
  readonly part: (typeof PARTS)[number];
  readonly text: string;
}

export const problemLines = (problems: readonly PartProblem[]) =>
  problems.map(({ part, text }) => `${part}: ${text}`);

export type CheckResult = 'ok' | 'failed';
export interface Readiness {
  readonly ready: boolean;
  /** `starting` before the server listens, `stopping` from the moment it is asked to end. */
  readonly server: 'starting' | 'ok' | 'stopping';
  readonly store: CheckResult;
  readonly lake: CheckResult;
  readonly engine: CheckResult;
  /** The problem of each part that is not `ok`; empty when ready. */
  readonly problems: readonly PartProblem[];
  /** Problems that stop no answer but need attention soon. */
  readonly warnings: readonly PartProblem[];
  /** Facts that are not known yet; nobody needs to act on them. */
  readonly notes: readonly PartProblem[];
}

/** The parts that must work. */
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
    await store.catchUp();
    await store.accounts.find(0);
    const problem = store.writes.problem();
    if (usage.isFull) return `${problem ?? 'usage cannot be saved'}; requests are refused`;
    return problem;
  } catch (error) {
    return storageProblem(error) ?? 'it cannot be read';
  }
}

async function engineProblem({ engine }: ReadinessSources): Promise<string | null> {
  const checked = engine.check().then(
    () => null,
    () => SILENT,
  );
  return await soon(checked, ENGINE_ANSWER_MS, SILENT);
}

async function lakeProblem({ lake, store }: ReadinessSources): Promise<string | null> {
  if (!(await lake.isReadable())) return 'its index cannot be read';
  return (store.outage ? null : await lake.movedAway()) ?? lake.damaged.current();
}

/** Parts that only earlier versions have are missed by those alone who read the past. */
function lakeWarning({ lake }: ReadinessSources): string | null {
  if (lake.owner.problem !== null) return lake.owner.problem;
  const [first, ...others] = lake.damaged.list().filter(({ isCurrent }) => !isCurrent);
  if (!first) return null;
  const more = others.length > 0 ? `, and ${others.length} more` : '';
  return `of an earlier version, ${first.message}${more}`;
}

function outageWarning({ store: { outage } }: ReadinessSources): string | null {
  if (!outage) return null;
  const seconds = Math.ceil(outage.graceMs / 1000);
  return `${outage.reason}; requests of known callers go on for ${seconds} s, changes and sign-ins are refused`;
}

/** If the engine is down, `problems` already says so. */
async function engineWarning({ engine }: ReadinessSources): Promise<string | null> {
  return await engine.warning().catch(() => null);
}

/** The parts with a text. */
function problemsOf(texts: Partial<Readonly<Record<PartProblem['part'], string | null>>>) {
  return PARTS.flatMap((part): PartProblem[] => {
    const text = texts[part] ?? null;
    return text === null ? [] : [{ part, text }];
  });
}

async function warningsOf(sources: ReadinessSources): Promise<PartProblem[]> {
  return problemsOf({
    store: outageWarning(sources),
    lake: lakeWarning(sources),
    engine: await engineWarning(sources),
    disk: diskWarning(sources.config.home),
  });
}

function lakeNote({ lake }: ReadinessSources): string | null {
  return lake.damaged.hasLooked ? null : 'not all of its files have been looked at yet';
}

/**
 * A question about readiness. A part that does not answer soon is as it was known last, which a
 * warning tells, so that one that hangs holds up neither the answer nor the other parts.
 */
export function readinessProbe(
  sources: ReadinessSources,
  serverState: () => Readiness['server'],
): () => Promise<Readiness> {
  const problemOf = (ask: (sources: ReadinessSources) => Promise<string | null>) =>
    lastKnown<string | null>(() => ask(sources), SILENT);
  const asks = [problemOf(storeProblem), problemOf(lakeProblem), problemOf(engineProblem)] as const;
  const warnings = lastKnown(() => warningsOf(sources), []);
  return async () => {
    const asked = [asks[0](), asks[1](), asks[2](), warnings()] as const;
    const [store, lake, engine, warned] = await Promise.all(asked);
    const server = serverState();
    const problems = problemsOf({
      ...{ server: server === 'ok' ? null : `it is ${server}` },
      ...{ store: store.value, lake: lake.value, engine: engine.value },
    });
    const silence = ({ value, isOld }: typeof store) =>
      isOld && value === null ? `${SILENT}; so far it was all right` : null;
    const silent = { store: silence(store), lake: silence(lake), engine: silence(engine) };
    const result = ({ value }: typeof store): CheckResult => (value === null ? 'ok' : 'failed');
    return {
      ...{ ready: problems.length === 0, server },
      ...{ store: result(store), lake: result(lake), engine: result(engine) },
      ...{ problems, warnings: [...warned.value, ...problemsOf(silent)] },
      notes: problemsOf({ lake: lakeNote(sources) }),
    };
  };
}
