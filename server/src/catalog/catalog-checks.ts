/** Checks definition files against each other. */
import type { ValuePath } from '../schema/read-value.ts';
import type { Dataset } from './dataset.ts';
import type { DefinitionFile } from './definition-file.ts';
import { checkDerivations } from './derivation-checks.ts';

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
      const where = `of ${segment} in ${plain.place(['variant'])}`;
      if (earlier) {
        addFault(
          faults,
          file,
          ['variant'],
          `${text} is already used at ${earlier.place(['variant'])}`,
        );
      } else seen.set(text, file);
      if (Object.keys(file.dataset.variant).join() !== keys) {
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
