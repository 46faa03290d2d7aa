import { describe, expect, it } from 'vitest';
import { TICKS, WANTING } from '../../test/fixtures/shapes';
import { identifierHint } from './dataset-shape';

describe('identifierHint', () => {
  it('names what may be filtered by in place of an identifier', () => {
    const column = { ...WANTING.columns[0], name: 'BaseSymbol', data_type: 'string' } as const;
    const shape = {
      ...WANTING,
      columns: [...WANTING.columns, column] as typeof WANTING.columns,
      required_filters: [['Ticker', 'BaseSymbol']],
    };
    expect(identifierHint(shape)).toBe(
      'Ticker; several are separated by commas; or filter by BaseSymbol',
    );
    expect(identifierHint({ ...shape, required_filters: [['Ticker']] })).toBe(
      'Ticker; several are separated by commas',
    );
  });

  it('names no column where the path takes the identifier', () => {
    expect(identifierHint(TICKS)).toContain('A ticker');
  });
});
