import type { AdministeredRule, BodyOf } from '@ticklake/client';
import { RULE_FIRST_DATE } from '../format/texts';
import { listedTexts } from '../network/subnet-draft';

const NO_TERMS = {
  /** '' for the earliest date. */
  start_date: '',
  /** '' for an open end. */
  end_date: '',
  universe_identifiers: '',
  /** '' for all. */
  columns: '',
};
type TermsFields = typeof NO_TERMS;

export const NEW_RULES = {
  ...NO_TERMS,
  dataset_ids: [] as readonly string[],
  groups: [] as readonly string[],
  skip_overlapping: false,
};
type RulesFields = typeof NEW_RULES;

export function termsProblems({ start_date, end_date }: TermsFields) {
  const isReversed = start_date !== '' && end_date !== '' && end_date < start_date;
  return { end_date: isReversed ? 'Choose a date that is not before the first one' : '' };
}

export function rulesProblems(fields: RulesFields) {
  const isEmpty = fields.dataset_ids.length === 0 && fields.groups.length === 0;
  return { ...termsProblems(fields), dataset_ids: isEmpty ? 'Choose datasets or groups' : '' };
}

/** Each once. */
function namesIn(text: string): string[] {
  return [...new Set(listedTexts(text))];
}

export function rulesBody(fields: RulesFields): BodyOf<'addDataAccessRules'> {
  const { dataset_ids, groups, skip_overlapping } = fields;
  return { dataset_ids, groups, skip_overlapping, ...termsBody(fields) };
}

export function termsOf(rule: AdministeredRule): TermsFields {
  return {
    start_date: rule.start_date === RULE_FIRST_DATE ? '' : rule.start_date,
    end_date: rule.end_date ?? '',
    universe_identifiers: rule.universe_identifiers.join(', '),
    columns: rule.columns?.join(', ') ?? '',
  };
}

export function termsBody(fields: TermsFields): BodyOf<'updateDataAccessRule'> {
  const columns = namesIn(fields.columns);
  return {
    start_date: fields.start_date || RULE_FIRST_DATE,
    end_date: fields.end_date || null,
    universe_identifiers: namesIn(fields.universe_identifiers),
    columns: columns.length > 0 ? columns : null,
  };
}
