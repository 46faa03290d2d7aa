import { describe, expect, it } from 'vitest';
import { isDate, splitList, valueProblem } from './value-problem';

describe('valueProblem', () => {
  it.each([
    ['integer', 'eq', '9223372036854775807', true],
    ['integer', 'eq', '9223372036854775808', false],
    ['integer', 'eq', '1.0', false],
    ['number', 'gt', '-.5e-3', true],
    ['number', 'gt', '1e999', false],
    ['number', 'gt', '1,5', false],
    ['date', 'ge', '2024-02-29', true],
    ['date', 'ge', '2023-02-29', false],
    ['date-time', 'lt', '2026-11-18T09:30:00.123456789-05:00', true],
    ['date-time', 'lt', '2026-11-18 09:30:00Z', true],
    ['date-time', 'lt', '2026-11-18T24:00:00', false],
    ['date-time', 'lt', '2026-11-18T09:30', true],
    ['date-time', 'lt', '2026-11-18', true],
    ['date-time', 'ge', '2026-11-31', false],
    ['date-time', 'le', '2026-11-18', false],
    ['date-time', 'in', '2026-11-18', false],
    ['string', 'eq', '', true],
    ['decimal', 'ge', '-0.50', true],
    ['decimal', 'ge', '1e2', false],
    ['boolean', 'eq', 'true', true],
    ['boolean', 'in', 'true,False', false],
    ['array of integer', 'in', '1,-2', true],
    ['array of number', 'eq', 'x', false],
    ['string', 'eq', 'tab\t', false],
    ['integer', 'in', '1,2,3', true],
    ['integer', 'in', '1,,3', false],
    ['string', 'in', '"open', false],
    ['string', 'ilike', '*"*', true],
  ] as const)('judges %s .%s %j as legal: %s', (dataType, operator, value, isLegal) => {
    expect(valueProblem(dataType, operator, value) === null).toBe(isLegal);
  });

  it('names the wrong value of a list', () => {
    expect(valueProblem('date', 'in', '2026-11-18,soon')).toContain('‘soon’');
  });
});

describe('splitList', () => {
  it.each([
    ['A,B', ['A', 'B']],
    ['', ['']],
    ['A,', ['A', '']],
    ['"a,""b""",c', ['a,"b"', 'c']],
    ['a"b', ['a"b']],
    ['"a"b', null],
    ['"a', null],
  ])('reads %j', (text, values) => {
    expect(splitList(text)).toEqual(values);
  });
});

describe('isDate', () => {
  it('knows the years that the service knows', () => {
    expect(['1900-01-01', '2199-12-31'].every(isDate)).toBe(true);
    expect(['1899-12-31', '2200-01-01', '2026-1-1', '2026-13-01'].some(isDate)).toBe(false);
  });
});
