/** Finds the recipe that fits a file by the names of its fields and its own name. */
import { UsageError } from '../base/errors.ts';
import type { Dataset } from '../catalog/dataset.ts';
import { fieldsOfRecord } from '../ingest/csv-scanner.ts';
import type { DefinedSymbols } from '../ingest/dbn-text.ts';
import { foundIn } from '../ingest/found-text.ts';
import { type CsvSource, namedFailure } from '../ingest/load-sources.ts';
import { openSources } from '../ingest/source-files.ts';
import { localOfUtcNanos } from '../time/market-time.ts';
import { legalOf, listOf, neededPatterns } from './column-steps.ts';
import { FILE_PART, TRAILER_PART } from './load-recipes.ts';
import { type ColumnRule, EPOCHS, type Recipe } from './recipe.ts';
import { faultsOf, fieldNames, headOf, nameParts, separatorOf } from './recipe-opener.ts';
import { readHead } from './text-head.ts';

type TextOf = (name: string) => string;

const NANOS_OF_DAY = 86_400_000_000_000n;

/** True if a time of the first record is at the part of the day at which the rule reads times. */
function hasTimeOf(
  { from, epoch, midnight }: ColumnRule,
  { timeZone }: Dataset,
  textOf: TextOf,
): boolean {
  if (midnight === undefined || !epoch) return true;
  const text = textOf(listOf(from)[0] ?? '');
  if (!/^-?[0-9]{1,19}$/.test(text)) return false;
  const nanos = BigInt(text) * 10n ** BigInt(EPOCHS.ns - EPOCHS[epoch]);
  const local = localOfUtcNanos(midnight === 'UTC' ? midnight : timeZone, nanos);
  return (local % NANOS_OF_DAY === 0n) === (midnight !== false);
}

/** True if the rule refuses the text of the first record. */
function isRefusedBy(rule: ColumnRule, textOf: TextOf): boolean {
  const patterns = neededPatterns(rule);
  if (patterns === null || typeof rule.from !== 'string') return false;
  const text = textOf(rule.from);
  return text !== '' && !new RegExp(`^(?:${patterns.join('|')})$`).test(text);
}

/** The fields and parts of names by which a record becomes no row; the last line is not known. */
function namesLeavingOut({ only, except }: Recipe, textOf: TextOf): string[] {
  const namesOf = (choices: Recipe['only'], isThere: boolean) =>
    Object.entries(choices ?? {})
      .filter(([name, texts]) => texts.includes(textOf(name)) === isThere)
      .map(([name]) => name);
  return [...namesOf(only, false), ...namesOf(except, true)].filter(
    (name) => !name.startsWith(TRAILER_PART),
  );
}

/** The reason why a recipe does not read a file; null: it does. */
async function misfitOf(recipe: Recipe, source: CsvSource): Promise<string | null> {
  const head = await headOf(recipe, source, 1);
  await head.close();
  const names = fieldNames(recipe, head);
  const { missing, unknown } = faultsOf(recipe, names);
  const [lacking, ...more] = missing;
  if (lacking !== undefined) {
    const isOther = (name: string) => name.toLowerCase() !== lacking.toLowerCase();
    const isNear = more.length === 0 && !unknown.some(isOther);
    return isNear ? `${recipe.recipe} needs the field ${lacking}` : 'fields';
  }
  const line = head.lines[(recipe.skip_lines ?? 0) + (recipe.fields ? 0 : 1)] ?? '';
  const record = fieldsOfRecord(line, separatorOf(recipe));
  if (recipe.fields && !(record.length === names.length && /^[0-9]/.test(line))) return 'fields';
  const parts = nameParts(recipe, source.displayName);
  const textOf = (name: string) => record[names.indexOf(name)] ?? '';
  const givenOf = (name: string) =>
    name.startsWith(FILE_PART) ? (parts?.[name.slice(FILE_PART.length)] ?? '') : textOf(name);
  const leavingOut = namesLeavingOut(recipe, givenOf);
  const ofName = parts && leavingOut.find((name) => name.startsWith(FILE_PART));
  if (ofName) return `${recipe.recipe} leaves out files whose ${ofName} is ${givenOf(ofName)}`;
  const rules = leavingOut.length === 0 ? recipe.rowRules.flatMap((row) => [...row.values()]) : [];
  if (!rules.every((rule) => hasTimeOf(rule, recipe.dataset, textOf))) return 'times';
  const refusing = rules.find((rule) => isRefusedBy(rule, textOf));
  if (refusing) {
    return `${recipe.recipe} reads ${legalOf(refusing)}, not ${textOf(`${refusing.from}`)}`;
  }
  const isRefused = unknown.length > 0 && recipe.other_fields !== 'warn';
  if (isRefused) return `${recipe.recipe} does not know its fields ${unknown.join(', ')}`;
  const { file_name: form } = recipe;
  if (parts !== null) return null;
  return `${recipe.recipe} reads its fields, but files with names of the form ${form}`;
}

