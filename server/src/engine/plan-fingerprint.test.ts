import { describe, expect, it } from 'vitest';
import { DAILY, planOfPath } from '../../test/plan-of-path.ts';
import type { Part } from './part.ts';
import { pageFingerprint, rowsFingerprint, walkFingerprint } from './plan-fingerprint.ts';
import type { QueryPlan } from './query-plan.ts';

const PATH = `${DAILY}?Ticker=AAA`;

function partOf(digest: string, part: Partial<Part> = {}): Part {
  return { id: 1, key: '2026', location: 'a', digest, rowCount: 1, byteCount: 1, ...part };
}

const PLAN: QueryPlan = { ...planOfPath(PATH), parts: [partOf('aa'), partOf('bb')] };

const FINGERPRINTS = { rowsFingerprint, walkFingerprint, pageFingerprint };

/** The fingerprints that are not those of `PLAN`. */
function changedBy(changes: Partial<QueryPlan>): string[] {
  return Object.entries(FINGERPRINTS)
    .filter(([, of]) => of({ ...PLAN, ...changes }) !== of(PLAN))
    .map(([name]) => name);
}

const ALL = ['rowsFingerprint', 'walkFingerprint', 'pageFingerprint'];
const [column, other] = PLAN.columns.slice(0, 2) as [
  QueryPlan['columns'][0],
  QueryPlan['columns'][0],
];
const sampled = (dataType: 'integer' | 'number'): Partial<QueryPlan> => ({
  predicates: [
    {
      ...{ operator: 'lt', value: 500_000n },
      column: { ...column, name: 'sample', madeOf: [{ ...column, dataType }] },
    },
  ],
});
const bounded = (value: bigint | string): Partial<QueryPlan> => ({
  predicates: [{ column, operator: 'eq', value }],
});
const [grant] = PLAN.grants as [QueryPlan['grants'][0]];
const window = { column, start: '2020-01-01', end: '2021-01-01', passesUndated: false };

describe('the fingerprints of a plan', () => {
  it.each<[string, Partial<QueryPlan>, string[]]>([
    ['the dataset', { dataset: { ...PLAN.dataset, datasetId: 'US9999' } }, ALL],
    ['what a part holds', { parts: [partOf('aa'), partOf('cc')] }, ALL],
    ['the order of the parts', { parts: [partOf('bb'), partOf('aa')] }, ALL],
    ['a part more', { parts: [...PLAN.parts, partOf('cc')] }, ALL],
    ['the predicates', { predicates: [] }, ALL],
    ['the window of a grant', { grants: [{ ...grant, window }] }, ALL],
    [
      'the universe of a grant',
      { grants: [{ ...grant, universe: [{ column, operator: 'in', values: ['AAA'] }] }] },
      ALL,
    ],
    ['no grant at all', { grants: [] }, ALL],
    ['the order of the rows', { sort: [{ column, descending: true }] }, ALL.slice(1)],
    ['the columns', { columns: [column] }, ALL.slice(1)],
    ['the order of the columns', { columns: [other, column] }, ALL.slice(1)],
    ['where the page begins', { offset: 1 }, ALL.slice(2)],
    ['how long the page is', { limit: 1 }, ALL.slice(2)],
    ['a new version of the same parts', { version: 8 }, []],
    [
      'where and under which number equal parts are stored',
      { parts: [partOf('aa', { id: 7, location: 'elsewhere' }), partOf('bb', { key: '2027' })] },
      [],
    ],
    ['for whom it is made', { holder: 3 }, []],
  ])('tell of %s what they should', (_, changes, changed) => {
    expect(changedBy(changes)).toEqual(changed);
  });

  it('tell samples by columns of other types', () => {
    const [narrow, wide] = [sampled('integer'), sampled('number')].map((each) =>
      rowsFingerprint({ ...PLAN, ...each }),
    );
    expect(narrow).not.toBe(wide);
  });

  it('tell a number from the text that looks like it', () => {
    const [number, text] = [bounded(1n), bounded('1')].map((each) =>
      rowsFingerprint({ ...PLAN, ...each }),
    );
    expect(number).not.toBe(text);
  });

  it('are the same in every process', () => {
    expect(pageFingerprint({ ...planOfPath(PATH), parts: [...PLAN.parts] })).toBe(
      pageFingerprint(PLAN),
    );
    expect(pageFingerprint(PLAN)).toMatch(/^[\w-]{43}$/);
  });
});
