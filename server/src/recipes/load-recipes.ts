/** Reads recipe files, the shipped ones and those of a home, and checks them. */
import { existsSync, readFileSync } from 'node:fs';
import { basename, extname, join } from 'node:path';
import { CALENDARS_FILE } from '../base/home-layout.ts';
import { SHIPPED_RECIPES } from '../base/installation.ts';
import { readCalendars } from '../catalog/calendars-file.ts';
import type { Catalog, Dataset } from '../catalog/dataset.ts';
import { COMPLAINTS, definitionText, withoutEmpty } from '../catalog/definition-file.ts';
import { neededColumns } from '../catalog/header-columns.ts';
import { definitionPaths, furtherCatalog } from '../catalog/load-catalog.ts';
import { TIME_FORM_LEGAL, timeForm } from '../ingest/time-forms.ts';
import { readValue, type ValuePath } from '../schema/read-value.ts';
import type { Schema } from '../schema/schema.ts';
import { fieldsOfRule, listOf } from './column-steps.ts';
import { NAME_FORM_LEGAL, nameForm } from './name-form.ts';
import {
  COLUMN_RULE,
  type ColumnRule,
  type ColumnRules,
  RECIPE,
  type Recipe,
  type RecipeFields,
} from './recipe.ts';

export const RECIPES_FOLDER = 'recipes';
/** Begin the names of the parts of a file's name, and of its trailer. */
export const FILE_PART = 'file.';
export const TRAILER_PART = 'trailer.';
/** A rule has at most one of these. */
const VALUE_FIELDS = ['time', 'epoch', 'scaled', 'hexadecimal', 'table', 'bits'] as const;

type Report = (path: ValuePath, message: string) => void;

function readFields<S extends Schema>(schema: S, value: unknown, path: ValuePath, report: Report) {
  const { value: read, faults } = readValue(schema, value);
  for (const fault of faults) report([...path, ...fault.path], COMPLAINTS[fault.type](fault));
  return faults.length > 0 ? null : read;
}

/** The number of groups of a regular expression; null: it is none. */
function groupCount(text: string): number | null {
  try {
    return (new RegExp(`${text}|`).exec('')?.length ?? 1) - 1;
  } catch {
    return null;
  }
}

/** Checks that the schema of a rule cannot express. */
function checkRule(rule: ColumnRule, dataType: string, path: ValuePath, report: Report): void {
  const origins = [rule.from, rule.constant, rule.by].filter((each) => each !== undefined);
  if (origins.length !== 1) report(path, 'must have one of from, constant and by');
  if ((rule.by === undefined) !== (rule.fields === undefined)) {
    report(path, 'must have by and fields together');
  }
  const named = fieldsOfRule({ by: rule.by ?? [], fields: rule.fields ?? {} });
  if (named.some((name) => name === '' || /^(?:file|trailer)[.]/.test(name))) {
    report(path, 'must have by and fields of fields in the file');
  }
  if (rule.otherwise === 'keep' && rule.by)
    report([...path, 'otherwise'], 'must not be keep with by');
  const values = VALUE_FIELDS.filter((name) => rule[name] !== undefined);
  if (values.length > 1) report(path, `must have only one of ${values.join(', ')}`);
  const isTime = ['date', 'date-time'].includes(dataType);
  if ((rule.time ?? rule.epoch) !== undefined && !isTime) {
    report(path, `must not have a time: the column is of type ${dataType}`);
  }
  if (rule.midnight !== undefined && !rule.epoch) report([...path, 'midnight'], 'needs epoch');
  if (rule.minus_seconds !== undefined && rule.time === undefined) {
    report([...path, 'minus_seconds'], 'needs time');
  }
  for (const form of listOf(rule.time)) {
    const read = timeForm(form);
    if (rule.minus_seconds !== undefined && (!read?.time || read.hasOffset)) {
      report([...path, 'time'], 'must be forms of a time without an offset, with minus_seconds');
    }
    const isWhole = read !== null && (read.time !== null || dataType === 'date');
    if (!isWhole) report([...path, 'time'], `must be ${TIME_FORM_LEGAL}, not ${form}`);
  }
  for (const pattern of Object.keys(rule.rewrite ?? {})) {
    if (groupCount(pattern) !== null) continue;
    report([...path, 'rewrite'], `must have regular expressions, not ${pattern}`);
  }
  if (rule.extract !== undefined && groupCount(rule.extract) !== 1) {
    report(
      [...path, 'extract'],
      `must be a regular expression with one group, not ${rule.extract}`,
    );
  }
}

