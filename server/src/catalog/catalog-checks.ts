/** Checks definition files against each other. */
import type { ValuePath } from '../schema/read-value.ts';
import type { Dataset } from './dataset.ts';
import type { DefinitionFile } from './definition-file.ts';
import {
  COMPUTATION_MEANINGS,
  type ComputationName,
  type DerivationWay,
  inputsOf,
  waysOf,
} from './derivation.ts';

/** Reports what is wrong with a field of `derived_from`, by the path that leads to it. */
type Fault = (file: DefinitionFile, field: readonly string[], message: string) => void;
/** Reports a fault of one way to derive. */
type WayFault = (field: 'inputs' | 'computation' | 'parameters', message: string) => void;

function inputsText(computation: ComputationName): string {
  return COMPUTATION_MEANINGS[computation].inputs.join(', ');
}

function checkParameters({ computation, parameters = {} }: DerivationWay, fault: WayFault): void {
  const names = Object.keys(COMPUTATION_MEANINGS[computation].parameters ?? {});
  if (names.length === 0 && Object.keys(parameters).length === 0) return;
  const isSame = names.toSorted().join() === Object.keys(parameters).toSorted().join();
  const legal = names.length === 0 ? 'left out' : names.join(', ');
  if (!isSame) fault('parameters', `must be ${legal} for ${computation}`);
}

/** The first input is computed part by part: days, months, years, or one. */
function checkParts(
  output: Dataset,
  { computation, inputs: [first] }: DerivationWay,
  known: ReadonlyMap<string, Dataset>,
  fault: WayFault,
): void {
  const { isWhole = false } = COMPUTATION_MEANINGS[computation];
  const needed = isWhole ? 'a partition of the unit whole' : 'a date_column and a partition by it';
  for (const dataset of [output, known.get(first ?? '')]) {
    if (!dataset) continue;
    const { partitioning, dateColumn, textId } = dataset;
    const isFitting = isWhole
      ? partitioning.unit === 'whole'
      : partitioning.unit !== 'whole' && dateColumn !== null;
    if (!isFitting) fault('computation', `needs ${needed} in ${textId}`);
  }
}

