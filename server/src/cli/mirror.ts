/** `ticklake mirror`: keeps a local copy of datasets of a server up to date. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Ticklake } from '@ticklake/client';
import { UsageError } from '../base/errors.ts';
import { counted } from '../base/printable.ts';
import { tryLockFile } from '../installed.ts';
import { type MirrorReport, mirrorDataset } from '../mirror/mirror-dataset.ts';
import {
  type Command,
  type CommandContext,
  flag,
  type OptionValues,
  option,
  repeatable,
  textsOf,
} from './command.ts';
import { asUsageError, clientOf, columnsOf, filtersOf, SERVER_OPTIONS } from './server-options.ts';

/** The text ids of datasets that are named by it or by their id. Throws `UsageError` for others. */
async function textIdsOf(client: Ticklake, names: readonly string[]): Promise<string[]> {
  const known = await client.datasets();
  return [...new Set(names)].map((name) => {
    const found = known.find(
      ({ dataset_id: id, dataset_text_id: textId }) => id === name || textId === name,
    );
    if (!found) throw new UsageError(`the server has no dataset ${name}`);
    return found.dataset_text_id;
  });
}

type NamedReport = MirrorReport & { readonly name: string; readonly path: string };

function lineOf({ name, ...report }: NamedReport): string {
  const { isChanged, datasetVersion, rowCount, fileCount, fetchedFileCount } = report;
  const what = `version ${datasetVersion}, ${counted(rowCount, 'row')} in ${counted(fileCount, 'file')}`;
  const how = isChanged
    ? `${counted(fetchedFileCount, 'file')} of ${counted(report.fetchedByteCount, 'byte')} fetched`
    : 'as it was';
  return `${name}: ${what}; ${how}\n`;
}

async function mirrorOne(
  context: CommandContext,
  values: OptionValues,
  client: Ticklake,
  [dir, name]: readonly [string, string],
): Promise<NamedReport> {
  const path = join(dir, name);
  mkdirSync(path, { recursive: true });
  const lock = tryLockFile(join(path, '.lock'));
  if (!lock) throw new UsageError(`another process is updating ${path}; try again later`);
  try {
    const report = await mirrorDataset({
      ...{ name, path, signal: context.signal, verifies: values.verify === true },
      dataset: client.dataset(name),
      server: client.url,
      where: filtersOf(textsOf(values, 'where')),
      columns: columnsOf(values.columns),
      onProgress: (doneBytes, allBytes) =>
        context.progress.update(name, allBytes ? doneBytes / allBytes : 1),
    });
    return { name, path, ...report };
  } finally {
    lock.release();
  }
}

async function run(
  context: CommandContext,
  values: OptionValues,
  [dir = '', ...names]: readonly string[],
) {
  try {
    const client = clientOf(context, values);
    const reports: NamedReport[] = [];
    for (const name of await textIdsOf(client, names)) {
      reports.push(await mirrorOne(context, values, client, [dir, name]));
    }
    return { value: { datasets: reports }, text: reports.map(lineOf).join('') };
  } catch (error) {
    throw asUsageError(error);
  }
}

export const mirror: Command = {
  name: ['mirror'],
  summary: 'keep a local copy of datasets of a server up to date, as Parquet files',
  usage: '<dir> <dataset...>',
  options: {
    ...SERVER_OPTIONS,
    where: repeatable('FILTER', 'only rows that pass, such as Ticker.in=AVQX,BZOQ'),
    columns: option('A,B', 'only these columns'),
    verify: flag('read the existing files again, and download those that were altered'),
  },
  run,
};
