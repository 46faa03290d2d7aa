import { describe, expect, it } from 'vitest';
import { DAILY, MINUTES, planOfPath, TICKS } from '../../test/plan-of-path.ts';
import type { Partition } from '../lake/snapshot.ts';
import type { QueryPlan } from '../plan/query-plan.ts';
import { pageTag } from './page-tag.ts';

const PATH = `${DAILY}?Ticker=AAA`;

function partitionOf(file: string): Partition {
  return { key: '2026', file, rowCount: 1, byteCount: 1, rowGroups: [] };
}

const withFiles = (plan: QueryPlan, ...files: string[]): QueryPlan => ({
  ...plan,
  partitions: files.map(partitionOf),
});

const tagOf = (path: string, rules = {}) => pageTag(planOfPath(path, rules), 'json', []);

describe('pageTag', () => {
  it('is the same for the same page', () => {
    expect(tagOf(PATH)).toBe(tagOf(PATH));
    expect(tagOf(PATH)).toBe(tagOf(`${PATH}&offset=0&limit=1000&adjusted=false`));
    expect(tagOf(PATH)).toMatch(/^"[\w-]{43}"$/);
  });

  it('differs in everything that decides rows, their order or their text', () => {
    const rules = { universe: ['AAA', 'BBB'], startDate: '2020-01-01' };
    const plan = planOfPath(PATH);
    const tags = [
      ...[
        PATH,
        `${DAILY}?Ticker=BBB`,
        `${DAILY}?Ticker.in=AAA,BBB`,
        `${DAILY}?Ticker.in=%22AAA,BBB%22`,
        `${DAILY}?Ticker.like=AAA`,
        `${DAILY}?Ticker.ilike=AAA`,
        `${DAILY}?OpenPrice=1`,
        `${DAILY}?OpenPrice.gt=1`,
        `${DAILY}?DailyVolume=1`,
        `${PATH}&period=1Y`,
        `${PATH}&offset=1`,
        `${PATH}&limit=1`,
        `${PATH}&columns=Ticker`,
        `${PATH}&columns=Ticker,ASID`,
        `${PATH}&columns=ASID,Ticker`,
        `${PATH}&sort=ASID`,
        `${PATH}&sort=-ASID`,
        `${PATH}&sort=ASID,Ticker`,
        `${PATH}&adjusted=true`,
        `${TICKS}/AAA`,
        `${TICKS}/BBB`,
        `${MINUTES}`,
      ].map((path) => tagOf(path)),
      tagOf(PATH, rules),
      tagOf(PATH, { ...rules, universe: ['AAA'] }),
      tagOf(DAILY, [rules, { startDate: '2019-01-01', endDate: '2019-12-31' }]),
      pageTag({ ...plan, dataset: { ...plan.dataset, textId: 'another' } }, 'json', []),
      pageTag(plan, 'csv', []),
      pageTag(plan, 'csv_gzip', []),
      pageTag(plan, 'csv_gzip', ['AAA']),
      pageTag({ ...plan, dataset: { ...plan.dataset, timeZone: 'America/Chicago' } }, 'json', []),
      pageTag(withFiles(plan, 'lake/a.parquet'), 'json', []),
      pageTag(withFiles(plan, 'lake/a.parquet', 'lake/b.parquet'), 'json', []),
      pageTag(withFiles(plan, 'lake/b.parquet', 'lake/a.parquet'), 'json', []),
    ];
    expect(new Set(tags).size).toBe(tags.length);
  });

  it('stays when a new version leaves the files alone that the page is read from', () => {
    const plan = withFiles(planOfPath(PATH), '/lake/a.parquet');
    const later = { ...plan, version: (plan.version ?? 0) + 1 };
    expect(pageTag(later, 'json', [])).toBe(pageTag(plan, 'json', []));
  });

  it('is weak where equal rows may come as other bytes', () => {
    expect(pageTag(planOfPath(PATH), 'csv_gzip', [])).toMatch(/^W\/"[\w-]{43}"$/);
  });
});
