/**
 * `npm run test:mutants`: puts faults into the product, one at a time, and runs tests until one
 * notices. docs/testing.md says how to read what it prints.
 */
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { AREAS, areaFolder } from './areas.ts';
import { idOf, mutantsOfFolder, sampleOf } from './mutants.ts';
import { namedFaults } from './named-faults.ts';
import { isGoodEnough, outdatedSurvivors, reportOf } from './report.ts';
import { type Fault, type Outcome, tryFaults } from './try-faults.ts';

const root = join(import.meta.dirname, '../../..');

const { values: options } = parseArgs({
  options: {
    named: { type: 'boolean', default: false },
    area: { type: 'string', multiple: true, default: [] },
    file: { type: 'string', default: '' },
    each: { type: 'string', default: '100' },
    all: { type: 'boolean', default: false },
    seed: { type: 'string', default: '1' },
    workers: { type: 'string', default: String(availableParallelism()) },
    output: { type: 'string' },
    again: { type: 'string' },
  },
});

// Any end of the process removes the sandboxes.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));

const print = (text: string) => process.stdout.write(`${text}\n`);

function faultsOf(area: string): Fault[] {
  const patterns = [`${areaFolder(area)}/**/*.test.ts`, ...(AREAS[area] ?? [])];
  const tests = globSync(patterns, { cwd: root });
  const mutants = mutantsOfFolder(root, areaFolder(area)).filter(({ file }) =>
    file.endsWith(options.file),
  );
  const count = options.all ? mutants.length : Number(options.each);
  return sampleOf(mutants, count, options.seed).map((mutant) => ({ ...mutant, tests }));
}

/** Mutants that were killed in the run that `--again` names; by what each mutant says, as lines may move. */
function killedBefore(): ReadonlyMap<string, Outcome> {
  if (options.again === undefined) return new Map();
  const outcomes: Outcome[] = JSON.parse(readFileSync(options.again, 'utf8'));
  const killed = outcomes.filter(({ verdict }) => verdict === 'killed');
  return new Map(killed.map((outcome) => [idOf(outcome), outcome]));
}

const known = killedBefore();

async function outcomesOf(faults: readonly Fault[]): Promise<Outcome[]> {
  const killed = faults.map((fault) => known.get(idOf(fault))).filter((outcome) => !!outcome);
  const untried = faults.filter((fault) => !known.has(idOf(fault)));
  let tried = 0;
  const outcomes = await tryFaults(root, untried, Number(options.workers), (outcome) => {
    tried += 1;
    const { verdict, file, lineNumber, change } = outcome;
    print(`${tried}/${untried.length} ${verdict}: ${file}:${lineNumber} ${change}`);
  });
  return [...killed, ...outcomes];
}

const runs: [name: string, faults: () => Fault[]][] = [
  ...(options.area.length === 0 ? [['named faults', () => namedFaults(root)] as const] : []),
  ...(options.named ? [] : options.area.length === 0 ? Object.keys(AREAS) : options.area).map(
    (area) => [area, () => faultsOf(area)] as const,
  ),
].map(([name, faults]) => [name, faults]);

const all: Outcome[] = [];
for (const [name, faults] of runs) {
  const outcomes = await outcomesOf(faults());
  all.push(...outcomes);
  print(reportOf(name, outcomes));
  if (!isGoodEnough(outcomes)) process.exitCode = 1;
}

const outdated = outdatedSurvivors(
  Object.keys(AREAS).flatMap((area) => mutantsOfFolder(root, areaFolder(area))),
);
for (const survivor of outdated) print(`no longer made, but in survivors.json: ${survivor}`);

if (options.output) {
  const kept = all.map(({ text: _text, source: _source, tests: _tests, ...outcome }) => outcome);
  writeFileSync(options.output, JSON.stringify(kept, null, 2));
}
