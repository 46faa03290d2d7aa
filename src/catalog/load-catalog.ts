import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { UsageError } from '../errors.ts';
import { makeCatalog } from './catalog.ts';
import { checkCatalog } from './catalog-checks.ts';
import type { Catalog } from './dataset.ts';
import { type DefinitionFile, readDefinition } from './definition-file.ts';

const DEFINITION_NAME = /\.(ya?ml|json)$/;

function definitionPaths(directory: string): string[] {
  try {
    const names = readdirSync(directory).filter((name) => DEFINITION_NAME.test(name));
    return names.sort().map((name) => join(directory, name));
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code ?? String(error);
    throw new UsageError(`cannot read the folder of dataset definitions ${directory}: ${reason}`);
  }
}

function readDirectory(directory: string, faults: string[]): Map<string, DefinitionFile> {
  const byId = new Map<string, DefinitionFile>();
  for (const path of definitionPaths(directory)) {
    const file = readDefinition(path, readFileSync(path, 'utf8'), faults);
    if (file === null) continue;
    const { datasetId } = file.dataset;
    const earlier = byId.get(datasetId);
    if (earlier)
      faults.push(`${file.place(['id'])} ${datasetId} is already used at ${earlier.place(['id'])}`);
    else byId.set(datasetId, file);
  }
  return byId;
}

/**
 * The catalogue of the definition files (`*.yaml`, `*.yml`, `*.json`) in the given folders. A file
 * of a later folder replaces that of an earlier one with the same id. Throws a `UsageError` with
 * one line for each fault of any file: file, line, field, and what is legal there.
 */
export function loadCatalog(directories: readonly string[]): Catalog {
  const faults: string[] = [];
  const byId = new Map<string, DefinitionFile>();
  for (const directory of directories) {
    for (const [datasetId, file] of readDirectory(directory, faults)) byId.set(datasetId, file);
  }
  const files = [...byId.values()];
  checkCatalog(files, faults);
  if (faults.length > 0) throw new UsageError(faults.join('\n'));
  return makeCatalog(files.map((file) => file.dataset));
}
