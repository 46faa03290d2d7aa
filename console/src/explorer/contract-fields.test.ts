import { describe, expect, it } from 'vitest';
import { DAILY } from '../../test/fixtures/shapes';
import {
  chosenValue,
  contractColumns,
  expirationsOf,
  strikesOf,
  withChosen,
} from './contract-fields';
import type { ShapeColumn } from './dataset-shape';

const CONTRACTS = [
  { expiration: '2026-12-18', callPut: 'C', strike: 100 },
  { expiration: '2026-12-18', callPut: 'P', strike: 9.5 },
  { expiration: '2026-11-20', callPut: 'C', strike: 100 },
];

describe('the contract of an option', () => {
  it('is asked for where rows are of contracts of a ticker', () => {
    const names = ['TradeDate', 'Ticker', 'CallPut', 'Strike', 'ExpirationDate'];
    const columns = names.map(
      (name): ShapeColumn => ({ name, data_type: 'string', operators: ['eq'] }),
    );
    expect(contractColumns({ ...DAILY, columns })).toEqual(['ExpirationDate', 'CallPut', 'Strike']);
    expect(contractColumns(DAILY)).toBeNull();
  });

  it('has the expirations and strikes that there are, in order', () => {
    expect(expirationsOf(CONTRACTS)).toEqual(['2026-11-20', '2026-12-18']);
    expect(strikesOf(CONTRACTS, '', '')).toEqual(['9.5', '100']);
    expect(strikesOf(CONTRACTS, '2026-12-18', 'P')).toEqual(['9.5']);
    expect(strikesOf(CONTRACTS, '2026-11-20', 'P')).toEqual([]);
  });

  it('is kept as filters, beside the others', () => {
    const other = { column: 'Price', operator: 'gt', value: '1' } as const;
    const chosen = withChosen([other], 'Strike', '100');
    expect(chosen).toEqual([other, { column: 'Strike', operator: 'eq', value: '100' }]);
    expect(chosenValue(chosen, 'Strike')).toBe('100');
    expect(withChosen(chosen, 'Strike', '9.5')).toHaveLength(2);
    expect(withChosen(chosen, 'Strike', '')).toEqual([other]);
    expect(chosenValue([{ column: 'Strike', operator: 'ge', value: '1' }], 'Strike')).toBe('');
  });
});
