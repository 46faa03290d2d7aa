import { describe, expect, it } from 'vitest';
import { sampleDataset } from '../../test/lake/sample-dataset.ts';
import type { RuleTerms } from '../store/access-rules.ts';
import { dateColumnOf } from './conditions.ts';
import { mayKnowScan, readablePartitions } from './partitions.ts';

const TODAY = '2026-11-18';
const rule = (startDate: string, endDate: string | null, universe: string[] = []) => ({
  ...{ startDate, endDate, universe },
});

/** How much an account may know of a partition: `whole`, `visible` or `nothing`. */
function known(unit: 'day' | 'month' | 'year' | 'whole', key: string, rules: RuleTerms[]) {
  const { isVisible, isWhole } = readablePartitions(sampleDataset(unit), rules, TODAY);
  expect(isWhole(key) && !isVisible(key)).toBe(false);
  return isWhole(key) ? 'whole' : isVisible(key) ? 'visible' : 'nothing';
}

describe('readablePartitions', () => {
  it.each([
    ['day', '2026-11-17', rule('2026-11-17', null), 'whole'],
    ['day', '2026-11-16', rule('2026-11-17', null), 'nothing'],
    ['day', '2026-11-17', rule('2020-01-01', '2026-11-17'), 'whole'],
    ['day', '2026-11-18', rule('2020-01-01', '2026-11-17'), 'nothing'],
    ['day', '2026-11-17', rule('2020-01-01', null, ['AAA']), 'visible'],
    ['day', '2026-11-16', rule('2026-11-17', null, ['AAA']), 'nothing'],
    ['month', '2026-02', rule('2026-02-01', '2026-02-28'), 'whole'],
    ['month', '2026-02', rule('2026-02-02', '2026-02-28'), 'visible'],
    ['month', '2026-02', rule('2026-02-01', '2026-02-27'), 'visible'],
    ['month', '2026-03', rule('2026-02-01', '2026-02-28'), 'nothing'],
    ['year', '2026', rule('2026-01-01', null), 'whole'],
    ['year', '2026', rule('2026-01-02', null), 'visible'],
    ['year', '2025', rule('2026-01-01', null), 'nothing'],
    ['whole', 'all', rule('1900-01-01', null), 'whole'],
    ['whole', 'all', rule('2007-01-01', null), 'visible'],
  ] as const)('says of a %s %s under %j: %s', (unit, key, given, expected) => {
    expect(known(unit, key, [{ ...given, universe: [...given.universe] }])).toBe(expected);
  });

  it('says nothing by a rule that has not begun', () => {
    expect(known('day', '2026-11-19', [rule('2026-11-19', null)])).toBe('nothing');
    expect(known('whole', 'all', [rule('2026-11-19', null)])).toBe('nothing');
  });

  it('takes rows of any date to be in partitions by another column than the date', () => {
    const others = { ...sampleDataset('day'), dateColumn: 'OtherDate' };
    const of = (given: RuleTerms) => {
      const { isVisible, isWhole } = readablePartitions(others, [given], TODAY);
      return [isVisible('2026-11-16'), isWhole('2026-11-16')];
    };
    expect(of(rule('2026-11-17', null))).toEqual([true, false]);
    expect(of(rule('2026-11-16', '2026-11-16'))).toEqual([true, false]);
    expect(of(rule('1900-01-01', null))).toEqual([true, true]);
  });

  it('counts rows of a dataset without dates as of today', () => {
    const undated = { ...sampleDataset('whole'), dateColumn: null };
    const of = (given: RuleTerms) => {
      const { isVisible, isWhole, holdsAll } = readablePartitions(undated, [given], TODAY);
      return [isVisible('all'), isWhole('all'), holdsAll(null, null)];
    };
    expect(of(rule('2020-01-01', null))).toEqual([true, true, true]);
    expect(of(rule('2020-01-01', '2026-11-17'))).toEqual([false, false, false]);
    expect(of(rule('2020-01-01', null, ['AAA']))).toEqual([true, false, false]);
  });

  it.each([
    ['day', '2026-02-10', rule('2026-02-10', '2026-02-10'), true],
    ['day', '2026-02-09', rule('2026-02-10', null), false],
    ['day', '2026-02-10', rule('2020-01-01', null, ['AAA']), false],
    ['month', '2026-02-10', rule('2026-02-01', '2026-02-28'), true],
    ['month', '2026-02-10', rule('2026-02-02', null), false],
    ['year', '2026-02-10', rule('2026-01-01', '2026-12-31'), true],
    ['year', '2026-02-10', rule('2026-01-01', '2026-12-30'), false],
    ['day', null, rule('2026-02-01', null), true],
    ['day', null, rule('2026-02-02', null), false],
    ['whole', '2026-02-10', rule('2026-02-10', '2026-02-10'), false],
  ] as const)('knows what is scanned of %ss on %s under %j: %s', (unit, date, given, expected) => {
    const dataset = sampleDataset(unit);
    const column = dateColumnOf(dataset);
    const predicates = date === null ? [] : [{ column, operator: 'eq' as const, value: date }];
    const readable = readablePartitions(
      dataset,
      [{ ...given, universe: [...given.universe] }],
      TODAY,
    );
    const snapshot = { firstDate: '2026-02-01', lastDate: '2026-03-31' };
    expect(mayKnowScan(dataset, predicates, snapshot, readable)).toBe(expected);
  });

  it('tells all rows from some by their dates', () => {
    const of = (given: RuleTerms) =>
      readablePartitions(sampleDataset('day'), [given], TODAY).holdsAll('2020-01-02', TODAY);
    expect(of(rule('2020-01-02', null))).toBe(true);
    expect(of(rule('2020-01-02', TODAY))).toBe(true);
    expect(of(rule('2020-01-03', null))).toBe(false);
    expect(of(rule('2020-01-02', '2026-11-17'))).toBe(false);
    expect(of(rule('2020-01-02', null, ['AAA']))).toBe(false);
  });
});
