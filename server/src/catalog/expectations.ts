/** Expectations of deliveries of files, as definitions, recipes and nights state them. */
import * as v from 'valibot';
import { legal, objectOf } from '../schema/schema.ts';
import { SEVERITIES } from './checks.ts';

const PERCENT_MAX = 10_000;

function percent(words: string) {
  const legalText = `a whole number from 1 to ${PERCENT_MAX}`;
  const schema = v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(PERCENT_MAX));
  return v.exactOptional(v.pipe(schema, legal(legalText), v.description(words)));
}

export const EXPECTATION_FIELDS = {
  date_in_name: v.exactOptional(
    v.pipe(
      v.literal(true),
      legal('true'),
      v.description(
        'Each file has a date in its name, such as `2026-01-05` or `20260105`, and its rows are of that date. Two dates are the first and the last one.',
      ),
    ),
  ),
  usual_percent_min: percent(
    'Least number of rows of a date, in percent of the usual one: the median of earlier dates.',
  ),
  usual_percent_max: percent('Greatest number of rows of a date, in percent of the usual one.'),
  identifiers: v.exactOptional(
    v.pipe(
      v.array(v.pipe(v.string(), v.minLength(1))),
      v.minLength(1),
      legal('a list of texts (numbers in quotes)'),
      v.description('Identifiers, such as tickers, that have rows on each date.'),
    ),
  ),
  on_failure: v.exactOptional(
    v.pipe(
      v.picklist(SEVERITIES),
      legal(`one of ${SEVERITIES.join(', ')}`),
      v.description(
        '`refuse`: nothing is published. `warn`: the load continues, and alerts tell of it. `refuse` when left out.',
      ),
    ),
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