/** The text ids on a way from a dataset back to itself; null: there is none. */
function cycleFrom(start: string, known: ReadonlyMap<string, Dataset>): readonly string[] | null {
  const seen = new Set<string>();
  const search = (textId: string, way: readonly string[]): readonly string[] | null => {
    const dataset = known.get(textId);
    for (const input of dataset ? inputsOf(dataset) : []) {
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

/** Bars become rows of dates by their own rules, and rows of the same things. */
function checkBars(
  output: Dataset,
  { computation, inputs }: DerivationWay,
  known: ReadonlyMap<string, Dataset>,
  fault: WayFault,
): void {
  const bars = known.get(inputs[COMPUTATION_MEANINGS[computation].inputs.indexOf('bars')] ?? '');
  if (!bars) return;
  if (bars.intervals === null) fault('inputs', `must be bars, whose definition has intervals`);
  const lacking = bars.intervals?.by.filter((name) => !output.columnByName.has(name)) ?? [];
  if (lacking.length > 0) fault('computation', `needs the columns ${lacking.join(', ')}`);
}

/** Reports each fault of what datasets are derived from. */
export function checkDerivations(files: readonly DefinitionFile[], fault: Fault): void {
  const known = new Map(files.map(({ dataset }) => [dataset.textId, dataset]));
  for (const file of files) {
    const { derivation, textId } = file.dataset;
    if (!derivation) continue;
    for (const [i, way] of waysOf(derivation).entries()) {
      const before = i === 0 ? [] : ['otherwise'];
      const ofWay: WayFault = (field, message) => fault(file, [...before, field], message);
      const { computation, inputs } = way;
      const { length } = COMPUTATION_MEANINGS[computation].inputs;
      if (inputs.length !== length) {
        ofWay('inputs', `must be ${length} for ${computation}: ${inputsText(computation)}`);
      }
      for (const textId of inputs) {
        if (!known.has(textId)) ofWay('inputs', `names an unknown dataset: ${textId}`);
      }
      checkParameters(way, ofWay);
      checkParts(file.dataset, way, known, ofWay);
      checkBars(file.dataset, way, known, ofWay);
    }
    const cycle = cycleFrom(textId, known);
    if (cycle)
      fault(file, ['inputs'], `must not lead back to the dataset: ${cycle.join(' from ')}`);
  }
}

type Faults = string[];

function variantText({ variant }: Dataset): string {
  const parts = [
    variant.adjusted === undefined ? [] : `adjusted ${variant.adjusted}`,
    variant.aggregationLogic === undefined ? [] : `aggregation_logic ${variant.aggregationLogic}`,
  ].flat();
  return parts.join(', ') || 'none';
}

function addFault(faults: Faults, file: DefinitionFile, path: ValuePath, message: string): void {
  faults.push(`${file.place(path)} ${message}`);
}

function checkTextIds(files: readonly DefinitionFile[], faults: Faults): void {
  const seen = new Map<string, DefinitionFile>();
  for (const file of files) {
    const { textId } = file.dataset;
    const earlier = seen.get(textId);
    const path = ['text_id'];
    if (earlier)
      addFault(faults, file, path, `${textId} is already used at ${earlier.place(path)}`);
    else seen.set(textId, file);
  }
}

/** A segment, short or prefixed, must name only one segment of its group. */
function checkSegments(files: readonly DefinitionFile[], faults: Faults): void {
  const seen = new Map<string, DefinitionFile>();
  for (const file of files) {
    const { group, segment, shortSegment } = file.dataset;
    for (const form of new Set([segment, shortSegment])) {
      const earlier = seen.get(`${group}/${form}`);
      if (earlier && earlier.dataset.segment !== segment) {
        const other = earlier.place(['segment']);
        addFault(faults, file, ['segment'], `${group}/${form} is already the path of ${other}`);
      } else seen.set(`${group}/${form}`, file);
    }
  }
}

/** Datasets of one segment are told apart by the same parameters and asked for by one path. */
function checkVariants(files: readonly DefinitionFile[], faults: Faults): void {
  const segments = Map.groupBy(files, ({ dataset }) => `${dataset.group}/${dataset.segment}`);
  for (const [segment, [first, ...others]] of segments) {
    const plain = first as DefinitionFile;
    const keys = Object.keys(plain.dataset.variant).join();
    const seen = new Map([[variantText(plain.dataset), plain]]);
    for (const file of others) {
      const text = variantText(file.dataset);
      const earlier = seen.get(text);
      if (earlier) {
        addFault(
          faults,
          file,
          ['variant'],
          `${text} is already used at ${earlier.place(['variant'])}`,
        );
      } else seen.set(text, file);
      if (Object.keys(file.dataset.variant).join() !== keys) {
        // Only now: a place is found by parsing its file, and most starts parse none.
        const where = `of ${segment} in ${plain.place(['variant'])}`;
        addFault(faults, file, ['variant'], `must have the same fields as the variant ${where}`);
      }
      if (file.dataset.pathShape !== plain.dataset.pathShape) {
        const other = plain.place(['path']);
        addFault(faults, file, ['path'], `must be ${plain.dataset.pathShape} as in ${other}`);
      }
    }
  }
}

/** Adds to `faults` each clash between files, as `FILE:LINE: FIELD MESSAGE`. */
export function checkCatalog(files: readonly DefinitionFile[], faults: Faults): void {
  checkTextIds(files, faults);
  checkSegments(files, faults);
  checkVariants(files, faults);
  checkDerivations(files, (file, field, message) =>
    addFault(faults, file, ['derived_from', ...field], message),
  );
}
