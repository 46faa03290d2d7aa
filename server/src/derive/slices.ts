/** Slices: the dates that are computed at once, those of one part or a single one. */
import { createHash } from 'node:crypto';
import { type Dataset, PARTITION_UNITS } from '../catalog/dataset.ts';
import type { DerivationWay } from '../catalog/derivation.ts';
import { keyOfDate, spanOfKey } from '../engine/partition-key.ts';
import type { DateSpan } from '../engine/query-plan.ts';
import type { IndexedPart } from '../store/lake-index.ts';
import type { PublishedSource } from '../store/publications.ts';

/** True if one of the keys is that of the date, its month, its year or the whole. */
export function hasKeyOf(keys: ReadonlySet<string>, date: string): boolean {
  return keys.size > 0 && PARTITION_UNITS.some((unit) => keys.has(keyOfDate(unit, date)));
}

export function overlaps(a: DateSpan, b: DateSpan): boolean {
  return a.start <= b.end && a.end >= b.start;
}

export interface Slice {
  /** A day, month or year of the input, or `all` of one that is one whole. */
  readonly key: string;
  /** Name among the sources in the ledger: the input's text id and the key. */
  readonly label: string;
  /** The part of the first input; null: it is gone, and so its rows have to go. */
  readonly part: IndexedPart | null;
  readonly dates: DateSpan;
  /** The partition of the computed dataset that the dates are in. */
  readonly outputKey: string;
}

/** The key of a slice and the part of the input that it is computed from. */
interface SliceKey {
  readonly key: string;
  readonly part: IndexedPart;
}

/** One slice for each part. */
export function keysOfParts(parts: readonly IndexedPart[]): SliceKey[] {
  return parts.map((part) => ({ key: part.key, part }));
}

/** One slice for each date of the parts that the preferred input has no part of. */
export function keysOfDates(
  parts: readonly IndexedPart[],
  dates: readonly string[],
  preferred: readonly IndexedPart[],
): SliceKey[] {
  const taken = preferred.map(({ key }) => spanOfKey(key));
  const spans = parts.map((part) => ({ part, ...spanOfKey(part.key) }));
  return dates.flatMap((date) => {
    if (taken.some(({ start, end }) => start <= date && date <= end)) return [];
    const found = spans.find(({ start, end }) => start <= date && date <= end);
    return found ? [{ key: date, part: found.part }] : [];
  });
}

export function inOrderOfDates<S extends Slice>(slices: readonly S[]): S[] {
  return slices.toSorted((a, b) => (a.dates.start < b.dates.start ? -1 : 1));
}

type Named = Pick<Dataset, 'textId'>;

function sliceOf(output: Dataset, input: Named, key: string, part: IndexedPart | null): Slice {
  const dates = spanOfKey(key);
  const outputKey = keyOfDate(output.partitioning.unit, dates.start);
  return { key, label: `${input.textId} ${key}`, part, dates, outputKey };
}

/** The source that each slice was computed from last, by its label. */
export type Sources = ReadonlyMap<string, PublishedSource>;

export function latestSources(sources: readonly PublishedSource[]): Sources {
  return new Map(sources.map((source) => [source.name, source]));
}

/** The slices of an input, and those that it had and has no longer, in the order of their dates. */
export function slicesOf(
  output: Dataset,
  input: Named,
  keys: readonly SliceKey[],
  sources: Sources,
): Slice[] {
  const slices = keys.map(({ key, part }) => sliceOf(output, input, key, part));
  const present = new Set(slices.map(({ label }) => label));
  const prefix = `${input.textId} `;
  const gone = [...sources.keys()].filter(
    (label) => label.startsWith(prefix) && !present.has(label),
  );
  return inOrderOfDates([
    ...slices,
    ...gone.map((label) => sliceOf(output, input, label.slice(prefix.length), null)),
  ]);
}

interface Lineage {
  readonly part: IndexedPart | null;
  readonly rule: DerivationWay;
  readonly ruleVersion: number;
  readonly variant: Dataset['variant'];
  readonly referenceDigest: string;
}

/** SHA-256 of all that determines the rows of a slice, in hexadecimal. */
export function lineageOf({ part, rule, ruleVersion, variant, referenceDigest }: Lineage): string {
  const text = JSON.stringify([
    rule.computation,
    ruleVersion,
    variant,
    part?.contentDigest ?? null,
    referenceDigest,
    ...(rule.parameters ? [rule.parameters] : []),
  ]);
  return createHash('sha256').update(text).digest('hex');
}

/**
 * Neighbouring slices that are written together: those of one partition, so that it is not written
 * again for each of its days. Slices that are not chosen, and kept dates, stand between groups.
 */
export function groupsOf<S extends Slice>(
  slices: readonly S[],
  isChosen: (slice: S) => boolean,
  keptDates: readonly string[] = [],
): S[][] {
  const areApart = (before: S, after: S) =>
    keptDates.some((date) => before.dates.end < date && date < after.dates.start);
  const isNext = (before: S, after: S) =>
    before.outputKey === after.outputKey && !areApart(before, after);
  const groups: S[][] = [];
  let open: S[] | null = null;
  for (const slice of slices) {
    if (!isChosen(slice)) open = null;
    else if (open && isNext(open.at(-1) as S, slice)) open.push(slice);
    else {
      open = [slice];
      groups.push(open);
    }
  }
  return groups;
}
