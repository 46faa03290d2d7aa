import { afterEach, describe, expect, it, vi } from 'vitest';
import { DAILY, MINUTES, planOfPath, TICKS } from '../../test/plan-of-path.ts';
import type { Column } from '../catalog/dataset.ts';
import type { Part } from '../engine/part.ts';
import type { QueryPlan } from '../engine/query-plan.ts';
import { CSV_FORMAT, CSV_GZIP_FORMAT } from '../formats/csv.ts';
import { JSON_FORMAT } from '../formats/json.ts';
import { pageTag } from './page.ts';

const PATH = `${DAILY}?Ticker=AAA`;

function partOf(digest: string): Part {
  return { id: 1, key: '2026', location: '', digest, rowCount: 1, byteCount: 1 };
}

const withParts = (plan: QueryPlan, ...digests: string[]): QueryPlan => ({
  ...plan,
  parts: digests.map(partOf),
});

const tagOf = (path: string, rules = {}) => pageTag(planOfPath(path, rules), JSON_FORMAT, []);

afterEach(() => void vi.doUnmock('../base/installation.ts'));

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
      pageTag({ ...plan, dataset: { ...plan.dataset, textId: 'another' } }, JSON_FORMAT, []),
      pageTag(plan, CSV_FORMAT, []),
      pageTag(plan, CSV_GZIP_FORMAT, []),
      pageTag(plan, CSV_GZIP_FORMAT, ['AAA']),
      pageTag(
        { ...plan, dataset: { ...plan.dataset, timeZone: 'America/Chicago' } },
        JSON_FORMAT,
        [],
      ),
      pageTag(withParts(plan, 'aa'), JSON_FORMAT, []),
      pageTag(withParts(plan, 'aa', 'bb'), JSON_FORMAT, []),
      pageTag(withParts(plan, 'bb', 'aa'), JSON_FORMAT, []),
    ];
    expect(new Set(tags).size).toBe(tags.length);
  });

  it('differs in what decides how the values of a column are written', () => {
    const plan = planOfPath(PATH);
    const [column] = plan.columns as [Column];
    const tags = [
      column,
      { ...column, name: 'Another' },
      { ...column, dataType: 'array of string' as const },
      { ...column, fractionDigits: 9 as const },
    ].map((each) => pageTag({ ...plan, columns: [each] }, JSON_FORMAT, []));
    expect(column).toMatchObject({ dataType: 'date', fractionDigits: 0 });
    expect(new Set(tags).size).toBe(tags.length);
  });

  it('differs between releases, which may write values otherwise', async () => {
    vi.resetModules();
    vi.doMock('../base/installation.ts', () => ({ SERVICE_VERSION: 'another' }));
    const { pageTag: tagOfAnother } = await import('./page.ts');
    const plan = planOfPath(PATH);
    expect(tagOfAnother(plan, JSON_FORMAT, [])).not.toBe(pageTag(plan, JSON_FORMAT, []));
  });

  it('stays when a new version leaves the parts alone that the page is read from', () => {
    const plan = withParts(planOfPath(PATH), 'aa');
    const later = { ...plan, version: (plan.version ?? 0) + 1 };
    expect(pageTag(later, JSON_FORMAT, [])).toBe(pageTag(plan, JSON_FORMAT, []));
  });

  it('is weak where equal rows may come as other bytes', () => {
    expect(pageTag(planOfPath(PATH), CSV_GZIP_FORMAT, [])).toMatch(/^W\/"[\w-]{43}"$/);
  });
});
