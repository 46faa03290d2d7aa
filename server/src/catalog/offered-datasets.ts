/** The datasets that a server offers: all that are defined, or those that a setting names. Pure. */
import { UsageError } from '../base/errors.ts';
import { makeCatalog } from './catalog.ts';
import type { Catalog, Dataset } from './dataset.ts';

const SHOWN_NAMES = 3;

/** How many characters have to be changed, added or removed to make one text of the other. */
function distance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, i) => i);
  for (const [i, character] of [...one].entries()) {
    const next = [i + 1];
    for (let j = 0; j < other.length; j++) {
      const changed = (row[j] as number) + (character === other[j] ? 0 : 1);
      next.push(Math.min(changed, (row[j + 1] as number) + 1, (next[j] as number) + 1));
    }
    row = next;
  }
  return row[other.length] as number;
}

/** The legal names that an unknown one is likeliest to mean. */
function nearestNames(name: string, datasets: readonly Dataset[]): string[] {
  const lower = name.toLowerCase();
  return datasets
    .flatMap(({ datasetId, textId }) => [datasetId, textId])
    .map((legal) => ({ legal, steps: distance(lower, legal.toLowerCase()) }))
    .sort((a, b) => a.steps - b.steps)
    .slice(0, SHOWN_NAMES)
    .map(({ legal }) => legal);
}

/**
 * The catalogue of the named datasets alone, by ids or text ids; of all of them where `names` is empty.
 * Throws a `UsageError` that names each unknown one and the nearest legal ones.
 */
export function offeredCatalog(catalog: Catalog, names: readonly string[]): Catalog {
  if (names.length === 0) return catalog;
  const find = (name: string) => catalog.byId(name) ?? catalog.byTextId(name);
  const unknown = names.filter((name) => !find(name));
  if (unknown.length > 0) {
    throw new UsageError(
      unknown.map((name) => {
        const nearest = nearestNames(name, catalog.datasets).join(', ');
        return `TICKLAKE_DATASETS: there is no dataset ${JSON.stringify(name.slice(0, 80))}; the nearest are ${nearest}`;
      }),
    );
  }
  const offered = new Set(names.map(find));
  return makeCatalog(catalog.datasets.filter((dataset) => offered.has(dataset)));
}
