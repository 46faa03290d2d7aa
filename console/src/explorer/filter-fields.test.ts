import { describe, expect, it } from 'vitest';
import type { ShapeColumn } from './dataset-shape';
import { knownValues, valueSuggestions } from './filter-fields';

const EVENTS = ['TRADE', 'TRADE NB', 'QUOTE BID'];
const column = (more: Partial<ShapeColumn>): ShapeColumn => ({
  ...{ name: 'EventType', data_type: 'string', operators: ['eq', 'in'] },
  ...more,
});
const offered = (operator: 'eq' | 'in', value: string) =>
  valueSuggestions({ column: 'EventType', operator, value }, EVENTS).map((each) => each.value);

describe('the values of a filter', () => {
  it('are those that the column is known to have', () => {
    expect(knownValues(column({ values: EVENTS }))).toEqual(EVENTS);
    expect(knownValues(column({ data_type: 'boolean' }))).toEqual(['true', 'false']);
    expect(knownValues(column({}))).toBeNull();
    expect(knownValues(undefined)).toBeNull();
  });

  it('are offered by any part that is typed, and all of them once one is whole', () => {
    expect(offered('eq', '')).toEqual(EVENTS);
    expect(offered('eq', 'nb')).toEqual(['TRADE NB']);
    expect(offered('eq', 'QUOTE BID')).toEqual(EVENTS);
  });

  it('are added to a list, each once', () => {
    expect(offered('in', 'TRADE,')).toEqual(['TRADE,TRADE NB', 'TRADE,QUOTE BID']);
    expect(offered('in', 'TRADE,bid')).toEqual(['TRADE,QUOTE BID']);
    const withComma = valueSuggestions({ column: 'A', operator: 'in', value: '' }, ['a,b']);
    expect(withComma[0]?.value).toBe('"a,b"');
  });
});