function rulesOf(
  columns: RecipeFields['columns'],
  { textId, columnByName }: Dataset,
  path: ValuePath,
  report: Report,
): ColumnRules {
  const rules = Object.entries(columns).flatMap(([name, given]) => {
    const at = [...path, name];
    const column = columnByName.get(name);
    if (!column) {
      report(
        at,
        `is no column of ${textId}; its columns are ${[...columnByName.keys()].join(', ')}`,
      );
    }
    const value = typeof given === 'string' ? { from: given } : given;
    const rule = readFields(COLUMN_RULE, value, at, report) as ColumnRule | null;
    if (rule && column) checkRule(rule, column.dataType, at, report);
    return rule ? [[name, rule] as const] : [];
  });
  return new Map(rules);
}

function checkForms(
  { file_name: name, trailer, only = {}, except = {} }: RecipeFields,
  names: ReadonlySet<string>,
  report: Report,
): void {
  for (const [field, text, begin] of [
    ['file_name', name, FILE_PART],
    ['trailer', trailer, TRAILER_PART],
  ] as const) {
    const form = nameForm(text ?? '');
    if (!form) report([field], `must be ${NAME_FORM_LEGAL}, not ${text}`);
    for (const used of [...names].filter((each) => each.startsWith(begin))) {
      const part = used.slice(begin.length);
      if (form?.parts.includes(part)) continue;
      const place = used in only ? 'only' : used in except ? 'except' : 'columns';
      report([place], `must not name ${used}: ${field} has no part {${part}}`);
    }
  }
}

/** The columns of each row; all rows have the same ones, which are null where none is given. */
function rowRules(fields: RecipeFields, dataset: Dataset, report: Report): ColumnRules[] {
  const common = rulesOf(fields.columns, dataset, ['columns'], report);
  const rows = fields.rows?.map((row, r) => rulesOf(row, dataset, ['rows', r], report)) ?? [
    new Map(),
  ];
  const all = rows.map((row) => new Map([...common, ...row]));
  const names = new Set(all.flatMap((row) => [...row.keys()]));
  const missing = neededColumns(dataset).filter((name) => !names.has(name));
  if (missing.length > 0) report(['columns'], `must have ${missing.join(', ')}`);
  return all.map((row) => {
    const empty = [...names].filter((name) => !row.has(name));
    return new Map([...row, ...empty.map((name) => [name, { constant: '' }] as const)]);
  });
}

/** Refuses a name that stands for two fields. */
function fieldsByNameOf(
  { other_names: others }: RecipeFields,
  knownFields: ReadonlySet<string>,
  report: Report,
): Map<string, string> | null {
  if (!others) return null;
  const byName = new Map([...knownFields].map((field) => [field.toLowerCase(), field]));
  for (const [field, names] of Object.entries(others)) {
    if (!knownFields.has(field)) {
      report(['other_names', field], 'must be a field that the recipe reads');
    }
    for (const name of [field, ...names]) {
      const known = byName.get(name.toLowerCase()) ?? field;
      byName.set(name.toLowerCase(), known);
      if (known === field) continue;
      report(['other_names', field], `must not have ${name}, which stands for ${known}`);
    }
  }
  return byName;
}

type FindDataset = Catalog['byTextId'];

