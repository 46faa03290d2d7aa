/** Which datasets are computed from which others, and in which order. */
import type { Catalog, Dataset } from '../catalog/dataset.ts';
import { inputsOf } from '../catalog/derivation.ts';

/** The derived ones of the datasets, each after those of them that it is computed from. */
export function derivationOrder(catalog: Catalog, datasets: readonly Dataset[]): Dataset[] {
  const chosen = new Set(datasets.map(({ textId }) => textId));
  const ordered = new Map<string, Dataset>();
  const visit = (dataset: Dataset) => {
    const { derivation, textId } = dataset;
    if (ordered.has(textId) || !derivation) return;
    for (const input of inputsOf(dataset)) {
      const found = catalog.byTextId(input);
      if (found) visit(found);
    }
    ordered.set(textId, dataset);
  };
  for (const dataset of datasets) visit(dataset);
  return [...ordered.values()].filter(({ textId }) => chosen.has(textId));
}

/**
 * The datasets that are computed from these, directly or through others, in the order of the
 * catalogue; none of these themselves.
 */
export function dependentsOf({ datasets }: Catalog, textIds: Iterable<string>): Dataset[] {
  const given = new Set(textIds);
  const sources = new Set(given);
  let sizeBefore = 0;
  while (sources.size > sizeBefore) {
    sizeBefore = sources.size;
    for (const dataset of datasets) {
      if (inputsOf(dataset).some((input) => sources.has(input))) sources.add(dataset.textId);
    }
  }
  return datasets.filter(({ textId }) => sources.has(textId) && !given.has(textId));
}
