/**
 * The parameters that only some segments have: those that choose among a segment's variants, and
 * the look-back period. Forms, documents and the links between variants are made from them.
 */
import { ADJUSTMENTS } from '@ticklake/market/adjustment.ts';
import { contractColumn } from '../catalog/contract-column.ts';
import type { Dataset } from '../catalog/dataset.ts';
import { isRestatable } from '../catalog/derivation.ts';
import { intervalsOf, sessionNamesOf } from '../catalog/interval.ts';
import { DEFAULT_VARIANT } from './data-request.ts';
import { DATE_PATTERN, PERIOD_PATTERN } from './literals.ts';
import type { DataRequestLimits } from './settings.ts';
import { aggregationWords, FLAG_WORDS, type SegmentParameterName } from './standard-parameters.ts';

/** Versions are counted from 1. */
const VERSION_PATTERN = '^[1-9][0-9]*$';

export interface SegmentParameter {
  readonly name: SegmentParameterName;
  /** All that are legal; none where `pattern` says what is. */
  readonly values: readonly string[];
  readonly pattern: string | null;
  /** The value used if the parameter is left out; null: without it, nothing of the kind is done. */
  readonly default: string | null;
}

function wordFor<T>(words: ReadonlyMap<string, T>, value: T): string {
  const word = [...words].find(([, meant]) => meant === value)?.[0];
  if (word === undefined) throw new Error(`no word stands for ${value}`);
  return word;
}

function choice<T>(
  name: SegmentParameterName,
  words: ReadonlyMap<string, T>,
  value: T,
): SegmentParameter {
  return { name, values: [...words.keys()], pattern: null, default: wordFor(words, value) };
}

function matching(
  name: SegmentParameterName,
  pattern: string,
  fallback: string | null = null,
): SegmentParameter {
  return { name, values: [], pattern, default: fallback };
}

/** The parameters of adjusted rows. */
function adjustmentParameters(): SegmentParameter[] {
  return [
    matching('adjusted_as_of', DATE_PATTERN),
    { name: 'adjustments', values: ADJUSTMENTS, pattern: null, default: ADJUSTMENTS[0] },
    choice('adjustment_factors', FLAG_WORDS, false),
    matching('factors_version', VERSION_PATTERN),
  ];
}

/** The parameters of a dataset's path, in the order of the documents. */
export function segmentParameters(dataset: Dataset, limits: DataRequestLimits): SegmentParameter[] {
  const { variant, periodDefault } = dataset;
  const { adjusted, aggregationLogic } = DEFAULT_VARIANT;
  const logics = aggregationWords(limits);
  const [intervals, sessions] = [intervalsOf(dataset), sessionNamesOf(dataset)];
  const found = [
    variant.adjusted !== undefined && choice('adjusted', FLAG_WORDS, adjusted),
    ...(isRestatable(dataset) ? adjustmentParameters() : []),
    variant.aggregationLogic !== undefined && choice('aggregation_logic', logics, aggregationLogic),
    intervals.length > 0 &&
      ({ name: 'interval', values: intervals, pattern: null, default: null } as const),
    sessions.length > 0 &&
      ({ name: 'session', values: sessions, pattern: null, default: null } as const),
    periodDefault !== null && matching('period', `^${PERIOD_PATTERN}$`, periodDefault),
    contractColumn(dataset) !== null && matching('rolls_version', VERSION_PATTERN),
  ];
  return found.filter((parameter) => parameter !== false);
}

/** The parameters by which `chooseDataset` finds this dataset among the variants of its segment. */
export function variantParameters(
  { variant }: Dataset,
  limits: DataRequestLimits,
): Readonly<Record<string, string>> {
  const { adjusted, aggregationLogic } = variant;
  return {
    ...(adjusted === undefined ? {} : { adjusted: wordFor(FLAG_WORDS, adjusted) }),
    ...(aggregationLogic === undefined
      ? {}
      : { aggregation_logic: wordFor(aggregationWords(limits), aggregationLogic) }),
  };
}
