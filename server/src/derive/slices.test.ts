import { describe, expect, test } from 'vitest';
import type { Dataset } from '../catalog/dataset.ts';
import type { IndexedPart } from '../store/lake-index.ts';
import {
  groupsOf,
  keysOfDates,
  keysOfParts,
  latestSources,
  lineageOf,
  type Slice,
  slicesOf,
} from './slices.ts';

const bars = { variant: {}, partitioning: { unit: 'month', column: 'TradeDate' } } as Dataset;
const ticks = { textId: 'ticks' } as Dataset;
const part = (key: string, contentDigest = key) => ({ key, contentDigest }) as IndexedPart;
const source = (publicationId: number, name: string, sha256: string) => {
  return { publicationId, name, sha256, byteCount: 0 };
};

describe('slices', () => {
  test('there is one for each part, and for each part that rows were computed from and that is gone', () => {
    const sources = latestSources([
      source(1, 'ticks 2026-01-05', 'a'),
      source(1, 'ticks 2026-01-06', 'b'),
      source(1, 'other 2026-01-04', 'c'),
    ]);
    const keys = keysOfParts([part('2026-01-06'), part('2026-02-02')]);
    const slices = slicesOf(bars, ticks, keys, sources);
    expect(slices.map(({ label, outputKey }) => [label, outputKey])).toEqual([
      ['ticks 2026-01-05', '2026-01'],
      ['ticks 2026-01-06', '2026-01'],
      ['ticks 2026-02-02', '2026-02'],
    ]);
    expect(slices.map((each) => each.part?.key ?? null)).toEqual([
      null,
      '2026-01-06',
      '2026-02-02',
    ]);
  });

  test('another input has one for each date with rows that the preferred one has no part of', () => {
    const months = [part('2026-01'), part('2026-03')];
    const dates = ['2026-01-05', '2026-01-06', '2026-01-07', '2026-03-02'];
    const keys = keysOfDates(months, dates, [part('2026-01-06')]);
    expect(keys.map(({ key, part }) => [key, part.key])).toEqual([
      ['2026-01-05', '2026-01'],
      ['2026-01-07', '2026-01'],
      ['2026-03-02', '2026-03'],
    ]);
  });

  test('the source of the newest publication counts, whatever older ones had computed', () => {
    const sources = latestSources([
      source(1, 'ticks 2026-01-05', 'a'),
      source(2, 'ticks 2026-01-05', 'b'),
    ]);
    expect(sources.get('ticks 2026-01-05')?.sha256).toBe('b');
  });
});

describe('lineage', () => {
  const usual = {
    part: part('2026-01-05', 'd1'),
    rule: { computation: 'equity_trade_bars' as const, inputs: ['ticks'] },
    ruleVersion: 1,
    variant: bars.variant,
    referenceDigest: '',
  };

  test('lineage differs with the rows of the part, the rules, the variant and other inputs', () => {
    const texts = [
      lineageOf(usual),
      lineageOf({ ...usual, part: part('2026-01-05', 'd2') }),
      lineageOf({ ...usual, part: null }),
      lineageOf({ ...usual, ruleVersion: 2 }),
      lineageOf({ ...usual, referenceDigest: 'other prices' }),
      lineageOf({ ...usual, variant: { aggregationLogic: 'industry_std' } }),
    ];
    expect(new Set(texts).size).toBe(texts.length);
    expect(lineageOf(usual)).toBe(texts[0]);
    expect(texts[0]).toMatch(/^[0-9a-f]{64}$/);
  });
});

describe('groups', () => {
  const named = (label: string, outputKey: string) => ({ label, outputKey }) as Slice;
  const slices = [
    named('1', 'A'),
    named('2', 'A'),
    named('3', 'A'),
    named('4', 'A'),
    named('5', 'B'),
    named('6', 'B'),
  ];

  test.each([
    ['slices of one partition are one group', '123456', ['1234', '56']],
    ['a slice that is not chosen parts those on its sides', '1246', ['12', '4', '6']],
    ['without chosen slices there are no groups', '', []],
  ])('%s', (_, chosen, groups) => {
    const found = groupsOf(slices, ({ label }) => chosen.includes(label));
    expect(found.map((group) => group.map(({ label }) => label).join(''))).toEqual(groups);
  });

  test('a kept date parts the slices on its sides', () => {
    const keys = keysOfParts(
      ['2026-01-05', '2026-01-06', '2026-01-08', '2026-01-12'].map((key) => part(key)),
    );
    const slices = slicesOf(bars, ticks, keys, new Map());
    const groups = groupsOf(slices, () => true, ['2026-01-05', '2026-01-07', '2026-01-08']);
    expect(groups.map((group) => group.map(({ dates }) => dates.start))).toEqual([
      ['2026-01-05', '2026-01-06'],
      ['2026-01-08', '2026-01-12'],
    ]);
  });
});
