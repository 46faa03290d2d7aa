import { describe, expect, it } from 'vitest';
import { agrees, type EventTerms, factorOfTerms, needsPriorClose } from './adjustment-factor.ts';

const NONE = { dividend: null, ratio: null, priorClose: null };
const ratio = (newShares: number, oldShares: number) => ({ ratio: { newShares, oldShares } });

describe('the factor by terms', () => {
  it.each<[string, Partial<EventTerms>, number | null]>([
    // Published: of Microsoft on 2007-02-13, and of Apple on 2014-02-06 and 2014-05-08.
    ['CashDiv', { dividend: 0.1, priorClose: 28.94 }, 0.996544574982723],
    ['CashDiv', { dividend: 3.05, priorClose: 512.59 }, 0.994049825396516],
    ['CashDiv', { dividend: 3.29, priorClose: 592.33 }, 0.994445663734742],
    ['BonusSame', ratio(6, 1), 0.142857142857143],
    ['ScriptDiv', ratio(5, 100), 0.952380952380952],
    ['Subdiv', ratio(4, 1), 0.25],
    ['Cons', ratio(1, 5), 5],
    ['Reclass', ratio(1, 1), 1],
    ['CashDiv', { dividend: 0.1 }, null],
    ['CashDiv', { priorClose: 28.94 }, null],
    ['CashDiv', { dividend: 0.1, priorClose: 0 }, null],
    ['CashDiv', { dividend: 30, priorClose: 28.94 }, null],
    ['CashDiv', { ...ratio(4, 1) }, null],
    ['Subdiv', { dividend: 0.1, priorClose: 28.94 }, null],
    ['DeMerg', { ...ratio(1, 8), priorClose: 64 }, null],
    ['RightsSame', { ...ratio(1, 4), priorClose: 64 }, null],
  ])('of %s, %o, is %s', (reason, known, factor) => {
    expect(factorOfTerms({ ...NONE, ...known, reason })).toBe(factor);
  });

  it('needs a price for cash dividends alone', () => {
    expect(needsPriorClose({ reason: 'CashDiv', dividend: 0.1 })).toBe(true);
    expect(needsPriorClose({ reason: 'CashDiv', dividend: null })).toBe(false);
    expect(needsPriorClose({ reason: 'Subdiv', dividend: 0.1 })).toBe(false);
  });
});

describe('a stated factor', () => {
  it.each([
    // Closes of 94.96 and 94.97, as two publishers have them for one day.
    ['CashDiv', 1 - 0.47 / 94.96, 1 - 0.47 / 94.97, true],
    ['CashDiv', 0.99, 0.99009, true],
    ['CashDiv', 0.99, 0.99011, false],
    ['CashDiv', 1, 0.99, false],
    ['BonusSame', 0.142857143, 0.142857142857143, true],
    ['BonusSame', 0.143, 0.142857142857143, false],
    ['Subdiv', 4, 0.25, false],
    ['Subdiv', 0.25, 0.25, true],
  ])('of %s, %d beside %d by terms, can be right: %s', (reason, stated, byTerms, expected) => {
    expect(agrees(stated, byTerms, reason)).toBe(expected);
  });
});
