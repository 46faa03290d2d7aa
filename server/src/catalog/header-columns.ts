/** From the names in a file's header to the dataset's columns. Pure. */

import { UsageError } from '../base/errors.ts';
import type { Column, Dataset } from './dataset.ts';

const SHOWN_CHARACTERS = 80;
const SHOWN_NAMES = 100;

/** Rules for the names in the headers of a load's files. */
export interface HeaderRules {
  /** The column that a name of the file stands for, by that name. */
  readonly renamed: ReadonlyMap<string, string>;
  /** Names of the file whose fields are not read. */
  readonly ignored: readonly string[];
  /** Is told the names of a file that are neither; absent: they are refused. */
  readonly onOthers?: (names: readonly string[]) => void;
}

export const HEADER_AS_IT_IS: HeaderRules = { renamed: new Map(), ignored: [] };

/** The column in each place of a record; null if it is not read. */
export type FileField = Column | null;

/** The columns among the fields, in their order. */
export function columnsOfFields(fields: readonly FileField[]): Column[] {
  return fields.filter((field) => field !== null);
}

/** Columns that a file cannot leave out: without them its rows have no place among the others. */
export function neededColumns({ naturalOrder, partitioning, dateColumn }: Dataset): string[] {
  const names = [...naturalOrder, partitioning.column, dateColumn];
  return [...new Set(names)].filter((name) => name !== null);
}

function listed(names: readonly string[]): string {
  const shown = names.slice(0, SHOWN_NAMES).map((name) => {
    return JSON.stringify(name.slice(0, SHOWN_CHARACTERS));
  });
  const more = names.length - shown.length;
  return [...shown, ...(more > 0 ? [`and ${more} more`] : [])].join(', ');
}

function legalColumns({ columns }: Dataset): string {
  return columns.map(({ name }) => name).join(', ');
}

const isSameName = (some: string, other: string) => some.toLowerCase() === other.toLowerCase();

/** The one of the names that is meant: the same, or else one that differs in case only. */
function nameMeant(names: readonly string[], name: string): string | undefined {
  return names.includes(name) ? name : names.find((each) => isSameName(each, name));
}

function columnNamed({ columns, columnByName }: Dataset, name: string): Column | undefined {
  return columnByName.get(name) ?? columns.find((column) => isSameName(column.name, name));
}

/** Throws a `UsageError` for rules that no file can follow, before one is read. */
export function requireHeaderRules(dataset: Dataset, { renamed, ignored }: HeaderRules): void {
  for (const [from, to] of renamed) {
    if (!columnNamed(dataset, to)) {
      throw new UsageError(
        `${listed([from])} cannot be mapped: ${dataset.textId} has no column ${listed([to])}; ` +
          `its columns are ${legalColumns(dataset)}`,
      );
    }
    if (nameMeant(ignored, from) !== undefined) {
      throw new UsageError(`${listed([from])} is both mapped and ignored; choose one of them`);
    }
  }
}

interface NamedField {
  /** As the file has it. */
  readonly name: string;
  /** Undefined: neither known nor ignored. */
  readonly field: FileField | undefined;
}

function namedField(dataset: Dataset, { renamed, ignored }: HeaderRules, name: string): NamedField {
  if (nameMeant(ignored, name) !== undefined) return { name, field: null };
  const from = nameMeant([...renamed.keys()], name);
  const to = from === undefined ? name : (renamed.get(from) as string);
  return { name, field: columnNamed(dataset, to) };
}

function requireKnown(dataset: Dataset, { onOthers }: HeaderRules, fields: readonly NamedField[]) {
  const unknown = fields.filter(({ field }) => field === undefined).map(({ name }) => name);
  if (unknown.length === 0) return;
  if (onOthers) return onOthers(unknown);
  throw new UsageError(
    `${dataset.textId} has no column ${listed(unknown)}; its columns are ${legalColumns(dataset)}; ` +
      "use --as to read a vendor's file, or --map to rename columns (over HTTP as and map)",
  );
}

function requireOnce(fields: readonly NamedField[]): void {
  for (const { field } of fields) {
    if (!field) continue;
    const same = fields.filter((each) => each.field === field);
    if (same.length < 2) continue;
    const names = [...new Set(same.map(({ name }) => name))];
    const asNames = names.length > 1 || names[0] !== field.name ? `, as ${listed(names)}` : '';
    throw new UsageError(`column ${listed([field.name])} appears more than once${asNames}`);
  }
}

/** A mapping that leads nowhere is a slip, unless the file has the column under its own name. */
function requireMapped(
  dataset: Dataset,
  { renamed }: HeaderRules,
  fields: readonly NamedField[],
): void {
  const names = fields.map(({ name }) => name);
  for (const [from, to] of renamed) {
    const isThere = fields.some(({ field }) => field && field === columnNamed(dataset, to));
    if (isThere || nameMeant(names, from) !== undefined) continue;
    const shown = listed([from]);
    throw new UsageError(
      `there is no ${shown} to map to ${to}; the names here are ${listed(names)}`,
    );
  }
}

function requireNeeded(dataset: Dataset, fields: readonly NamedField[]): void {
  const needed = neededColumns(dataset);
  const missing = needed.filter((name) => !fields.some(({ field }) => field?.name === name));
  if (missing.length === 0) return;
  throw new UsageError(
    `${missing.length > 1 ? 'missing columns' : 'missing column'} ${listed(missing)}; ` +
      `${dataset.textId} needs ${needed.join(', ')}`,
  );
}

/**
 * The columns that the header names, in the file's order. Names may differ from those of
 * columns in case. Throws a `UsageError` that lists unknown, repeated and missing ones.
 */
export function fieldsOfHeader(
  dataset: Dataset,
  names: readonly string[],
  rules: HeaderRules,
): FileField[] {
  const fields = names.map((name) => namedField(dataset, rules, name));
  requireKnown(dataset, rules, fields);
  requireOnce(fields);
  requireMapped(dataset, rules, fields);
  requireNeeded(dataset, fields);
  return fields.map(({ field }) => field ?? null);
}
