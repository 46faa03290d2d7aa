import { describe, expect, it } from 'vitest';
import { docsTable, docsText } from '../../test/docs-table.ts';
import { operatorRows } from '../../test/documented-rows.ts';
import { DATA_TYPES } from '../catalog/dataset.ts';
import { LITERALS } from '../request/literals.ts';
import { DEFAULT_DATA_REQUEST_LIMITS as LIMITS } from '../request/settings.ts';
import { operatorsOf } from './operators.ts';

const docs = docsText('queries.md');

const tableOf = (...header: string[]) => docsTable('queries.md', ...header);

describe('docs/queries.md', () => {
  it('has every operator with its types and its meaning, and no other', () => {
    expect(tableOf('Operator', 'Column types')).toEqual(operatorRows());
  });

  it('says what values each type accepts', () => {
    const documented = new Map(tableOf('Column type', 'Accepted') as [string, string][]);
    expect([...documented.keys()].sort()).toEqual([...DATA_TYPES].sort());
    for (const type of DATA_TYPES) expect(documented.get(type)).toBe(LITERALS[type].accepts);
  });

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
