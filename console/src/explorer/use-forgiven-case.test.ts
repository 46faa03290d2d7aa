import { expect, it } from 'vitest';
import { doubtfulNames, identifierMeant, meantName } from './use-forgiven-case';

it('a name is meant in upper case only where the service says that this has rows', () => {
  expect(meantName('avqx', 'case AVQX')).toBe('AVQX');
  expect(meantName('xqi', 'root XQI')).toBe('XQI');
  expect(meantName('es.c', 'case ES.C')).toBe('ES.C');
  expect(meantName('brk/b', 'case BRK%2FB')).toBe('BRK/B');
  expect(meantName('dlmr', 'case AVQX')).toBe('dlmr');
  expect(meantName('BRKb', null)).toBe('BRKb');
  expect(meantName('list', 'list')).toBe('list');
});

it('names in lower case are in doubt in a list alone', () => {
  expect(doubtfulNames('AVQX, bzoq,BRKb, bzoq')).toEqual(['bzoq', 'BRKb']);
  expect(doubtfulNames('avqx')).toEqual([]);
  expect(doubtfulNames('AVQX, 1010000000000044')).toEqual([]);
});

it('an identifier is written with the names that are meant, and with the others as they were', () => {
  const meant = new Map([
    ['bzoq', 'BZOQ'],
    ['BRKb', 'BRKb'],
  ]);
  expect(identifierMeant('AVQX,bzoq, BRKb', meant)).toBe('AVQX, BZOQ, BRKb');
  expect(identifierMeant(' bzoq ', meant)).toBe('BZOQ');
  expect(identifierMeant('AVQX,BRKb', meant)).toBeNull();
});
