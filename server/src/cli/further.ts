/** Further datasets come into a home: by `ticklake dataset add`, or by a load that needs them. */
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { UsageError } from '../base/errors.ts';
import { DEFINITIONS_FOLDER } from '../base/home-layout.ts';
import { writeWholeFile } from '../base/write-whole-file.ts';
import type { Catalog, Dataset } from '../catalog/dataset.ts';
import { furtherCatalog, furtherPath } from '../catalog/load-catalog.ts';
import type { Lake } from '../lake/lake.ts';
import { openCatalog } from '../open-services.ts';
import type { Command, CommandContext } from './command.ts';
import { openHomeLake } from './opened-home.ts';
import { linesText } from './text.ts';

/**
 * The home's catalogue with these datasets. What it lacks is added, if the catalogue stays sound;
 * the lines say where.
 */
async function addDatasets(
  { config: { home, store }, commandLine }: Pick<CommandContext, 'config' | 'commandLine'>,
  lake: Lake,
  datasets: readonly Dataset[],
) {
  const folder = join(home, DEFINITIONS_FOLDER);
  // Looked at first: what comes later is in the catalogue.
  const taken = existsSync(folder) ? readdirSync(folder) : [];
  const catalog = openCatalog(home);
  const lacking = [...new Set(datasets)].filter(({ textId }) => !catalog.byTextId(textId));
  const added = lacking.map(({ datasetId, textId }) => {
    const path = join(folder, `${textId}.yaml`);
    const other =
      catalog.byId(datasetId)?.textId ?? (taken.includes(`${textId}.yaml`) ? path : null);
    if (other) throw new UsageError(`${textId} (${datasetId}) cannot be added: there is ${other}`);
    return { textId, path };
  });
  if (added.length === 0) return { catalog, definitions: [], lines: [] };
  const sources = added.map(({ textId }) => furtherPath(textId));
  const complete = openCatalog(home, null, sources);
  await lake.requireReadable(complete.datasets);
  mkdirSync(folder, { recursive: true });
  const reload = commandLine('definitions reload');
  const lines = added.map(({ textId, path }) => {
    writeWholeFile(path, `# The definition comes with Ticklake.\nadds: ${textId}\n`);
    const others = store ? ` Other homes of this store need ticklake dataset add ${textId}.` : '';
    return `Added the dataset ${textId}: ${path}. If a server is running, run ${reload}.${others}`;
  });
  return { catalog: complete, definitions: added.map(({ path }) => path), lines };
}

/** The catalogue with the dataset of a load. If the home lacks it, it is added and told of. */
export async function withDataset(
  context: CommandContext,
  lake: Lake,
  catalog: Catalog,
  dataset: Dataset,
): Promise<Catalog> {
  if (catalog.byTextId(dataset.textId)) return catalog;
  const added = await addDatasets(context, lake, [dataset]);
  context.stderr.write(linesText(added.lines));
  // Neither widening nor an own definition may come between reading a recipe and its load.
  if (added.catalog.byTextId(dataset.textId)?.columns === dataset.columns) return added.catalog;
  throw new UsageError(`${dataset.textId} has just got other columns: run this again`);
}

export const datasetAdd: Command = {
  name: ['dataset', 'add'],
  summary: 'add datasets whose definitions are shipped, but which no home has from the start',
  usage: '<dataset...>',
  async run(context, _values, names) {
    const { datasets: further } = furtherCatalog();
    const legal = further.map(({ textId }) => textId).join(', ');
    const catalog = openCatalog(context.config.home);
    const datasets = names.map((name) => {
      const found = further.find(({ textId, datasetId }) => [textId, datasetId].includes(name));
      if (!found) throw new UsageError(`ticklake dataset add takes ${legal}, not ${name}`);
      if (!catalog.byTextId(found.textId)) return found;
      throw new UsageError(`the home has a dataset ${found.textId} already`);
    });
    const added = await addDatasets(context, await openHomeLake(context), datasets);
    const value = {
      datasets: datasets.map(({ textId }) => textId),
      definitions: added.definitions,
    };
    return { value, text: linesText(added.lines) };
  },
};
