import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { UsageError } from '../base/errors.ts';
import { atPath, failureText } from '../base/failure-text.ts';
import { DEFINITION_CACHE, SHIPPED_DEFINITIONS } from '../base/installation.ts';
import type { TimeZone } from '../time/time-zone.ts';
import { makeCatalog } from './catalog.ts';
import { checkCatalog } from './catalog-checks.ts';
import type { Catalog } from './dataset.ts';
import { type DefinitionFile, readDefinition } from './definition-file.ts';
import { keptValues } from './kept-values.ts';

/** A JSON Schema may lie beside the definitions that it is for. */
const DEFINITION_NAME = /(?<!\.schema)\.(ya?ml|json)$/;

/** The definition files of a folder, in the order of their names. */
export function definitionPaths(directory: string): string[] {
  try {
    const names = readdirSync(directory).filter((name) => DEFINITION_NAME.test(name));
    return names.sort().map((name) => join(directory, name));
  } catch (error) {
    const failure = failureText(atPath(directory, error));
    throw new UsageError(`the folder of dataset definitions ${failure}`);
  }
}

/** Files without a fault, so that a process that opens the catalogue often reads each only once. */
const known = new Map<string, { readonly text: string; readonly file: DefinitionFile }>();

function readFile(
  path: string,
  text: string,
  filterTimeZone: TimeZone | null,
  faults: string[],
  value: unknown,
): DefinitionFile | null {
  const key = `${filterTimeZone} ${path}`;
  const before = known.get(key);
  if (before?.text === text) return before.file;
  const file = readDefinition(path, text, faults, filterTimeZone, value);
  if (file) known.set(key, { text, file });
  return file;
}

function readDirectory(
  directory: string,
  filterTimeZone: TimeZone | null,
  faults: string[],
): Map<string, DefinitionFile> {
  const byId = new Map<string, DefinitionFile>();
  const paths = definitionPaths(directory);
  const texts = paths.map((path) => readFileSync(path, 'utf8'));
  const values = directory === SHIPPED_DEFINITIONS ? keptValues(DEFINITION_CACHE, texts) : [];
  for (const [at, path] of paths.entries()) {
    const file = readFile(path, texts[at] as string, filterTimeZone, faults, values[at]);
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
 * one line for each fault of any file: file, line, field, and what is legal there. `filterTimeZone`
 * is for definitions that name none.
 */
export function loadCatalog(
  directories: readonly string[],
  filterTimeZone: TimeZone | null = null,
): Catalog {
  const faults: string[] = [];
  const byId = new Map<string, DefinitionFile>();
  for (const directory of directories) {
    const files = readDirectory(directory, filterTimeZone, faults);
    for (const [datasetId, file] of files) byId.set(datasetId, file);
  }
  const files = [...byId.values()];
  checkCatalog(files, faults);
  if (faults.length > 0) throw new UsageError(faults);
  return makeCatalog(files.map((file) => file.dataset));
}
