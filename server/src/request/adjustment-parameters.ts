/** What a request says of adjusted rows beyond `adjusted`: by which events, as of which date, with which factors. */
import {
  ADJUSTMENTS,
  type AdjustmentChoice,
  type Adjustments,
} from '@ticklake/market/adjustment.ts';
import type { Problem } from '../base/errors.ts';
import { isCalendarDate } from './calendar-date.ts';
import { LITERALS } from './literals.ts';
import { versionSchema } from './page-parameters.ts';
import { problemAt } from './request-problem.ts';
import { readFlag, readInteger, readWord } from './standard-parameters.ts';

export interface AskedAdjustment extends AdjustmentChoice {
  /** Whether the factors come along, whatever columns are asked for. */
  readonly withFactors: boolean;
  /** Version of the dataset of factors; null: the current one. */
  readonly factorsVersion: number | null;
}

const ADJUSTMENT_WORDS = new Map(ADJUSTMENTS.map((name) => [name as string, name]));

function readAsOfDate(text: string | undefined, problems: Problem[]): string | null {
  if (text === undefined || isCalendarDate(text)) return text ?? null;
  const { accepts, label, problemType } = LITERALS.date;
  const msg = `Cannot parse the value '${text}' of 'adjusted_as_of' as ${label}: give ${accepts}`;
  problems.push(problemAt(['query', 'adjusted_as_of'], problemType, msg, text, { accepts }));
  return null;
}

function readAdjustments(text: string | undefined, problems: Problem[]): Adjustments {
  const [fallback] = ADJUSTMENTS;
  if (text === undefined) return fallback;
  return readWord('adjustments', 'enum', text, ADJUSTMENT_WORDS, problems) ?? fallback;
}

/** `texts` are those of the standard parameters that are given. */
export function readAdjustment(
  texts: ReadonlyMap<string, string>,
  problems: Problem[],
): AskedAdjustment {
  const version = texts.get('factors_version');
  return {
    asOf: readAsOfDate(texts.get('adjusted_as_of'), problems),
    adjustments: readAdjustments(texts.get('adjustments'), problems),
    withFactors: readFlag('adjustment_factors', texts.get('adjustment_factors'), problems) ?? false,
    factorsVersion:
      version === undefined
        ? null
        : readInteger('factors_version', version, versionSchema, problems),
  };
}

/** Whether stored adjusted rows do not answer the request, so that raw ones are restated for it. */
export function isRestated({ asOf, adjustments }: AdjustmentChoice): boolean {
  return asOf !== null || adjustments !== 'all';
}
