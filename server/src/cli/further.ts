/** Further datasets come into a home: by `ticklake dataset add`, or by a load that needs them. */
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { UsageError } from '../base/errors.ts';
import { DEFINITIONS_FOLDER } from '../base/home-layout.ts';
import { FURTHER_DEFINITIONS } from '../base/installation.ts';
import { writeWholeFile } from '../base/write-whole-file.ts';
import type { Catalog, Dataset } from '../catalog/dataset.ts';
import { furtherCatalog } from '../catalog/load-catalog.ts';
import type { Lake } from '../lake/lake.ts';
import { openCatalog } from '../open-services.ts';
import type { Command, CommandContext } from './command.ts';
import { openHomeLake } from './opened-home.ts';
import { linesText } from './text.ts';

type Writing = Pick<CommandContext, 'config' | 'commandLine'>;

/**
 * Writes the definitions of further datasets into the home, if its catalogue stays sound with all
 * of them. The lines say where each is.
 */
async function addDefinitions(
  { config: { home }, commandLine }: Writing,
  lake: Lake,
  catalog: Catalog,
  datasets: readonly Dataset[],
) {
  const added = datasets.map(({ datasetId, textId }) => {
    const source = join(FURTHER_DEFINITIONS, `${textId}.yaml`);
    const path = join(home, DEFINITIONS_FOLDER, `${textId}.yaml`);
    const named = catalog.byTextId(textId);
    if (named) throw new UsageError(`the home has a dataset ${textId} already`);
    const other = catalog.byId(datasetId)?.textId ?? (existsSync(path) ? path : null);
    if (other) throw new UsageError(`${textId} (${datasetId}) cannot be added: there is ${other}`);
    return { textId, source, path };
  });
  const sources = added.map(({ source }) => source);
  const complete = openCatalog(home, null, sources);
  await lake.requireReadable(complete.datasets);
  mkdirSync(join(home, DEFINITIONS_FOLDER), { recursive: true });
  for (const { source, path } of added) writeWholeFile(path, readFileSync(source, 'utf8'));
  const reload = commandLine('definitions reload');
  const lines = added.map(
    ({ textId, path }) =>
      `Added the dataset ${textId}: ${path}. If a server is running, run ${reload}.`,
  );
  return { catalog: complete, definitions: added.map(({ path }) => path), lines };
}

/** The catalogue with the datasets of a load. What the home lacks of them is added and told of. */
export async function withDatasets(
  context: CommandContext,
  lake: Lake,
  catalog: Catalog,
  datasets: Iterable<Dataset>,
): Promise<Catalog> {
  const lacking = [...new Set(datasets)].filter(({ textId }) => !catalog.byTextId(textId));
  if (lacking.length === 0) return catalog;
  const added = await addDefinitions(context, lake, catalog, lacking);
  context.stderr.write(linesText(added.lines));
  return added.catalog;
}

export const datasetAdd: Command = {
  name: ['dataset', 'add'],
  summary: 'add datasets whose definitions are shipped, but which no home has from the start',
  usage: '<dataset...>',
  async run(context, _values, names) {
    const further = furtherCatalog();
    const legal = further.datasets.map(({ textId }) => textId).join(', ');
    const datasets = names.map((name) => {
      const dataset = further.byTextId(name) ?? further.byId(name);
      if (dataset) return dataset;
      throw new UsageError(`ticklake dataset add takes ${legal}, not ${name}`);
    });
    const lake = await openHomeLake(context);
    const catalog = openCatalog(context.config.home);
    const added = await addDefinitions(context, lake, catalog, [...new Set(datasets)]);
    const value = {
      datasets: datasets.map(({ textId }) => textId),
      definitions: added.definitions,
    };
    return { value, text: linesText(added.lines) };
  },
};
