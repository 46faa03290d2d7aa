/** Kills a process at random moments of every act that changes a lake; what is left must agree. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import { INSTALLED_ENGINE, tryLockFile } from '../../src/installed.ts';
import { Lake } from '../../src/lake/lake.ts';
import { openHomeIndex } from '../../src/open-home.ts';
import { anyMoment } from '../any-moment.ts';
import { repetitions, sampledRuns } from '../repetitions.ts';
import { drawsOf, expectCameAcross } from '../seed.ts';
import { disagreements } from './lake-agreement.ts';

/** Acts take some tens of milliseconds each. */
const ACTING_MS = 300;
const TIMEOUT_MS = 1_800_000;

const home = mkdtempSync(join(tmpdir(), 'ticklake-kills-'));
const script = join(import.meta.dirname, 'change-until-killed.ts');
const children: ChildProcess[] = [];

afterAll(async () => {
  for (const child of children) await end(child);
  rmSync(home, { recursive: true, force: true });
});

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGKILL');
  await once(child, 'exit');
}

/** Acts of the process. */
const ACTS = [
  'publish',
  'publish both',
  'publish in steps',
  'roll back to a version',
  'roll back a publication',
  'withdraw',
  'prune',
];

/** One for each act at least. */
const KILLS = repetitions('TICKLAKE_LAKE_KILLS', Math.max(ACTS.length, sampledRuns(14)));

/** A process that is ready to begin. */
function prepare(seed: number) {
  const favourite = ACTS[seed % ACTS.length] as string;
  const child = spawn(process.execPath, [script, home, `${seed}`, favourite], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  children.push(child);
  const acts: string[] = [];
  child.stdout.on('data', (data) => acts.push(...String(data).trim().split('\n')));
  return { child, acts };
}

/** Opens the lake as the next process would, and sweeps. */
async function sweep(): Promise<void> {
  const lake = await Lake.open({
    ...{ home, index: openHomeIndex(home), clock: systemClock, actor: 'test', graceMs: -60_000 },
    storage: INSTALLED_ENGINE.openStorage({ home }, tryLockFile),
  });
  await lake.publisher.sweep();
  await lake.close();
}

it(
  `killed at any of ${KILLS} moments: ledger, index and parts agree`,
  async () => {
    const begun = Object.fromEntries(ACTS.map((act) => [act, 0]));
    const draws = drawsOf('kill changes');
    const seed = draws.integer(0, 999_999);
    let next = prepare(seed);
    for (let round = 1; round <= KILLS; round++) {
      const { child, acts } = next;
      child.stdin.write('begin\n');
      await once(child.stdout, 'data');
      next = prepare(seed + round);
      await anyMoment(draws, ACTING_MS);
      expect(child.exitCode, 'it ended by itself').toBeNull();
      await end(child);
      const last = acts.at(-1) ?? '';
      for (const act of acts) begun[act] = (begun[act] ?? 0) + 1;
      await sweep();
      // One sweep notes the dead, the next one removes what they had staged.
      await sweep();
      expect(disagreements(home), `seed ${seed + round - 1}, while it would ${last}`).toEqual([]);
    }
    if (KILLS >= 100) expectCameAcross(begun);
  },
  TIMEOUT_MS,
);
