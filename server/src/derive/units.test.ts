import { describe, expect, test } from 'vitest';
import type { Dataset } from '../catalog/dataset.ts';
import type { IndexedPart } from '../store/lake-index.ts';
import {
  type DerivationUnit,
  dateUnits,
  groupsOf,
  latestSources,
  lineageOf,
  partUnits,
  unitsOf,
} from './units.ts';

const bars = { variant: {}, partitioning: { unit: 'month', column: 'TradeDate' } } as Dataset;
const ticks = { textId: 'ticks' } as Dataset;
const part = (key: string, contentDigest = key) => ({ key, contentDigest }) as IndexedPart;
const source = (publicationId: number, name: string, sha256: string) => {
  return { publicationId, name, sha256, byteCount: 0 };
};

describe('units', () => {
  test('there is one for each part, and for each part that rows were computed from and that is gone', () => {
    const sources = latestSources([
      source(1, 'ticks 2026-01-05', 'a'),
      source(1, 'ticks 2026-01-06', 'b'),
      source(1, 'other 2026-01-04', 'c'),
    ]);
    const parts = partUnits([part('2026-01-06'), part('2026-02-02')]);
    const units = unitsOf(bars, ticks, parts, sources);
    expect(units.map(({ label, outputKey }) => [label, outputKey])).toEqual([
      ['ticks 2026-01-05', '2026-01'],
      ['ticks 2026-01-06', '2026-01'],
      ['ticks 2026-02-02', '2026-02'],
    ]);
    expect(units.map((unit) => unit.part?.key ?? null)).toEqual([null, '2026-01-06', '2026-02-02']);
  });

  test('of another input there is one for each date with rows that the preferred one has no part of', () => {
    const months = [part('2026-01'), part('2026-03')];
    const dates = ['2026-01-05', '2026-01-06', '2026-01-07', '2026-03-02'];
    const units = dateUnits(months, dates, [part('2026-01-06')]);
    expect(units.map(({ key, part }) => [key, part.key])).toEqual([
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
  const unit = { part: part('2026-01-05', 'd1') } as DerivationUnit;
  const derivation = { computation: 'equity_trade_bars' as const, inputs: ['ticks'] };
  const lineage = (changed: {
    unit?: DerivationUnit;
    rule?: number;
    mark?: string;
    dataset?: Dataset;
  }) =>
    lineageOf(
      changed.unit ?? unit,
      derivation,
      changed.dataset ?? bars,
      changed.rule ?? 1,
      changed.mark ?? '',
    );

  test('it differs with the rows of the part, the rules, the variant and what else was read', () => {
    const texts = [
      lineage({}),
      lineage({ unit: { ...unit, part: part('2026-01-05', 'd2') } }),
      lineage({ unit: { ...unit, part: null } }),
      lineage({ rule: 2 }),
      lineage({ mark: 'other prices' }),
      lineage({ dataset: { ...bars, variant: { aggregationLogic: 'industry_std' } } }),
    ];
    expect(new Set(texts).size).toBe(texts.length);
    expect(lineage({})).toBe(texts[0]);
    expect(texts[0]).toMatch(/^[0-9a-f]{64}$/);
  });
});

describe('groups', () => {
  const named = (label: string, outputKey: string) => ({ label, outputKey }) as DerivationUnit;
  const units = [
    named('1', 'A'),
    named('2', 'A'),
    named('3', 'A'),
    named('4', 'A'),
    named('5', 'B'),
    named('6', 'B'),
  ];

  test.each([
    ['all of a partition are one', '123456', ['1234', '56']],
    ['one that is not chosen parts those on its sides', '1246', ['12', '4', '6']],
    ['none are chosen', '', []],
  ])('%s', (_, chosen, groups) => {
    const found = groupsOf(units, ({ label }) => chosen.includes(label));
    expect(found.map((group) => group.map(({ label }) => label).join(''))).toEqual(groups);
  });

  test('are not written over rows of a date between them', () => {
    const parts = partUnits(
      ['2026-01-05', '2026-01-06', '2026-01-08', '2026-01-12'].map((key) => part(key)),
    );
    const units = unitsOf(bars, ticks, parts, new Map());
    const groups = groupsOf(units, () => true, ['2026-01-05', '2026-01-07', '2026-01-08']);
    expect(groups.map((group) => group.map(({ dates }) => dates.start))).toEqual([
      ['2026-01-05', '2026-01-06'],
      ['2026-01-08', '2026-01-12'],
    ]);
  });
});