/** A source that is read once, and only as far as somebody needs it, however often it is opened. */
function readOnce(source: CsvSource): CsvSource & { readonly close: () => Promise<void> } {
  const chunks: Buffer[] = [];
  const iterator = source.open()[Symbol.asyncIterator]();
  async function* open() {
    for (let at = 0; ; at++) {
      const next = at < chunks.length ? null : await iterator.next();
      if (next?.done) return;
      // The source may overwrite its chunks.
      if (next) chunks.push(Buffer.from(next.value));
      yield chunks[at] as Buffer;
    }
  }
  return { ...source, open, close: async () => void (await iterator.return?.()) };
}

/** For a look at a file: how it is read does not depend on symbols that it lacks. */
const ANY_SYMBOL: DefinedSymbols = () => () => [''];

/** Calls `use` with the first text of the files. */
export async function withFirstText<T>(
  files: readonly string[],
  signal: AbortSignal,
  use: (source: CsvSource) => Promise<T>,
  symbols: DefinedSymbols | undefined = ANY_SYMBOL,
): Promise<T> {
  const options = { signal, stdin: null, spool: null, symbols, isByRecipe: true, onShare() {} };
  const sources = openSources(files, options);
  try {
    for await (const source of sources.files()) {
      if (source.format === 'csv') return await use(source);
      throw new UsageError(`${source.displayName}: recipes read text, not Parquet`);
    }
    throw new UsageError('there is no file to look at');
  } finally {
    sources.close();
  }
}

/** Recipes that fit but for one thing. */
const NEAR_SHOWN = 5;

/** Names in folders of LEAN, and the records of its daily and hourly bars. */
const LEAN_NAME = /(^|[/_])\d{8}(_\w+)?_(trade|quote|openinterest)(_\w+)?[.](zip|csv)/i;
const LEAN_BAR = /^\d{8} \d\d:\d\d(,\d+){5,}$/;

const isOfLean = (name: string, line: string) => LEAN_NAME.test(name) || LEAN_BAR.test(line);

/** Throws a `UsageError` that says what was found if not exactly one recipe fits the first file. */
export async function chooseRecipe(
  recipes: ReadonlyMap<string, Recipe>,
  files: readonly string[],
  signal: AbortSignal,
): Promise<Recipe> {
  return await withFirstText(files, signal, async (given) => {
    const { displayName } = given;
    const source = readOnce(given);
    const misfits = new Map<Recipe, string | null>();
    try {
      for (const recipe of recipes.values()) misfits.set(recipe, await misfitOf(recipe, source));
    } catch (error) {
      throw namedFailure(displayName, error);
    } finally {
      await source.close();
    }
    const fitting = [...misfits].flatMap(([recipe, misfit]) => (misfit === null ? [recipe] : []));
    const [only, ...others] = fitting;
    if (only && others.length === 0) return only;
    const names = fitting.map(({ recipe }) => recipe).join(' and ');
    if (only)
      throw new UsageError(`${displayName}: ${names} fit it; --as NAME says which is meant`);
    const { lines, close } = await readHead(source.open(), 1, true);
    await close();
    const [first = ''] = lines;
    if (isOfLean(displayName, first)) {
      throw new UsageError(
        `${displayName}: found a file of a LEAN folder, which ticklake import lean FOLDER reads as a whole`,
      );
    }
    const near = [...misfits.values()].filter((text) => text?.includes(' '));
    // A recipe that knows all fields is nearer than others.
    near.sort((a, b) => Number(b?.includes(', not ')) - Number(a?.includes(', not ')));
    const why = [`found ${foundIn(first)}`, ...near.slice(0, NEAR_SHOWN)].join('; ');
    throw new UsageError(
      `${displayName}: no recipe fits it; ${why}; ticklake recipe list lists them, and ticklake recipe init FILE begins one`,
    );
  });
}
