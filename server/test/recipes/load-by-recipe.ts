/** Loads texts by a recipe, as plain records or by the exact way alone. */
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { HEADER_AS_IT_IS } from '../../src/catalog/header-columns.ts';
import { duckDBStorage } from '../../src/engine/duckdb/storage.ts';
import { type CsvSource, loadSources } from '../../src/ingest/load-sources.ts';
import { tryLockFile } from '../../src/installed.ts';
import { RecipeOpener } from '../../src/recipes/recipe-opener.ts';
import type { TimeZone } from '../../src/time/time-zone.ts';
import { type Way, watched } from '../ingest/all-ways.ts';
import { textSource } from '../ingest/load-text.ts';
import { recipeOf, sampleOf } from './shipped-samples.ts';

const { signal } = new AbortController();

/** Loads each text by itself into one writer, under the name of the recipe's sample. */
export async function loadByRecipe(
  folder: string,
  recipe: string,
  texts: readonly (string | Buffer)[],
  way: Way,
  displayName = sampleOf(recipe).name,
) {
  const { dataset, time_zone: zone } = recipeOf(recipe);
  const directory = mkdtempSync(join(folder, 'stage-'));
  const storage = duckDBStorage({ directory, tryLock: tryLockFile });
  const { writer, counts } = watched(await storage.openWriter(dataset), way);
  const reports = [];
  for (const text of texts) {
    const opener = new RecipeOpener(recipeOf(recipe), (zone ?? dataset.fileTimeZone) as TimeZone);
    const source = { ...textSource(text), displayName } as CsvSource;
    const rules = { header: HEADER_AS_IT_IS, opener, allowsUnended: true };
    const { report, places } = await loadSources(writer, dataset, [source], signal, rules);
    const lines = Array.from({ length: report.rowCount }, (_, row) => places.placeOf(row)?.line);
    reports.push({ ...report, lines });
  }
  const digests: string[] = [];
  for (const key of await writer.partitionKeys()) {
    digests.push((await writer.write(key, `${key}.parquet`, null)).contentDigest);
  }
  await writer.close();
  await storage.close?.();
  return { reports, counts, digests };
}