function recipeOf(
  fields: RecipeFields,
  find: FindDataset,
  file: { path: string; text: string },
  report: Report,
) {
  const dataset = find(fields.dataset);
  if (!dataset) {
    report(
      ['dataset'],
      `must be the text_id of a dataset, not ${fields.dataset}; ticklake datasets --all lists them`,
    );
    return null;
  }
  const rules = rowRules(fields, dataset, report);
  const named = rules.flatMap((row) => [...row.values()].flatMap(fieldsOfRule));
  const chosenBy = Object.keys({ ...fields.only, ...fields.except });
  const used = new Set([...named, ...chosenBy]);
  checkForms(fields, used, report);
  if (fields.one_date && !nameForm(fields.file_name ?? '')?.parts.includes('date')) {
    report(['one_date'], 'needs a file_name with a part {date:FORM}');
  }
  const inFile = [...used].filter(
    (name) => !name.startsWith(FILE_PART) && !name.startsWith(TRAILER_PART),
  );
  const { optional_fields: optional = [], unread_fields: unread = [] } = fields;
  const unknown = fields.fields ? inFile.filter((name) => !fields.fields?.includes(name)) : [];
  if (unknown.length > 0) report(['fields'], `must have ${unknown.join(', ')}`);
  const neededFields = new Set(inFile.filter((name) => !optional.includes(name)));
  const knownFields = new Set([...inFile, ...optional, ...unread]);
  const fieldsByName = fieldsByNameOf(fields, knownFields, report);
  const usesTrailer = [...used].some((name) => name.startsWith(TRAILER_PART));
  const names = { neededFields, knownFields, fieldsByName };
  return { ...fields, ...file, dataset, rowRules: rules, ...names, usesTrailer };
}

interface ReadRecipe {
  readonly name: string;
  readonly faults: readonly string[];
  /** Null: it has faults. */
  readonly recipe: Recipe | null;
}

/** Sound recipes by their paths, so that a process that loads them often reads each only once. */
const known = new Map<string, ReadRecipe>();

/** A recipe by its name; where the text is torn, by the name that it had, or that of its file. */
function readRecipe(path: string, text: string, find: FindDataset): ReadRecipe {
  const source = definitionText(path, text);
  const faults = [...source.faults()];
  const [, given] = /^recipe: *["']?([a-z0-9-]+)/m.exec(text) ?? [];
  const name = given ?? known.get(path)?.name ?? basename(path, extname(path));
  if (faults.length > 0) return { name, faults, recipe: null };
  const report: Report = (at, message) => faults.push(`${source.place(at)} ${message}`);
  const fields = readFields(
    RECIPE,
    withoutEmpty(source.value()),
    [],
    report,
  ) as RecipeFields | null;
  const recipe = fields && recipeOf(fields, find, { path, text }, report);
  return { name, faults, recipe: faults.length > 0 ? null : recipe };
}

/** A recipe depends on its text and its dataset alone. */
function knownRecipe(path: string, text: string, find: FindDataset): ReadRecipe | undefined {
  const before = known.get(path);
  const { recipe } = before ?? {};
  const isSame = recipe?.text === text && find(recipe.dataset.textId) === recipe.dataset;
  return isSame ? before : undefined;
}

export interface Recipes {
  readonly recipes: ReadonlyMap<string, Recipe>;
  /** A line for each fault of a recipe: file, line, field, and what is legal there. */
  readonly faulty: ReadonlyMap<string, readonly string[]>;
}

/**
 * The recipes by name: those in `recipes` of the home, even faulty ones, take the place of shipped
 * ones. They may read into further datasets, too.
 */
export function loadRecipes(home: string, catalog: Catalog): Recipes {
  const further = furtherCatalog(readCalendars(join(home, CALENDARS_FILE)));
  const find: FindDataset = (textId) => catalog.byTextId(textId) ?? further.byTextId(textId);
  const recipes = new Map<string, Recipe>();
  const faulty = new Map<string, readonly string[]>();
  const own = join(home, RECIPES_FOLDER);
  const folders = [SHIPPED_RECIPES, ...(existsSync(own) ? [own] : [])];
  for (const path of folders.flatMap(definitionPaths)) {
    const text = readFileSync(path, 'utf8');
    const read = knownRecipe(path, text, find) ?? readRecipe(path, text, find);
    const { name, faults, recipe } = read;
    if (recipe) known.set(path, read);
    recipes.delete(name);
    faulty.delete(name);
    if (recipe) recipes.set(name, recipe);
    else faulty.set(name, faults);
  }
  return { recipes, faulty };
}
