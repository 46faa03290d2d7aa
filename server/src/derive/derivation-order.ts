/** In which order datasets are derived: inputs before what is computed from them. */
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
