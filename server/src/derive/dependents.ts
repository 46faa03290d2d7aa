/** Which datasets are computed from others, directly or by way of further ones. */
import type { Catalog, Dataset } from '../catalog/dataset.ts';
import { inputsOf } from '../catalog/derivation.ts';

/** The datasets that rows of these go into, in the order of the catalogue; none of these themselves. */
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
