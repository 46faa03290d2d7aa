/** Reads the definitions of datasets; parsed ones are kept, since parsing is the slowest step. */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { CalendarName } from '@ticklake/market/calendars.ts';
import { parse } from 'yaml';
import { editDistance } from '../base/edit-distance.ts';
import { UsageError } from '../base/errors.ts';
import { atPath, failureText } from '../base/failure-text.ts';
import {
  DEFINITION_CACHE,
  FURTHER_DEFINITIONS,
  SHIPPED_DEFINITIONS,
} from '../base/installation.ts';
import { writeWholeFile } from '../base/write-whole-file.ts';
import type { TimeZone } from '../time/time-zone.ts';
import { type CalendarChanges, withCalendar } from './calendars-file.ts';
import { checkCatalog } from './catalog-checks.ts';
import type { Catalog, Dataset } from './dataset.ts';
import { ADDITION } from './definition.ts';
import {
  type DefinitionFile,
  type DefinitionSource,
  readDefinition,
  readFields,
} from './definition-file.ts';
import { readWidening, type Widening, widenedDatasets } from './widening.ts';

/** The index of datasets whose ids, text ids and segments do not clash. */
function makeCatalog(datasets: readonly Dataset[]): Catalog {
  const sorted = datasets.toSorted((a, b) => (a.datasetId < b.datasetId ? -1 : 1));
  const byId = new Map(sorted.map((dataset) => [dataset.datasetId, dataset]));
  const byTextId = new Map(sorted.map((dataset) => [dataset.textId, dataset]));
  const bySegment = Map.groupBy(sorted, (dataset) => `${dataset.group}/${dataset.segment}`);
  for (const variants of [...bySegment.values()]) {
    const { group, shortSegment } = variants[0] as Dataset;
    bySegment.set(`${group}/${shortSegment}`, variants);
  }
  return {
    datasets: sorted,
    byId: (datasetId) => byId.get(datasetId),
    byTextId: (textId) => byTextId.get(textId),
    bySegment: (group, segment) => bySegment.get(`${group}/${segment}`) ?? [],
  };
}

/** Reads and checks all definitions; rejects where one of them cannot be taken over. */
type ReadCatalog = () => Promise<Catalog>;

export class CurrentCatalog {
  readonly #read: ReadCatalog;
  #current: Catalog;
  #reading: Promise<unknown> = Promise.resolve();

  private constructor(read: ReadCatalog, current: Catalog) {
    this.#read = read;
    this.#current = current;
  }

  static async open(read: ReadCatalog): Promise<CurrentCatalog> {
    return new CurrentCatalog(read, await read());
  }

  /** A request takes it once, so that it ends by the definitions with which it began. */
  get current(): Catalog {
    return this.#current;
  }

  /**
   * Reads the definitions again and takes over all of them. Rejects as `read` does, and then none
   * is: what was current stays so.
   */
  async reload(): Promise<Catalog> {
    const reading = this.#reading.then(this.#read, this.#read);
    this.#reading = reading.catch(() => undefined);
    this.#current = await reading;
    return this.#current;
  }
}

const SHOWN_NAMES = 3;

/** The legal names that an unknown one is likeliest to mean. */
function nearestNames(name: string, datasets: readonly Dataset[]): string[] {
  const lower = name.toLowerCase();
  return datasets
    .flatMap(({ datasetId, textId }) => [datasetId, textId])
    .map((legal) => ({ legal, steps: editDistance(lower, legal.toLowerCase()) }))
    .sort((a, b) => a.steps - b.steps)
    .slice(0, SHOWN_NAMES)
    .map(({ legal }) => legal);
}

/**
 * The catalogue of the named datasets alone, by ids or text ids; of all of them where `names` is
 * empty. Throws a `UsageError` that names each unknown one and the nearest legal ones.
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

/** A JSON Schema may lie beside the definitions that it is for. */
const DEFINITION_NAME = /(?<!\.schema)\.(ya?ml|json)$/;

/** The definition files of a folder, in the order of their names; of a file, itself. */
export function definitionPaths(directory: string): string[] {
  if (DEFINITION_NAME.test(directory)) return [directory];
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
  source: DefinitionSource,
  faults: string[],
  filterTimeZone: TimeZone | null,
): DefinitionFile | null {
  const { text } = source;
  const key = `${filterTimeZone} ${source.file}`;
  const before = known.get(key);
  if (before?.text === text) return before.file;
  const file = readDefinition(source, faults, filterTimeZone);
  if (file) known.set(key, { text, file });
  return file;
}

/** Widenings and additions from files beside definitions. */
interface Beside {
  readonly widenings: Widening[];
  /** Shipped files that files of the home stand for. */
  readonly additions: Set<string>;
}

/** The field that a file beside definitions begins with. */
const BESIDE = /^(?:[{ ]*"(?=\w+":))?(adds|widens)"?:/m;

