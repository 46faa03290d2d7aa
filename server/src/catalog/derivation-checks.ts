/** Checks what definitions are derived from, each by itself and against the others. */

import type { Dataset } from './dataset.ts';
import type { DefinitionFile } from './definition-file.ts';
import type { ComputationName, Derivation } from './derivation.ts';
import { COMPUTATION_MEANINGS } from './derivation.ts';

type Field = 'inputs' | 'computation' | 'parameters';
type Fault = (file: DefinitionFile, field: Field, message: string) => void;

function inputsText(computation: ComputationName): string {
  return COMPUTATION_MEANINGS[computation].inputs.join(', ');
}

function checkInputs(
  file: DefinitionFile,
  { computation, inputs }: Derivation,
  known: ReadonlyMap<string, Dataset>,
  fault: Fault,
): void {
  const { length } = COMPUTATION_MEANINGS[computation].inputs;
  if (inputs.length !== length) {
    fault(file, 'inputs', `must be ${length} for ${computation}: ${inputsText(computation)}`);
  }
  for (const textId of inputs) {
    if (!known.has(textId)) fault(file, 'inputs', `names an unknown dataset: ${textId}`);
  }
}

function checkParameters(
  file: DefinitionFile,
  { computation, parameters = {} }: Derivation,
  fault: Fault,
): void {
  const names = Object.keys(COMPUTATION_MEANINGS[computation].parameters ?? {});
  if (names.length === 0 && Object.keys(parameters).length === 0) return;
  const isSame = names.toSorted().join() === Object.keys(parameters).toSorted().join();
  const legal = names.length === 0 ? 'left out' : names.join(', ');
  if (!isSame) fault(file, 'parameters', `must be ${legal} for ${computation}`);
}

/** The first input's parts are computed one by one, so they are of days, months or years. */
function checkDates(
  file: DefinitionFile,
  [first]: readonly string[],
  known: ReadonlyMap<string, Dataset>,
  fault: Fault,
): void {
  for (const dataset of [file.dataset, known.get(first ?? '')]) {
    if (dataset && (dataset.partitioning.unit === 'whole' || dataset.dateColumn === null)) {
      fault(file, 'computation', `needs a date_column and a partition by it in ${dataset.textId}`);
    }
  }
}

/** The text ids on a way from a dataset back to itself; null: there is none. */
function cycleFrom(start: string, known: ReadonlyMap<string, Dataset>): readonly string[] | null {
  const seen = new Set<string>();
  const search = (textId: string, way: readonly string[]): readonly string[] | null => {
    for (const input of known.get(textId)?.derivation?.inputs ?? []) {
      if (input === start) return [...way, input];
      if (seen.has(input)) continue;
      seen.add(input);
      const found = search(input, [...way, input]);
      if (found) return found;
    }
    return null;
  };
  return search(start, [start]);
}

/** Reports each fault of what datasets are derived from. */
export function checkDerivations(files: readonly DefinitionFile[], fault: Fault): void {
  const known = new Map(files.map(({ dataset }) => [dataset.textId, dataset]));
  for (const file of files) {
    const { derivation, textId } = file.dataset;
    if (!derivation) continue;
    checkInputs(file, derivation, known, fault);
    checkParameters(file, derivation, fault);
    checkDates(file, derivation.inputs, known, fault);
    const cycle = cycleFrom(textId, known);
    if (cycle) fault(file, 'inputs', `must not lead back to the dataset: ${cycle.join(' from ')}`);
  }
}
