/** Expectations of deliveries of files, as definitions, recipes and nights state them. */
import * as v from 'valibot';
import { legal, objectOf, oneOf, optional, wholeNumber } from '../schema/schema.ts';
import { SEVERITIES } from './checks.ts';

const PERCENT = wholeNumber(1, 10_000);

export const EXPECTATION_FIELDS = {
  date_in_name: optional(
    v.pipe(v.literal(true), legal('true')),
    'Each file has a date in its name, such as `2026-01-05` or `20260105`, and its rows are of that date. Two dates are the first and the last one.',
  ),
  usual_percent_min: optional(
    PERCENT,
    'Least number of rows of a date, in percent of the usual one: the median of earlier dates.',
  ),
  usual_percent_max: optional(
    PERCENT,
    'Greatest number of rows of a date, in percent of the usual one.',
  ),
  identifiers: optional(
    v.pipe(
      v.array(v.pipe(v.string(), v.minLength(1))),
      v.minLength(1),
      legal('a list of texts (numbers in quotes)'),
    ),
    'Identifiers, such as tickers, that have rows on each date.',
  ),
  on_failure: optional(
    oneOf(SEVERITIES),
    '`refuse`: nothing is published. `warn`: the load continues, and alerts tell of it. `refuse` when left out.',
  ),
};

const EXPECTATION = v.pipe(
  objectOf(EXPECTATION_FIELDS),
  legal(`the fields ${Object.keys(EXPECTATION_FIELDS).join(', ')}`),
);
export type Expectation = v.InferOutput<typeof EXPECTATION>;

export const EXPECTATIONS = v.pipe(
  v.array(EXPECTATION),
  v.minLength(1),
  legal(`a list (at least 1), each the fields ${Object.keys(EXPECTATION_FIELDS).join(', ')}`),
);
