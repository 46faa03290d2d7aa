import { describe, expect, it } from 'vitest';
import { docsText } from '../../test/docs-table.ts';
import { DEFAULT_DATA_REQUEST_LIMITS as LIMITS } from '../request/settings.ts';
import { operatorsOf } from './operators.ts';

const docs = docsText('queries.md');

describe('docs/queries.md', () => {
  it('has the other limits', () => {
    expect(docs.replaceAll('\n', ' ')).toContain(
      `at most ${LIMITS.filtersMax} filters, ${LIMITS.inValuesMax} values in one list, ` +
        `${LIMITS.sortFieldsMax} sort fields, an offset of ${LIMITS.offsetMax} ` +
        `and ${LIMITS.urlBytesMax} bytes of URL`,
    );
  });
});

describe('operatorsOf', () => {
  it.each([
    ['string', ['eq', 'in', 'like', 'ilike']],
    ['integer', ['eq', 'gt', 'ge', 'lt', 'le', 'in']],
    ['number', ['eq', 'gt', 'ge', 'lt', 'le', 'in']],
    ['date', ['eq', 'gt', 'ge', 'lt', 'le', 'in']],
    ['date-time', ['eq', 'gt', 'ge', 'lt', 'le', 'in']],
    ['array of string', ['eq', 'in', 'like']],
  ] as const)('of %s are %j', (dataType, names) => {
    expect(operatorsOf(dataType)).toEqual(names);
  });
});
