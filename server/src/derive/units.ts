/** What is computed at once: the dates of one part of the first input, and whether that is due. */
import { createHash } from 'node:crypto';
import type { Dataset } from '../catalog/dataset.ts';
import type { DerivationWay } from '../catalog/derivation.ts';
import type { DateSpan } from '../engine/query-plan.ts';
import type { IndexedPart } from '../store/lake-index.ts';
import type { PublishedSource } from '../store/publications.ts';
import { keyOfDate, spanOfKey } from './part-spans.ts';

export interface DerivationUnit {
  /** Of the input: a day, month or year, or `all` of one that is one whole. */
  readonly key: string;
  /** As the ledger names it among the sources: the input's text id and the key of its part. */
  readonly label: string;
  /** The part of the first input; null: it is gone, and so its rows have to go. */
  readonly part: IndexedPart | null;
  readonly dates: DateSpan;
  /** The partition of the computed dataset that the dates are in. */
  readonly outputKey: string;
}

/** A unit with what its rows would come from now, and what they came from last. */
export interface DatedUnit extends DerivationUnit {
  /** SHA-256 of all that determines the rows, in hexadecimal. */
  readonly lineage: string;
  /** The source of the rows that there are; null: they were never computed. */
  readonly source: PublishedSource | null;
  readonly isStale: boolean;
}

function unitOf(output: Dataset, input: Dataset, key: string, part: IndexedPart | null) {
  const dates = spanOfKey(key);
  const outputKey = keyOfDate(output.partitioning.unit, dates.start);
  return { key, label: `${input.textId} ${key}`, part, dates, outputKey };
}

/** The source that each unit was computed from last, by its label. */
export function latestSources(
  sources: readonly PublishedSource[],
): ReadonlyMap<string, PublishedSource> {
  return new Map(sources.map((source) => [source.name, source]));
}

/** What a unit is computed from: a part of an input, and the key that says of which dates. */
export interface UnitKey {
  readonly key: string;
  readonly part: IndexedPart;
}

/** Whole parts. */
export function partUnits(parts: readonly IndexedPart[]): UnitKey[] {
  return parts.map((part) => ({ key: part.key, part }));
}

/** Single dates of the parts, but for those that are in a part of the preferred input. */
export function dateUnits(
  parts: readonly IndexedPart[],
  dates: readonly string[],
  preferred: readonly IndexedPart[],
): UnitKey[] {
  const taken = preferred.map(({ key }) => spanOfKey(key));
  const spans = parts.map((part) => ({ part, ...spanOfKey(part.key) }));
  return dates.flatMap((date) => {
    if (taken.some(({ start, end }) => start <= date && date <= end)) return [];
    const found = spans.find(({ start, end }) => start <= date && date <= end);
    return found ? [{ key: date, part: found.part }] : [];
  });
}

export function inOrderOfDates<U extends DerivationUnit>(units: readonly U[]): U[] {
  return units.toSorted((a, b) => (a.dates.start < b.dates.start ? -1 : 1));
}

/** The units of an input, and those that it had and has no longer, in the order of their dates. */
export function unitsOf(
  output: Dataset,
  input: Dataset,
  keys: readonly UnitKey[],
  sources: ReadonlyMap<string, PublishedSource>,
): DerivationUnit[] {
  const units = keys.map(({ key, part }) => unitOf(output, input, key, part));
  const present = new Set(units.map(({ label }) => label));
  const prefix = `${input.textId} `;
  const gone = [...sources.keys()].filter(
    (label) => label.startsWith(prefix) && !present.has(label),
  );
  return inOrderOfDates([
    ...units,
    ...gone.map((label) => unitOf(output, input, label.slice(prefix.length), null)),
  ]);
}

/** SHA-256 of what determines the rows of a unit, in hexadecimal. */
export function lineageOf(
  { part }: DerivationUnit,
  { computation, parameters }: DerivationWay,
  { variant }: Dataset,
  ruleVersion: number,
  mark: string,
): string {
  const text = JSON.stringify([
    computation,
    ruleVersion,
    variant,
    part?.contentDigest ?? null,
    mark,
    ...(parameters ? [parameters] : []),
  ]);
  return createHash('sha256').update(text).digest('hex');
}

export function overlaps(a: DateSpan, b: DateSpan): boolean {
  return a.start <= b.end && a.end >= b.start;
}

/**
 * Neighbouring units that are written together: those of one partition with no other unit between them, so that
 * a partition is not written again for each of its days. Nor is one of the dates between them that are to be kept.
 */
export function groupsOf<U extends DerivationUnit>(
  units: readonly U[],
  isChosen: (unit: U) => boolean,
  keptDates: readonly string[] = [],
): U[][] {
  const areApart = (before: U, after: U) =>
    keptDates.some((date) => before.dates.end < date && date < after.dates.start);
  const isNext = (before: U, after: U) =>
    before.outputKey === after.outputKey && !areApart(before, after);
  const groups: U[][] = [];
  let open: U[] | null = null;
  for (const unit of units) {
    if (!isChosen(unit)) open = null;
    else if (open && isNext(open.at(-1) as U, unit)) open.push(unit);
    else {
      open = [unit];
      groups.push(open);
    }
  }
  return groups;
}
