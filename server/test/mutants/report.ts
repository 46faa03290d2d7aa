/** The findings of a run as text, and whether they are good enough. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { idOf, type Mutant } from './mutants.ts';
import type { Outcome } from './try-faults.ts';

/** At least this share of the mutants of every area has to be killed, in percent. */
const KILLED_PERCENT_MIN = 92;

/** A mutant that no test can or need notice, and why. */
interface Survivor {
  readonly file: string;
  readonly line: string;
  readonly change: string;
  readonly reason: string;
}

const SURVIVORS: readonly Survivor[] = JSON.parse(
  readFileSync(join(import.meta.dirname, 'survivors.json'), 'utf8'),
);

const REASONS = new Map(SURVIVORS.map((survivor) => [idOf(survivor), survivor.reason]));

const survivorsOf = (outcomes: readonly Outcome[]): Outcome[] =>
  outcomes.filter(({ verdict }) => verdict === 'survived');

function described(outcome: Outcome): string {
  const { file, lineNumber, change, line } = outcome;
  const reason = REASONS.get(idOf(outcome)) ?? 'NO REASON GIVEN';
  return `  ${file}:${lineNumber}: ${change}\n      ${line}\n      ${reason}`;
}

/** The figures of a run, and each fault that no test noticed. */
export function reportOf(name: string, outcomes: readonly Outcome[]): string {
  const survivors = survivorsOf(outcomes);
  const killed = outcomes.length - survivors.length;
  const percent = ((100 * killed) / outcomes.length).toFixed(1);
  const timedOut = outcomes.filter(({ verdict }) => verdict === 'timed out').length;
  const loops = timedOut === 0 ? '' : `, ${timedOut} of them by running out of time or memory`;
  const head = `${name}: ${killed} of ${outcomes.length} killed (${percent} %)${loops}`;
  return [head, ...survivors.map(described)].join('\n');
}

/** Not if too few were killed, or one survives without a reason. */
export function isGoodEnough(outcomes: readonly Outcome[]): boolean {
  const survivors = survivorsOf(outcomes);
  const killed = outcomes.length - survivors.length;
  return (
    100 * killed >= KILLED_PERCENT_MIN * outcomes.length &&
    survivors.every((outcome) => REASONS.has(idOf(outcome)))
  );
}

/** Those with a reason whose mutant is made no more, because the code has changed. */
export function outdatedSurvivors(mutants: readonly Mutant[]): string[] {
  const made = new Set(mutants.map(idOf));
  return SURVIVORS.filter((survivor) => !made.has(idOf(survivor))).map(
    ({ file, line, change }) => `${file}: ${change} in \`${line}\``,
  );
}
