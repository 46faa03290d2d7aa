import type { FoundSecurity } from '@ticklake/client';
import { describe, expect, it } from 'vitest';
import { type IdentifierKinds, namesOfSecurities, suggestionsOf, termOf } from './identifier-field';

const ONE: IdentifierKinds = {
  ...{ hasTickers: true, hasNumbers: true, hasContracts: false, isList: false },
};
const LIST: IdentifierKinds = { ...ONE, isList: true };

function found(change: Partial<FoundSecurity> = {}): FoundSecurity {
  return {
    ...{
      ticker: 'META',
      asid: 1234,
      sec_id: 9,
      name: 'Meta Platforms Inc',
      primary_exchange: null,
    },
    ...{ security_description: null, list_status: null, start_date: '2012-05-18', end_date: null },
    matched: { field: 'Name', value: 'Meta Platforms Inc' },
    ...change,
  };
}

const valuesOf = (text: string, kinds: IdentifierKinds, ...some: FoundSecurity[]) =>
  suggestionsOf(text, kinds.isList, namesOfSecurities(some, kinds)).map(({ value }) => value);

describe('the term that is typed', () => {
  it('is the last one of a list, and the whole text where there can be only one', () => {
    expect(termOf('AVQX, met', LIST)).toBe('met');
    expect(termOf('AVQX,', LIST)).toBe('');
    expect(termOf('Berkshire, Inc', ONE)).toBe('Berkshire, Inc');
  });
});

describe('suggestions', () => {
  it('take the place of the term alone', () => {
    expect(valuesOf('AVQX, met', LIST, found())).toEqual(['AVQX, META']);
    expect(valuesOf('met', LIST, found())).toEqual(['META']);
    expect(valuesOf('a, met', ONE, found())).toEqual(['META']);
  });

  it('are tickers, or numbers where a number was typed or the dataset has nothing else', () => {
    const byNumber = found({ matched: { field: 'ASID', value: '1234' } });
    expect(valuesOf('12', ONE, byNumber)).toEqual(['1234']);
    expect(valuesOf('met', { ...ONE, hasTickers: false }, found())).toEqual(['1234']);
    expect(valuesOf('12', { ...ONE, hasNumbers: false }, byNumber)).toEqual(['META']);
    expect(valuesOf('met', { ...ONE, hasNumbers: false }, found({ ticker: null }))).toEqual([]);
  });

  it('are none of what is there already', () => {
    expect(valuesOf('META', LIST, found())).toEqual([]);
    expect(valuesOf('AVQX, META', LIST, found())).toEqual([]);
  });

  it('say what the security is, what it was called, and that it is no more', () => {
    const matched = { field: 'Ticker', value: 'FB' } as const;
    const [past] = namesOfSecurities([found({ matched, end_date: '2026-01-02' })], ONE);
    expect(past).toEqual({
      name: 'META',
      hint: 'Meta Platforms Inc · ASID 1234 · was FB · until 2026-01-02',
    });
  });
});
