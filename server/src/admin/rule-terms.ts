/** What a rule lets through: its fields, and what has to be true of them beside other rules. */

import type { Dataset } from '../catalog/dataset.ts';
import { nullable } from '../schema/schema.ts';
import type { AccessRule, RuleTerms } from '../store/access-rules.ts';
import { type FieldValues, optional, refuse } from './field.ts';
import { DATE, UNIVERSE } from './field-kinds.ts';

/** The earliest date that the interface knows. */
export const FIRST_DATE = '1900-01-01';

export const TERMS_FIELDS = {
  start_date: optional(DATE, `First trade date; default: ${FIRST_DATE}`, {
    name: 'start',
    valueName: 'D',
    description: `first trade date (default: ${FIRST_DATE})`,
  }),
  end_date: optional(nullable(DATE, 'open'), 'Last trade date; open-ended when null or omitted', {
    name: 'end',
    valueName: 'D',
    description: 'last trade date (default: no end date)',
  }),
  universe_identifiers: optional(
    UNIVERSE,
    'Identifiers that may be read; an empty list means all',
    {
      name: 'universe',
      valueName: 'A,B',
      description: 'identifiers that may be read, separated by commas (default: all)',
    },
  ),
};

/** The same of a rule that is there. */
export const TERMS_CHANGES = {
  start_date: optional(DATE, 'First trade date', {
    name: 'start',
    valueName: 'D',
    description: 'first trade date',
  }),
  end_date: optional(nullable(DATE, 'open'), 'Last trade date; null means no end date', {
    name: 'end',
    valueName: 'D',
    description: 'last trade date, or open for no end date',
  }),
  universe_identifiers: optional(
    UNIVERSE,
    'Identifiers that may be read, in place of those before; an empty list means all',
    {
      name: 'universe',
      valueName: 'A,B',
      description: 'identifiers that may be read, in place of those before',
    },
    { name: 'no-universe', flag: [], description: 'let every identifier be read' },
  ),
};

type TermsValues = FieldValues<typeof TERMS_FIELDS>;

const ANY_TERMS: RuleTerms = { startDate: FIRST_DATE, endDate: null, universe: [] };

/** The terms that were given, in place of those that were there before; throws `BadInput` where the end comes first. */
export function termsOf(values: TermsValues, before: RuleTerms = ANY_TERMS): RuleTerms {
  const startDate = values.start_date ?? before.startDate;
  const { end_date: endDate = before.endDate } = values;
  if (endDate !== null && endDate < startDate) {
    const [field, complaint, input] =
      values.end_date === undefined
        ? ['start_date', `should not be after the end date, ${endDate}`, startDate]
        : ['end_date', `should not be before the start date, ${startDate}`, endDate];
    refuse(field, 'end_before_start', complaint, input);
  }
  return { startDate, endDate, universe: values.universe_identifiers ?? before.universe };
}

type Window = Pick<RuleTerms, 'startDate' | 'endDate'>;

function overlap(a: Window, b: Window): boolean {
  const startsInTime = (x: Window, y: Window) => y.endDate === null || x.startDate <= y.endDate;
  return startsInTime(a, b) && startsInTime(b, a);
}

/** The rule of the same holder and dataset that is in the way of a window. */
export function overlapping(
  window: Window,
  datasetId: string,
  others: readonly AccessRule[],
): AccessRule | undefined {
  return others.find((rule) => rule.datasetId === datasetId && overlap(window, rule));
}

function windowText({ startDate, endDate }: Window): string {
  return `${startDate} to ${endDate ?? 'open'}`;
}

/** Says of the field to blame, the one of the window if it was given, so that it can be mended. */
export function refuseOverlap(
  rule: AccessRule,
  values: Partial<TermsValues>,
  [field, input, dataset]: readonly [field: string, input: unknown, dataset: string],
): never {
  const given = (['start_date', 'end_date'] as const).find((name) => values[name] !== undefined);
  refuse(
    given ?? field,
    'overlapping_rule',
    `overlaps the window of rule ${rule.ruleId} for ${dataset}, ${windowText(rule)}`,
    given ? values[given] : input,
  );
}

/** Throws `BadInput` where the dataset has no identifiers to restrict by. */
export function requireUniverse(dataset: Dataset, universe: readonly string[]): void {
  if (universe.length === 0 || dataset.universeColumns.length > 0) return;
  const complaint = `should be empty: ${dataset.datasetId} has no identifiers to restrict by`;
  refuse('universe_identifiers', 'no_universe', complaint, universe);
}