export const furtherPath = (textId: string) => join(FURTHER_DEFINITIONS, `${textId}.yaml`);

function readBeside(source: DefinitionSource, kind: string, faults: string[], beside: Beside) {
  if (kind === 'widens') {
    const widening = readWidening(source, faults);
    if (widening) beside.widenings.push(widening);
    return;
  }
  const read = readFields(ADDITION, source, faults);
  if (!read) return;
  const path = furtherPath(read.value.adds);
  if (existsSync(path)) beside.additions.add(path);
  else if (!existsSync(join(SHIPPED_DEFINITIONS, `${read.value.adds}.yaml`)))
    faults.push(`${read.place(['adds'])} ${read.value.adds} is no further dataset`);
}

function readDirectory(
  directory: string,
  filterTimeZone: TimeZone | null,
  faults: string[],
  beside: Beside,
): Map<string, DefinitionFile> {
  const byId = new Map<string, DefinitionFile>();
  const paths = definitionPaths(directory);
  const texts = paths.map((path) => readFileSync(path, 'utf8'));
  const values = directory === SHIPPED_DEFINITIONS ? keptValues(DEFINITION_CACHE, texts) : [];
  for (const [at, path] of paths.entries()) {
    const source = { file: path, text: texts[at] as string, known: values[at] };
    const [, kind] = BESIDE.exec(source.text) ?? [];
    if (kind) {
      readBeside(source, kind, faults, beside);
      continue;
    }
    const file = readFile(source, faults, filterTimeZone);
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
 * The catalogue of definition files (`*.yaml`, `*.yml`, `*.json`) and of those in folders. A file
 * of a later place replaces that of an earlier one with the same id. Files may widen sizes and
 * volumes, and add further datasets, unless a definition has their id or text id. Throws a
 * `UsageError` with one line for each fault of any file: file, line, field, and what is legal
 * there. `filterTimeZone` is for definitions that name none; `calendars` are those of the home.
 */
export function loadCatalog(
  places: readonly string[],
  filterTimeZone: TimeZone | null = null,
  calendars: ReadonlyMap<CalendarName, CalendarChanges> = new Map(),
): Catalog {
  const faults: string[] = [];
  const byId = new Map<string, DefinitionFile>();
  const beside: Beside = { widenings: [], additions: new Set() };
  for (const place of places) {
    const files = readDirectory(place, filterTimeZone, faults, beside);
    for (const [datasetId, file] of files) byId.set(datasetId, file);
  }
  const textIds = new Set([...byId.values()].map(({ dataset }) => dataset.textId));
  for (const path of beside.additions) {
    for (const [datasetId, file] of readDirectory(path, filterTimeZone, faults, beside)) {
      if (!byId.has(datasetId) && !textIds.has(file.dataset.textId)) byId.set(datasetId, file);
    }
  }
  const files = [...byId.values()];
  checkCatalog(files, faults);
  const defined = files.map((file) => withCalendar(file.dataset, calendars));
  const datasets = faults.length > 0 ? defined : widenedDatasets(defined, beside.widenings, faults);
  if (faults.length > 0) throw new UsageError(faults);
  return makeCatalog(datasets);
}

/** Shipped datasets that homes lack until they are wanted. */
export function furtherCatalog(calendars?: ReadonlyMap<CalendarName, CalendarChanges>): Catalog {
  return loadCatalog([FURTHER_DEFINITIONS], null, calendars);
}

/** A further dataset by its id or text id. */
export function furtherNamed(name: string): Dataset | undefined {
  const further = furtherCatalog();
  return further.byTextId(name) ?? further.byId(name);
}

interface Kept {
  /** Digest of the texts. */
  readonly digest: string;
  readonly values: readonly unknown[];
}

const NONE: Kept = { digest: '', values: [] };
let last = NONE;

function readKept(path: string): Kept {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) ?? NONE;
  } catch {
    return NONE;
  }
}

/** Nobody is told when it can't be kept: the next start parses again. */
function keep(path: string, made: Kept): void {
  try {
    mkdirSync(dirname(path), { recursive: true });
    writeWholeFile(path, JSON.stringify(made));
  } catch {}
}

function parseAll(texts: readonly string[], digest: string): Kept {
  try {
    return { digest, values: texts.map((text) => parse(text)) };
  } catch {
    return NONE;
  }
}

/** Values of YAML texts in order, cached in the file `path`; none if one is illegal. */
export function keptValues(path: string, texts: readonly string[]): readonly unknown[] {
  const digest = createHash('sha256').update(JSON.stringify(texts)).digest('hex');
  if (last.digest !== digest) last = readKept(path);
  if (last.digest !== digest) {
    last = parseAll(texts, digest);
    if (last !== NONE) keep(path, last);
  }
  return last.values;
}
