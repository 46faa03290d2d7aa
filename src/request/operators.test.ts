import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { DATA_TYPES } from '../catalog/dataset.ts';
import { DEFAULT_DATA_REQUEST_LIMITS as LIMITS } from './data-request-limits.ts';
import { LITERALS } from './literals.ts';
import { OPERATOR_NAMES, OPERATORS, operatorsOf } from './operators.ts';

const docs = readFileSync(join(import.meta.dirname, '../../docs/queries.md'), 'utf8');

/** The cells of the table whose header line starts with the given cells. */
function tableOf(...header: string[]): string[][] {
  const lines = docs.split('\n');
  const start = lines.findIndex((line) => line.startsWith(`| ${header.join(' | ')} |`));
  expect(start, `no table ${header.join(', ')}`).toBeGreaterThan(0);
  const end = lines.findIndex((line, i) => i > start && !line.startsWith('|'));
  return lines.slice(start + 2, end).map((line) =>
    line
      .slice(1, -1)
      .split('|')
      .map((cell) => cell.trim()),
  );
}

describe('docs/queries.md', () => {
  it('has every operator with its types and its meaning, and no other', () => {
    expect(tableOf('Operator', 'Column types')).toEqual(
      OPERATOR_NAMES.map((name) => [
        `\`.${name}\``,
        OPERATORS[name].dataTypes.join(', '),
        OPERATORS[name].sentence,
      ]),
    );
  });

  it('says what values each type accepts', () => {
    const documented = new Map(tableOf('Column type', 'Accepted') as [string, string][]);
    expect([...documented.keys()].sort()).toEqual([...DATA_TYPES].sort());
    for (const type of DATA_TYPES) expect(documented.get(type)).toBe(LITERALS[type].accepts);
  });

  it('has the row limits of every format', () => {
    expect(tableOf('`response_format`', 'Rows by default')).toEqual(
      Object.entries(LIMITS.rowLimits).map(([format, rows]) => [
        `\`${format}\``,
        String(rows.default),
        String(rows.max),
      ]),
    );
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
