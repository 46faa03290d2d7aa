/** The fields of a new rule, as they are typed and as they are sent. */
import type { BodyOf } from '@ticklake/client';
import { listedTexts } from '../network/subnet-draft';

export interface RuleFields extends Readonly<Record<string, unknown>> {
  /** '' while none is chosen. */
  readonly dataset_id: string;
  /** '' for the earliest date. */
  readonly start_date: string;
  /** '' for an open end. */
  readonly end_date: string;
  readonly universe_identifiers: string;
}

export const NEW_RULE: RuleFields = {
  dataset_id: '',
  start_date: '',
  end_date: '',
  universe_identifiers: '',
};

export function ruleProblems({ dataset_id, start_date, end_date }: RuleFields) {
  const isReversed = start_date !== '' && end_date !== '' && end_date < start_date;
  return {
    dataset_id: dataset_id === '' ? 'Choose a dataset' : '',
    end_date: isReversed ? 'Choose a date that is not before the first one' : '',
  };
}

export function ruleBody(fields: RuleFields): BodyOf<'addDataAccessRule'> {
  const { dataset_id, start_date, end_date, universe_identifiers } = fields;
  const universe = [...new Set(listedTexts(universe_identifiers))];
  return {
    dataset_id,
    ...(start_date && { start_date }),
    ...(end_date && { end_date }),
    ...(universe.length > 0 && { universe_identifiers: universe }),
  };
}
